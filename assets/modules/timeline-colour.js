/* Colour of a request: a categorical scale for its kind, viridis for quantities, with the distribution as its legend. Pure. */

import { KINDS } from "./timeline-data.js";

/** Viridis in sixteen steps, dark to light, without its ends, which would vanish in one of the themes. */
const VIRIDIS = ["#3c4f8a", "#365c8d", "#30698e", "#2b758e", "#26818e", "#228d8d", "#1f998b", "#21a486", "#2cb07e", "#3dbb75", "#54c568", "#70ce57", "#8fd644", "#afdd30", "#d0e21c", "#f0e622"];
const STEPS = VIRIDIS.length;
export const COLOURINGS = {
  cached: { label: "cached share", figures: "percent", of: (run, i) => run.share(i), linear: true, reverse: true },
  kind: { label: "kind" },
  ttft: { label: "TTFT", figures: "seconds", of: (run, i) => run.ttft(i) },
  isl: { label: "ISL", figures: "tokens", of: (run, i) => (run.isl[i] >= 0 ? run.isl[i] : NaN) },
  uncached: { label: "uncached input", figures: "tokens", of: (run, i) => run.uncached(i) },
  wait: { label: "queue wait", figures: "seconds", of: (run, i) => run.wait(i) },
  osl: { label: "OSL", figures: "tokens", of: (run, i) => (run.osl[i] >= 0 ? run.osl[i] : NaN) },
};
export const NO_VALUE = STEPS;
const KIND_AT = STEPS + 1;
export const WAIT_TONE = KIND_AT + KINDS.length;
export const FAILED_TONE = WAIT_TONE + 1;
export const CANCELLED_TONE = WAIT_TONE + 2;
const PLAIN = WAIT_TONE + 3;
/** Colours at `PLAIN` and above are those of requests outside of the profiling phase. */
export const DIM = PLAIN;

/** The table of fills: plain ones, then the same dimmed towards the ground. */
export function fills(token) {
  const plain = [...VIRIDIS, token("--mute"), token("--flame-uncached"), token("--hw-jalapeno"), token("--flame-output"), token("--text-3"), token("--failed"), token("--cancelled")];
  return [...plain, ...plain.map((colour) => mixed(colour, token("--bg"), 0.45))];
}

function mixed(colour, ground, share) {
  const part = (hex, at) => parseInt(hex.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round(part(colour, at) * share + part(ground, at) * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

/** The fill of each request as an index into `fills`, and what its legend says. */
export function coloured(run, key) {
  const scale = COLOURINGS[key];
  const fill = new Uint8Array(run.count);
  if (key === "kind") {
    const counts = KINDS.map(() => 0);
    for (let i = 0; i < run.count; i += 1) {
      const kind = run.stream_kind[run.streamOf[i]];
      fill[i] = KIND_AT + kind;
      counts[kind] += 1;
    }
    return { fill, legend: { kinds: KINDS.map((name, kind) => ({ name, n: counts[kind], fill: KIND_AT + kind })).filter((one) => one.n) } };
  }
  const values = Float64Array.from({ length: run.count }, (_, i) => scale.of(run, i));
  const known = values.filter((value) => Number.isFinite(value)).sort();
  const [low, high] = ends(known, scale);
  const place = (value) => (scale.linear ? (value - low) / (high - low) : Math.log(Math.max(value, low) / low) / Math.log(high / low));
  const counts = new Array(STEPS).fill(0);
  for (let i = 0; i < run.count; i += 1) {
    if (!Number.isFinite(values[i])) {
      fill[i] = NO_VALUE;
      continue;
    }
    const step = Math.min(STEPS - 1, Math.max(0, Math.floor(place(values[i]) * STEPS)));
    fill[i] = scale.reverse ? STEPS - 1 - step : step;
    counts[step] += 1;
  }
  return { fill, legend: { low, high, counts, figures: scale.figures, reverse: Boolean(scale.reverse), missing: run.count - known.length, colours: VIRIDIS } };
}

/** The scale spans what most requests have: its ends are the 1st and 99th percentile, a share always 0 to 1. */
function ends(known, scale) {
  if (scale.linear || !known.length) return [0, 1];
  const positive = known.filter((value) => value > 0);
  if (!positive.length) return [0.001, 1];
  const low = positive[Math.floor(0.01 * (positive.length - 1))];
  const high = positive[Math.ceil(0.99 * (positive.length - 1))];
  return high > low * 1.01 ? [low, high] : [low / 2, low * 2];
}

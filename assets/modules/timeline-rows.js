/* Rows of the timeline: a tree of lanes with their streams, or one row a worker; sorted, without what is hidden. Pure. */

import { KINDS } from "./timeline-data.js";
import { lowerBound } from "./lanes-geometry.js";
import { reachOf } from "./lanes-model.js";

/** What a sort looks at, larger first; `start` keeps the order of the lanes. */
const SIZES = {
  duration: (one) => one.busy,
  tokens: (one) => one.tokens,
  ttft: (one) => one.slowest,
};

function measured(run, shown, indices) {
  const found = { n: 0, failed: 0, slowest: -1, tokens: 0, busy: 0 };
  for (const i of indices) {
    if (!shown[i]) continue;
    found.n += 1;
    if (run.state[i]) found.failed += 1;
    const ttft = run.ttft(i);
    if (ttft > found.slowest) found.slowest = ttft;
    found.tokens += Math.max(run.isl[i], 0) + Math.max(run.osl[i], 0);
    found.busy += run.duration(i);
  }
  return found;
}

function* within(from, to) {
  for (let i = from; i < to; i += 1) yield i;
}

function totalled(parts) {
  const sum = { n: 0, failed: 0, slowest: -1, tokens: 0, busy: 0 };
  for (const one of parts) {
    for (const name of ["n", "failed", "tokens", "busy"]) sum[name] += one[name];
    sum.slowest = Math.max(sum.slowest, one.slowest);
  }
  return sum;
}

function row(fields, measures, format) {
  return {
    ...fields,
    left: [
      { text: format.count(measures.n), classes: measures.failed ? "bad" : "", title: measures.failed ? `${measures.failed} failed or cancelled` : "" },
      { text: measures.slowest >= 0 ? format.seconds(measures.slowest) : "–", classes: measures.slowest >= 0 ? "" : "quiet" },
    ],
  };
}

/** Rows by conversation; `view.unfold` names open lanes (or "all"). Bars keep their index as place. */
export function conversationRows(run, shown, view, format) {
  const lanes = [];
  for (let s = 0; s < run.streams; s += 1) {
    if (!lanes.length || lanes[lanes.length - 1].lane !== run.lane[s]) lanes.push({ lane: run.lane[s], streams: [] });
    const measures = measured(run, shown, within(run.bounds[s], run.bounds[s + 1]));
    lanes[lanes.length - 1].streams.push({ s, measures, run: [run.bounds[s], run.bounds[s + 1]] });
  }
  for (const lane of lanes) Object.assign(lane, totalled(lane.streams.map((one) => one.measures)));
  const size = SIZES[view.sort];
  if (size) lanes.sort((a, b) => size(b) - size(a) || a.lane - b.lane);
  return lanes.filter((lane) => lane.n).flatMap((lane) => laneRows(run, lane, view, format));
}

function laneRows(run, lane, view, format) {
  const [root, ...others] = lane.streams;
  const children = others.filter((one) => one.measures.n);
  const open = view.unfold.includes("all") || view.unfold.includes(String(lane.lane));
  const first = row(
    { key: String(lane.lane), lane: lane.lane, label: run.traces[root.s] || run.names[root.s], note: `lane ${lane.lane}`, depth: 0, title: run.names[root.s], fold: children.length ? (open ? "open" : "closed") : null, runs: [root.run] },
    root.measures,
    format,
  );
  if (!children.length) return [first];
  if (open) return [first, ...children.map((one) => childRow(run, one, root, format))];
  const counts = KINDS.map((kind, code) => [kind, children.filter((one) => run.stream_kind[one.s] === code).length]).filter(([, n]) => n);
  const said = counts.map(([kind, n]) => `${n}\u202f${kind === "main" ? "more" : kind}${n > 1 && kind === "subagent" ? "s" : ""}`).join(", ");
  const folded = row({ key: `${lane.lane}+`, lane: lane.lane, label: said, depth: 1, title: `Folded: ${said}`, fold: null, classes: "faint", runs: children.map((one) => one.run) }, totalled(children.map((one) => one.measures)), format);
  return [first, folded];
}

/**
 * Where the streams of a lane leave their parents and come back: the moment at which each begins, and the first moment at
 * which the parent sends again once it has ended (null where it never does). [{child, parent, spawn, join}]
 */
export function edgesOf(run, lane) {
  const found = [];
  for (let s = lowerBound(run.lane, lane); s < run.streams && run.lane[s] === lane; s += 1) {
    const parent = run.parent[s];
    if (parent === s) continue;
    let end = -Infinity;
    for (let i = run.bounds[s]; i < run.bounds[s + 1]; i += 1) end = Math.max(end, run.end[i]);
    const next = lowerBound(run.start, end, run.bounds[parent], run.bounds[parent + 1]);
    found.push({ child: s, parent, spawn: run.begin[run.bounds[s]], join: next < run.bounds[parent + 1] ? run.start[next] : null });
  }
  return found;
}

function childRow(run, one, root, format) {
  let depth = 1;
  for (let s = run.parent[one.s]; s !== root.s && s !== run.parent[s] && depth < 6; s = run.parent[s]) depth += 1;
  const name = run.names[one.s];
  const short = name.startsWith(`${run.names[root.s]}::`) ? name.slice(run.names[root.s].length + 2) : name;
  const kind = KINDS[run.stream_kind[one.s]];
  return row({ key: `s${one.s}`, lane: run.lane[one.s], label: short.replace(/^(sa|aux|fa|wg):/, ""), note: kind === "subagent" ? "" : kind, depth, title: name, fold: null, runs: [one.run] }, one.measures, format);
}

/** Rows by worker: the order of the bars, and one row each. */
export function workerRows(run, shown, view, format) {
  const order = Uint32Array.from({ length: run.count }, (_, i) => i).sort((a, b) => run.worker_id[a] - run.worker_id[b] || run.begin[a] - run.begin[b]);
  const found = [];
  for (let from = 0; from < order.length; ) {
    const worker = run.worker_id[order[from]];
    let to = from;
    while (to < order.length && run.worker_id[order[to]] === worker) to += 1;
    const label = run.texts.worker_id[worker] || "worker not reported";
    found.push({ measures: measured(run, shown, order.subarray(from, to)), fields: { key: `w${worker}`, label, depth: 0, fold: null, runs: [[from, to]] } });
    from = to;
  }
  const size = SIZES[view.sort];
  if (size) found.sort((a, b) => size(b.measures) - size(a.measures));
  const rows = found.filter((one) => one.measures.n).map((one) => row(one.fields, one.measures, format));
  return { order, rows, reach: reachOf(run.end, order, rows.flatMap((one) => one.runs)) };
}

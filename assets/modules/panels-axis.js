/* Axes of panels: round ticks of time and value, their words, and the way from a value to a pixel. Pure. */

const TIME_STEPS = [0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

/** Seconds of the run's axis as a clock: "−4:00", "12:24", "1:02:03"; tenths where `step` is below a second. */
export function clock(seconds, step = 1) {
  const decimals = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
  const all = Math.abs(Number(seconds.toFixed(decimals)));
  const sign = seconds < 0 && all > 0 ? "−" : "";
  const rest = (all % 60).toFixed(decimals);
  const padded = rest.padStart(decimals ? decimals + 3 : 2, "0");
  const minutes = Math.floor(all / 60);
  if (minutes < 60) return `${sign}${minutes}:${padded}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${padded}`;
}

/** About `count` round moments in a stretch, with the step between them. */
export function timeTicks([from, to], count) {
  const raw = (to - from) / Math.max(count, 1);
  const step = TIME_STEPS.find((one) => one >= raw) || Math.ceil(raw / 86400) * 86400;
  const ticks = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n += 1) ticks.push(n * step);
  return { ticks, step };
}

/** A scale of values: `place(v)` is 0 at its lower end and 1 at its upper; `ticks` are round. */
export function scaleOf(kind, low, high) {
  if (kind === "log") return logScale(low, high);
  const top = kind === "share" ? Math.max(1, high) : high > 0 ? high * 1.05 : 1;
  const step = kind === "share" && top <= 1 ? 0.25 : roundStep(top / 4);
  const end = kind === "share" && top <= 1 ? 1 : Math.ceil(top / step - 1e-9) * step;
  const ticks = [];
  for (let n = 0; n * step <= end * (1 + 1e-9); n += 1) ticks.push(n * step);
  return { low: 0, high: end, ticks, place: (value) => value / end };
}

function roundStep(raw) {
  const size = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((one) => one * size).find((one) => one >= raw * (1 - 1e-9));
}

function logScale(low, high) {
  if (!(low > 0)) low = high > 0 ? high / 10 : 0.1;
  if (!(high > low)) high = low * 10;
  const from = Math.log10(low) - 0.04 * Math.log10(high / low) - 0.02;
  const to = Math.log10(high) + 0.04 * Math.log10(high / low) + 0.02;
  const ticks = [];
  const decades = to - from;
  for (let power = Math.floor(from); power <= Math.ceil(to); power += 1) {
    for (const digit of decades > 3 ? [1] : decades > 1.4 ? [1, 3] : [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (Math.log10(value) >= from && Math.log10(value) <= to) ticks.push(value);
    }
  }
  return { low: 10 ** from, high: 10 ** to, ticks, place: (value) => (Math.log10(value) - from) / (to - from) };
}

/** The figure of a panel in words. `kind` is that of the panel's specification. */
export function words(value, kind, format) {
  if (!Number.isFinite(value)) return "";
  if (kind === "seconds") return format.seconds(value);
  if (kind === "percent") return format.figure(value, "%");
  if (kind === "count") return value % 1 ? format.rate(value) : format.count(value);
  if (kind === "bytes") return format.rate(value).replace(/([kMGTP]?)$/, "\u202f$1B/s");
  if (kind === "watts") return `${format.significant(value)}\u202fW`;
  return value >= 0 && value < 1000 && value % 1 === 0 ? format.count(value) : format.rate(value);
}

/** A tick in few characters: "100 %" is "100", "0.250 s" is "250 ms". */
export function tickWords(value, kind, format) {
  if (value === 0) return "0";
  if (kind === "percent") return String(Math.round(value * 1000) / 10);
  if (kind === "seconds") return value < 0.9995 ? `${Number((value * 1000).toPrecision(3))}\u202fms` : `${Number(value.toPrecision(3))}\u202fs`;
  const short = words(value, kind, format);
  return short.replace(/(\d)\.(\d*?)0+(?=\D|$)/, (_, whole, rest) => (rest ? `${whole}.${rest}` : whole));
}

/** The window that two moments span, smaller one first, kept inside the whole. */
export function ordered(a, b, [low, high]) {
  const inside = (value) => Math.min(Math.max(value, low), high);
  return [Math.min(inside(a), inside(b)), Math.max(inside(a), inside(b))];
}

/** The window a key makes of the present one (or of none): arrows move it, with shift they move its end. */
export function stepped(key, shift, window, whole) {
  const tenth = (whole[1] - whole[0]) / 10;
  if (!window) return key === "ArrowRight" || key === "ArrowLeft" ? ordered(Math.max(whole[0], 0), Math.max(whole[0], 0) + tenth, whole) : null;
  const size = window[1] - window[0];
  const step = (key === "ArrowLeft" ? -1 : 1) * Math.max(size / 10, 1e-3);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  if (shift) return size + step > 0 ? ordered(window[0], window[1] + step, whole) : window;
  const moved = Math.min(Math.max(window[0] + step, whole[0]), whole[1] - size);
  return [moved, moved + size];
}

/* Where things stand: positions on the axis, windows, bars in view, merging of what is smaller than a pixel. Pure. */

/** The smallest window, as a share of the whole axis. */
export const DEEPEST = 1e-9;

/** A window [from, to] moved and sized so that it lies in the whole one. */
export function within(window, whole) {
  const span = Math.min(window[1] - window[0], whole[1] - whole[0]);
  const from = Math.min(Math.max(window[0], whole[0]), whole[1] - span);
  return [from, from + span];
}

/** The window made `factor` times as wide; what is at `anchor` stays where it is. */
export function zoomed(window, factor, anchor, whole) {
  const least = (whole[1] - whole[0]) * DEEPEST;
  const share = (anchor - window[0]) / (window[1] - window[0]);
  const span = Math.max((window[1] - window[0]) * factor, least);
  const from = anchor - share * span;
  return within([from, from + span], whole);
}

/** The window moved by a share of its own width. */
export function panned(window, share, whole) {
  const step = (window[1] - window[0]) * share;
  return within([window[0] + step, window[1] + step], whole);
}

/** Pixel of a place on the axis, for a window drawn `width` pixels wide. */
export function pixel(value, window, width) {
  return ((value - window[0]) / (window[1] - window[0])) * width;
}

/** Place on the axis of a pixel. */
export function place(x, window, width) {
  return window[0] + (x / width) * (window[1] - window[0]);
}

/** The first index in [from, to) whose value is not below `least`; `to` where there is none. Values ascend. */
export function lowerBound(values, least, from = 0, to = values.length) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The first index in [from, to) whose value is above `most`. Values ascend. */
export function upperBound(values, most, from = 0, to = values.length) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] <= most) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Round steps of an axis: 1, 2 or 5 times a power of ten, about `count` in a span. */
export function step(span, count) {
  const raw = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) * power;
}

/** Multiples of `size` within a window. */
export function ticks(window, size) {
  const found = [];
  for (let n = Math.ceil(window[0] / size - 1e-9); n * size <= window[1] + size * 1e-9; n += 1) found.push(n * size);
  return found;
}

/**
 * Bars of one ascending run as they are drawn: `whole(i, x0, x1)` for each bar at least `least` pixels wide or marked,
 * `merged(x, i, cover, n)` for each pixel column that only holds smaller ones: `i` the longest of them, `cover` the share
 * of the column that they fill (0..1], `n` how many. Columns of merged bars come before the whole bars that start later.
 * `run` is {order, from, to, reach, left, right, shown, marked}; see lanes-model.js.
 */
export function drawn(run, window, width, least, whole, merged) {
  const { order, left, right, reach, shown, marked } = run;
  const scale = width / (window[1] - window[0]);
  let column = -1;
  let longest = -1;
  let length = -1;
  let cover = 0;
  let count = 0;
  const flush = () => {
    if (count) merged(column, longest, Math.min(1, cover), count);
    count = 0;
    cover = 0;
    length = -1;
  };
  for (let n = upperBound(reach, window[0] - 2 / scale, run.from, run.to); n < run.to; n += 1) {
    const bar = order ? order[n] : n;
    const from = left[bar];
    if (from > window[1]) break;
    if (shown && !shown[bar]) continue;
    const to = right[bar];
    const x1 = (to - window[0]) * scale;
    if (x1 < -1) continue;
    const x0 = (from - window[0]) * scale;
    if (x1 - x0 >= least || (marked && marked[bar])) {
      whole(bar, x0, x1);
      continue;
    }
    const at = Math.floor(x0);
    if (at !== column) flush();
    column = at;
    count += 1;
    cover += x1 - x0;
    if (to - from > length) {
      length = to - from;
      longest = bar;
    }
  }
  flush();
}

/**
 * The bar under a place: of those that reach it (or come within `slack`, both in the axis' unit) the nearest, and of equals
 * the one drawn last. -1 where there is none.
 */
export function hit(run, value, slack) {
  const { order, left, right, reach, shown } = run;
  let best = -1;
  let distance = Infinity;
  for (let n = lowerBound(reach, value - slack, run.from, run.to); n < run.to; n += 1) {
    const bar = order ? order[n] : n;
    if (left[bar] > value + slack) break;
    if ((shown && !shown[bar]) || right[bar] < value - slack) continue;
    const away = Math.max(left[bar] - value, value - right[bar], 0);
    if (away <= distance) {
      distance = away;
      best = bar;
    }
  }
  return best;
}

/* Bars in lanes, as the canvas reads them: columns of numbers, and rows that are described only when they are looked at. */

/** The highest right end so far, within each run: what tells where the first bar in a window is. Runs are [from, to). */
export function reachOf(right, order, runs) {
  const reach = new Float64Array(order ? order.length : right.length);
  for (const [from, to] of runs) {
    let most = -Infinity;
    for (let n = from; n < to; n += 1) {
      most = Math.max(most, right[order ? order[n] : n]);
      reach[n] = most;
    }
  }
  return reach;
}

/**
 * Bars and rows.
 *
 * bars: { left, right: Float64Array (extent of each bar on the axis),
 *         order: Uint32Array or null (places of the runs; null: a bar's place is its index),
 *         shown: Uint8Array or null (0 hides a bar), marked: Uint8Array or null (1: never merged away) }
 * rows: { count, at(n) -> Row, height (pixels), heights: Float64Array of count + 1 tops, or null }
 * Row:  { key, label, depth, fold: "open" | "closed" | null, runs: [[from, to], ...] with `left` ascending in each,
 *         left: [text, ...], right: [text, ...], title, classes, bracket }
 */
export class LaneModel {
  constructor(bars, rows) {
    this.bars = { order: null, shown: null, marked: null, ...bars };
    this.rows = rows;
    this.reach = bars.reach;
    if (!this.reach) {
      const runs = [];
      for (let n = 0; n < rows.count; n += 1) runs.push(...rows.at(n).runs);
      this.reach = reachOf(bars.right, this.bars.order, runs);
    }
  }

  /** Height of all rows, pixels. */
  get height() {
    return this.top(this.rows.count);
  }

  /** Upper edge of a row, pixels from the first one's. */
  top(n) {
    return this.rows.heights ? this.rows.heights[n] : n * this.rows.height;
  }

  /** The row at a height; the last one below all. */
  rowAt(y) {
    const last = this.rows.count - 1;
    if (!this.rows.heights) return Math.max(0, Math.min(last, Math.floor(y / this.rows.height)));
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.rows.heights[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The row of a bar, -1 where it is folded away; rows that can tell it themselves have `of(bar)`. */
  rowOf(bar) {
    if (!this.rowOfBar) {
      this.rowOfBar = new Int32Array(this.bars.left.length).fill(-1);
      for (let row = 0; row < this.rows.count; row += 1) {
        for (const [from, to] of this.rows.at(row).runs) {
          for (let n = from; n < to; n += 1) this.rowOfBar[this.bars.order ? this.bars.order[n] : n] = row;
        }
      }
    }
    return this.rowOfBar[bar];
  }

  /** A run of a row with the columns that `drawn` and `hit` of lanes-geometry.js read. */
  run([from, to]) {
    return { ...this.bars, reach: this.reach, from, to };
  }
}

/** Rows from a plain array of descriptions: all as high as `height`, or each as its own `height` says. */
export function rowsOf(list, height = 20) {
  const varied = list.some((row) => row.height);
  let heights = null;
  if (varied) {
    heights = new Float64Array(list.length + 1);
    list.forEach((row, n) => {
      heights[n + 1] = heights[n] + (row.height || height);
    });
  }
  return { count: list.length, at: (n) => list[n], height, heights };
}

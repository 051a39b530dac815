/* From one bar to the next, for keys: along a row by place, across rows by distance. */

/** The bar of some runs that is nearest to a value, within `slack`; -1 where there is none. */
export function nearest(model, runs, value, slack, hit) {
  const { left, right } = model.bars;
  let best = -1;
  let least = Infinity;
  for (const run of runs) {
    const bar = hit(model.run(run), value, slack);
    if (bar < 0) continue;
    const away = Math.max(left[bar] - value, value - right[bar], 0);
    if (away <= least) [best, least] = [bar, away];
  }
  return best;
}

/** Bars of a row that are shown, in order of their left ends. */
export function barsOf(model, runs) {
  const { order, shown, left } = model.bars;
  const found = [];
  for (const [from, to] of runs) {
    for (let n = from; n < to; n += 1) {
      const bar = order ? order[n] : n;
      if (!shown || shown[bar]) found.push(bar);
    }
  }
  return runs.length > 1 ? found.sort((a, b) => left[a] - left[b] || a - b) : found;
}

/** The bar that `along` steps (or `across` rows) from the focused one lead to; the first in view when none is focused. */
export function neighbour(view, along, across) {
  const { model, focused } = view;
  if (!model.rows.count) return -1;
  const row = focused >= 0 ? view.rowOf(focused) : -1;
  if (row < 0) return firstInView(view);
  if (across) return acrossFrom(view, row, Math.sign(across));
  const bars = barsOf(model, model.rows.at(row).runs);
  const at = bars.indexOf(focused);
  return bars[Math.max(0, Math.min(bars.length - 1, at + along))];
}

function firstInView(view) {
  const [from, to] = view.rowsInView;
  for (let row = from; row < to; row += 1) {
    const bars = barsOf(view.model, view.model.rows.at(row).runs);
    const found = bars.find((bar) => view.model.bars.right[bar] >= view.window[0] && view.model.bars.left[bar] <= view.window[1]);
    if (found !== undefined) return found;
  }
  return -1;
}

function acrossFrom(view, row, direction) {
  const { model, focused } = view;
  const middle = (model.bars.left[focused] + model.bars.right[focused]) / 2;
  for (let next = row + direction; next >= 0 && next < model.rows.count; next += direction) {
    let best = -1;
    let least = Infinity;
    for (const bar of barsOf(model, model.rows.at(next).runs)) {
      const away = Math.max(model.bars.left[bar] - middle, middle - model.bars.right[bar], 0);
      if (away < least) [best, least] = [bar, away];
    }
    if (best >= 0) return best;
  }
  return focused;
}

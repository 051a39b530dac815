/* Geometry of the curves: which mark is under the pointer, which URL pins it, where the names in the margin go. Pure. */
(function (root) {
  "use strict";

  const REACH = 14;

  /* The nearest of marks ({x, y} arrays in pixels) within reach of a place, or -1. */
  function nearest(xs, ys, x, y, reach = REACH) {
    let best = -1;
    let least = reach * reach;
    for (let index = 0; index < xs.length; index += 1) {
      const dx = xs[index] - x;
      const dy = ys[index] - y;
      const distance = dx * dx + dy * dy;
      if (distance <= least) {
        least = distance;
        best = index;
      }
    }
    return best;
  }

  /* The layout's entry for a trace's axis: "x2" is "xaxis2". */
  function axisName(name) {
    return `${name[0]}axis${name.slice(1)}`;
  }

  function parts(search) {
    return search.replace(/^\?/, "").split("&").filter(Boolean);
  }

  function pins(search) {
    const pin = parts(search).find((part) => part.startsWith("pin="));
    return pin ? decodeURIComponent(pin.slice(4)).split(",").filter(Boolean) : [];
  }

  /* The query string after a click on a point: it is pinned, or pinned beside the first (`add`), or released. */
  function pinned(search, id, add) {
    const now = pins(search);
    const has = now.includes(id);
    let next = has && (add || now.length === 1) ? now.filter((pin) => pin !== id) : [id];
    if (add && !has) next = [...now.slice(0, 1), id];
    return withPins(search, next);
  }

  function withPins(search, next) {
    const kept = parts(search).filter((part) => !part.startsWith("pin="));
    const query = next.length ? [...kept, `pin=${next.join(",")}`] : kept;
    return query.length ? `?${query.join("&")}` : "";
  }

  /* Positions at least `gap` apart within low..high, near the wanted ones: the same rule as components/figures/boxes.py. */
  function spread(wanted, gap, low, high) {
    const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b] || a - b);
    const step = Math.min(gap, (high - low) / Math.max(1, order.length - 1));
    const blocks = [];
    order.forEach((index, rank) => {
      blocks.push([wanted[index] - rank * step, 1]);
      while (blocks.length > 1 && blocks[blocks.length - 2][0] > blocks[blocks.length - 1][0]) {
        const [mean, size] = blocks.pop();
        const last = blocks[blocks.length - 1];
        last[0] = (last[0] * last[1] + mean * size) / (last[1] + size);
        last[1] += size;
      }
    });
    const fitted = blocks.flatMap(([mean, size]) => Array(size).fill(mean));
    const most = high - step * (order.length - 1);
    const placed = new Array(wanted.length);
    order.forEach((index, rank) => {
      placed[index] = Math.min(Math.max(fitted[rank], low), most) + rank * step;
    });
    return placed;
  }

  root.agentx = Object.assign(root.agentx || {}, { axisName, nearest, pins, pinned, withPins, spread });
})(typeof window === "undefined" ? module.exports : window);

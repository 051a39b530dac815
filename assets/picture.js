/* The charts as a picture: what is drawn now, with title, scope, key, source and date inside. */
(function (root) {
  "use strict";

  const HEAD = 64;
  const FOOT = 56;

  function text(words, place, size, colour) {
    return { text: words, showarrow: false, xref: "paper", yref: "paper", font: { size, color: colour }, ...place };
  }

  function escaped(words) {
    return words.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  }

  /* The layout of the picture: the chart's own, moved down, with words above and the key below it.

     `size` holds the chart's width and height and, as `beyond`, how far names stick out on its right (px). */
  function pictureLayout(layout, caption, key, size, colours) {
    const { l, r, t, b } = layout.margin;
    const across = size.width - l - r;
    const beyond = size.beyond || 0;
    const place = (left, y, yshift) => ({ x: (left - l) / across, y, xanchor: "left", yanchor: "middle", yshift });
    const words = [
      text(`<b>${escaped(caption.title)}</b>`, place(16, 1, t + HEAD - 24), 18, colours.text),
      text(escaped(caption.subtitle), place(16, 1, t + HEAD - 46), 12, colours.quiet),
      text(escaped(`${caption.source} · ${caption.date}`), place(16, 0, -b - FOOT + 16), 11, colours.quiet),
    ];
    const shapes = [];
    let left = 24;
    const level = -b - 12;
    for (const { words: label, symbol } of key) {
      words.push(text(escaped(label), place(left + 16, 0, level), 12, colours.quiet));
      shapes.push(...symbolShapes(symbol, (left + 2 - l) / across, level, colours));
      left += 36 + label.length * 7;
    }
    return {
      ...layout,
      autosize: false,
      width: size.width + beyond,
      height: size.height + HEAD + FOOT,
      margin: { ...layout.margin, r: r + beyond, t: t + HEAD, b: b + FOOT },
      annotations: [...(layout.annotations || []), ...words],
      shapes: [...(layout.shapes || []), ...shapes],
    };
  }

  /* A mark of the key as shapes of fixed size in pixels; the dashed ring means KV offload. */
  function symbolShapes(symbol, x, y, colours) {
    const shape = (type, radius, extra) => ({
      type,
      xref: "paper",
      yref: "paper",
      xsizemode: "pixel",
      ysizemode: "pixel",
      xanchor: x,
      yanchor: 0,
      x0: -radius,
      x1: radius,
      y0: y - radius,
      y1: y + radius,
      line: { width: 0 },
      ...extra,
    });
    const path = (points) => ({ path: `M${points.map(([px, py]) => `${px},${y + py}`).join("L")}Z`, fillcolor: colours.quiet });
    const solid = { fillcolor: colours.quiet };
    if (symbol === "ring") {
      return [
        shape("circle", 7, { line: { color: colours.quiet, width: 1.2, dash: "2.6px,2px" } }),
        shape("circle", 3.5, solid),
      ];
    }
    if (symbol === "line") return [shape("line", 7, { y0: y, y1: y, line: { color: colours.quiet, width: 1.5 } })];
    if (symbol === "square") return [shape("rect", 3.5, solid)];
    if (symbol === "triangle-up") return [shape("path", 4, path([[-4, -3.5], [4, -3.5], [0, 4]]))];
    if (symbol === "diamond") return [shape("path", 4, path([[-4.5, 0], [0, 4.5], [4.5, 0], [0, -4.5]]))];
    return [shape("circle", 3.75, solid)];
  }

  root.agentx = Object.assign(root.agentx || {}, { pictureLayout });
  if (typeof document === "undefined") return;

  function colours() {
    const style = window.getComputedStyle(document.documentElement);
    return { text: style.getPropertyValue("--text").trim(), quiet: style.getPropertyValue("--text-2").trim() };
  }

  /* A page lets names run into the margin of its card; a picture ends where its layout ends. */
  function beyond(gd) {
    const edge = gd.getBoundingClientRect().right;
    const rights = [...gd.querySelectorAll(".annotation-text-g")].map((name) => name.getBoundingClientRect().right);
    return Math.max(0, Math.ceil(Math.max(edge, ...rights) - edge + (rights.some((right) => right > edge - 8) ? 8 : 0)));
  }

  async function save(kind) {
    const gd = document.querySelector(".js-plotly-plot");
    if (!gd) return;
    const { caption, key } = gd.layout.meta;
    const size = { width: gd.clientWidth, height: gd.clientHeight, beyond: beyond(gd) };
    const layout = pictureLayout(gd.layout, caption, key, size, colours());
    const figure = { data: gd.data, layout, config: { displayModeBar: false } };
    const image = await window.Plotly.toImage(figure, { format: kind, width: layout.width, height: layout.height, scale: kind === "png" ? 2 : 1 });
    const link = document.createElement("a");
    link.href = image;
    link.download = `${caption.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.${kind}`;
    link.click();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (button) save(button.dataset.picture);
  });
})(typeof window === "undefined" ? module.exports : window);

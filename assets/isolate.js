/* One curve alone: the others fade at once, without a round trip and without drawing the chart anew. */
(function () {
  "use strict";

  const agentx = (window.agentx = window.agentx || {});
  const SVG = "http://www.w3.org/2000/svg";

  function isolate(gd, key) {
    gd.classList.toggle("isolating", key !== null);
    for (const drawn of gd.querySelectorAll(".scatterlayer > .trace")) {
      const { series, role } = drawn.__data__[0].trace.meta || {};
      drawn.classList.toggle("faded", key !== null && series !== key && role !== "pin");
    }
    drawOver(gd, key);
  }

  /* A grey curve shares its traces with others like it: it is drawn once more, above them, in its own colour. */
  function drawOver(gd, key) {
    gd.querySelector(".curve-over")?.remove();
    const pieces = key === null ? [] : gd._fullData.map((trace) => [trace, trace.meta?.parts?.find(([part]) => part === key)]);
    const shared = pieces.filter(([trace, part]) => part && part[1] < part[2] && trace.meta.role === "line");
    const marks = pieces.filter(([trace, part]) => part && trace.meta.role === "mark");
    if (!shared.length && !marks.length) return;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", `curve-over hw-${key.split(".")[0]}`);
    for (const [trace, part] of shared) svg.append(shape("path", { d: pathOf(gd, trace, part) }));
    for (const [trace, part] of marks) svg.append(...dotsOf(gd, trace, part));
    gd.append(svg);
  }

  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  /* Places of a part of a trace in pixels of the graph; NaN where the line pauses. */
  function placesOf(gd, trace, [, start, end]) {
    const xaxis = gd._fullLayout[agentx.axisName(trace.xaxis)];
    const yaxis = gd._fullLayout[agentx.axisName(trace.yaxis)];
    const places = [];
    for (let index = start; index < Math.min(end, trace.x.length); index += 1) {
      places.push([xaxis._offset + xaxis.d2p(trace.x[index]), yaxis._offset + yaxis.d2p(trace.y[index])]);
    }
    return places;
  }

  function pathOf(gd, trace, part) {
    let pen = "M";
    return placesOf(gd, trace, part)
      .map(([x, y]) => {
        if (!Number.isFinite(x) || !Number.isFinite(y)) {
          pen = "M";
          return "";
        }
        const step = `${pen}${x.toFixed(1)},${y.toFixed(1)}`;
        pen = "L";
        return step;
      })
      .join("");
  }

  function dotsOf(gd, trace, part) {
    return placesOf(gd, trace, part).map(([cx, cy]) => shape("circle", { cx, cy, r: 3.75 }));
  }

  agentx.isolate = isolate;
})();

/* Names in the margin follow the marks that are still in sight when the reader zooms. */
(function () {
  "use strict";

  const agentx = (window.agentx = window.agentx || {});

  function lastInSight(gd, key, annotation) {
    const trace = gd._fullData.find((one) => one.meta?.series === key && one.meta.role === "mark" && one.xaxis === annotation.xref && one.yaxis === annotation.yref);
    if (!trace) return null;
    const xaxis = gd._fullLayout[agentx.axisName(trace.xaxis)];
    const yaxis = gd._fullLayout[agentx.axisName(trace.yaxis)];
    let last = null;
    for (let index = 0; index < trace.x.length; index += 1) {
      const left = xaxis.d2p(trace.x[index]);
      const top = yaxis.d2p(trace.y[index]);
      if (left < 0 || top < 0 || left > xaxis._length || top > yaxis._length) continue;
      if (!last || left > last.left) last = { left, top, x: trace.x[index], y: trace.y[index], xaxis, yaxis };
    }
    return last;
  }

  function inner(axis, value) {
    return axis.type === "log" ? Math.log10(value) : value;
  }

  function moveNames(gd) {
    const names = gd.layout.annotations
      .map((annotation, place) => ({ annotation, place, key: (annotation.name || "").replace(/^label:/, "") }))
      .filter(({ annotation }) => annotation.showarrow && annotation.name?.startsWith("label:"));
    const seen = names.map((name) => ({ ...name, end: lastInSight(gd, name.key, name.annotation) }));
    const shown = seen.filter(({ end }) => end);
    const tops = shown.length ? agentx.spread(shown.map(({ end }) => end.top), 15, 6, shown[0].end.yaxis._length - 6) : [];
    const change = {};
    for (const { place, end } of seen) change[`annotations[${place}].visible`] = Boolean(end);
    shown.forEach(({ place, end }, index) => {
      change[`annotations[${place}].x`] = inner(end.xaxis, end.x);
      change[`annotations[${place}].y`] = inner(end.yaxis, end.y);
      change[`annotations[${place}].ax`] = end.xaxis.range[1];
      change[`annotations[${place}].ay`] = end.yaxis.p2l(tops[index]);
    });
    if (Object.keys(change).length) window.Plotly.relayout(gd, change);
  }

  agentx.moveNames = moveNames;
})();

/* The curves in the page: tip at a mark, click to pin, legend fade, zoom with names that follow, the table after the first paint. */
(function () {
  "use strict";

  const agentx = (window.agentx = window.agentx || {});
  const CLICK = 4;
  let view = null;
  let library = null;

  function graph() {
    return document.querySelector(".graph-box .js-plotly-plot");
  }

  /* ---- the marks that are drawn, in pixels of the graph ---- */

  function marksOf(gd) {
    const xs = [];
    const ys = [];
    const owners = [];
    for (const trace of gd._fullData) {
      const role = trace.meta && trace.meta.role;
      if (role !== "mark" && role !== "dominated") continue;
      const xaxis = gd._fullLayout[agentx.axisName(trace.xaxis)];
      const yaxis = gd._fullLayout[agentx.axisName(trace.yaxis)];
      for (let index = 0; index < trace.x.length; index += 1) {
        const x = xaxis.d2p(trace.x[index]);
        const y = yaxis.d2p(trace.y[index]);
        if (x < -1 || y < -1 || x > xaxis._length + 1 || y > yaxis._length + 1) continue;
        xs.push(xaxis._offset + x);
        ys.push(yaxis._offset + y);
        owners.push({ trace, index });
      }
    }
    return { xs, ys, owners };
  }

  function markAt(event) {
    const gd = view && view.gd;
    if (!gd || !gd.isConnected || !gd.contains(event.target)) return null;
    const box = gd.getBoundingClientRect();
    view.marks = view.marks || marksOf(gd);
    const { xs, ys, owners } = view.marks;
    const found = agentx.nearest(xs, ys, event.clientX - box.left, event.clientY - box.top);
    if (found < 0) return null;
    const { trace, index } = owners[found];
    return { trace, index, id: trace.customdata[index], left: xs[found] + box.left, top: ys[found] + box.top };
  }

  /* ---- tip ---- */

  function element(name, className, text) {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function tipFor(mark) {
    const meta = view.gd.layout.meta;
    if (view.ids !== meta.hover.ids) {
      view.ids = meta.hover.ids;
      view.places = new Map(view.ids.map((id, place) => [id, place]));
    }
    const place = view.places.get(mark.id);
    const series = meta.series[meta.hover.series[place]];
    const lines = meta.hover.lines.map(({ words, codes }) => words[codes[place]]).filter(Boolean);
    const parts = [element("div", "tip-name", [series.hardware, series.engine, series.precision].join(" "))];
    if (series.qualifiers) parts.push(element("div", "tip-line", series.qualifiers));
    parts.push(figures(mark, meta.axes), ...lines.map((line) => element("div", "tip-line", line)));
    if (meta.notice) parts.push(element("div", "tip-badge", meta.notice));
    return parts;
  }

  function figures(mark, axes) {
    const list = element("dl", "tip-figures", "");
    const rows = [
      [mark.trace.y[mark.index], axes[axes.length - 1]],
      [mark.trace.x[mark.index], axes[mark.trace.meta.panel]],
    ];
    for (const [value, { quantity, unit }] of rows) {
      list.append(element("dt", "", agentx.format.figure(value, unit)), element("dd", "", quantity));
    }
    return list;
  }

  function tipElement() {
    const found = document.getElementById("curves-tip");
    if (found) return found;
    const made = element("div", "tip", "");
    made.id = "curves-tip";
    made.setAttribute("role", "tooltip");
    document.body.append(made);
    return made;
  }

  function showTip(mark) {
    const tip = tipElement();
    if (!mark) {
      tip.hidden = true;
      view.shown = null;
      return;
    }
    if (view.shown === mark.trace.uid + mark.index) return;
    view.shown = mark.trace.uid + mark.index;
    tip.replaceChildren(...tipFor(mark));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const right = mark.left + 16 + width < window.innerWidth;
    const left = Math.max(4, right ? mark.left + 16 : mark.left - 16 - width);
    const top = Math.min(Math.max(4, mark.top - height / 2), window.innerHeight - height - 4);
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  document.addEventListener("pointermove", (event) => {
    if (!view) return;
    const mark = event.buttons ? null : markAt(event);
    if (event.target.classList?.contains("nsewdrag")) event.target.classList.toggle("on-mark", Boolean(mark));
    showTip(mark);
  });

  /* ---- click pins, a click beside every mark releases, a double click shows everything again ---- */

  let pressed = null;
  let comparing = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-compare]");
    if (!button) return;
    comparing = true;
    button.textContent = "Now click another point";
  });
  window.addEventListener("pointerdown", (event) => {
    pressed = view && view.gd.contains(event.target) ? { x: event.clientX, y: event.clientY, mark: markAt(event) } : null;
  }, true);
  window.addEventListener("pointerup", (event) => {
    const start = pressed;
    pressed = null;
    if (!start || event.button !== 0 || Math.hypot(event.clientX - start.x, event.clientY - start.y) > CLICK) return;
    if (!document.getElementById("curves-graph")) return;
    const search = window.location.search;
    const add = comparing || event.shiftKey || event.ctrlKey || event.metaKey;
    comparing = false;
    view.reveal = Boolean(start.mark);
    if (start.mark) agentx.follow(window.location.pathname + agentx.pinned(search, start.mark.id, add));
    else if (agentx.pins(search).length) agentx.follow(window.location.pathname + agentx.withPins(search, []));
  }, true);

  /* On a narrow window the panel is a sheet at the bottom: the point moves above it. */
  function reveal(gd) {
    const panel = document.getElementById("curves-panel");
    const ring = gd._fullData.find(({ meta, marker }) => meta?.role === "pin" && marker?.size > 20);
    if (!panel || !ring || window.getComputedStyle(panel).position !== "fixed") return;
    const yaxis = gd._fullLayout[agentx.axisName(ring.yaxis)];
    const top = gd.getBoundingClientRect().top + yaxis._offset + yaxis.d2p(ring.y[0]);
    if (top < 60 || top > panel.getBoundingClientRect().top - 40) window.scrollBy({ top: top - window.innerHeight * 0.25 });
  }

  /* ---- legend: hover isolates ---- */

  function isolateUnder(event) {
    if (!view || !view.gd.isConnected) return;
    const row = event.target.closest?.(".legend-row:not(.off)");
    const key = row ? row.dataset.series : null;
    if (key === view.isolated) return;
    view.isolated = key;
    agentx.isolate(view.gd, key);
  }

  document.addEventListener("pointerover", isolateUnder);
  document.addEventListener("focusin", isolateUnder);

  /* ---- zoom ---- */

  /* A double click shows everything again. Plotly would find ranges of its own; the figure brings the whole ones, and
     url-sync.js takes them for no zoom. */
  function showWhole(gd) {
    window.Plotly.relayout(gd, structuredClone(gd.layout.meta.home));
  }

  function zoomed(change) {
    return Object.keys(change).some((key) => /axis\d*\.(range|autorange)/.test(key));
  }

  /* ---- life of the graph ---- */

  function wire(gd) {
    view = { gd, marks: null, ids: null, places: null, shown: null, isolated: null };
    gd.on("plotly_afterplot", () => {
      const box = gd.closest(".graph-box");
      if (box.classList.contains("single") === Boolean(gd.layout.xaxis2)) box.classList.toggle("single");
      view.marks = null;
      view.shown = null;
      if (view.reveal && agentx.pins(window.location.search).length) window.setTimeout(reveal, 50, gd);
      view.reveal = false;
    });
    gd.on("plotly_relayout", (change) => {
      if (zoomed(change)) agentx.moveNames(gd);
    });
    gd.on("plotly_doubleclick", () => window.setTimeout(showWhole, 0, gd));
    window.requestAnimationFrame(() => window.setTimeout(fetchTable));
  }

  /* The table's library is larger than the page: it comes when the curves are painted. */
  function gridLibrary(source) {
    library = library || new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = resolve;
      document.head.append(script);
    });
    return library;
  }

  async function fetchTable() {
    const table = document.getElementById("curves-table");
    if (!table) return;
    await gridLibrary(table.dataset.gridScript);
    window.dash_clientside.set_props("curves-painted", { data: true });
  }

  new MutationObserver(() => {
    const gd = graph();
    if (gd && gd._fullLayout && gd.on && (!view || view.gd !== gd)) wire(gd);
  }).observe(document.documentElement, { childList: true, subtree: true });
})();

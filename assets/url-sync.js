/* The only writer of the address bar on the Curves page.
 *
 * Every control is a link to the view it leads to. A plain click becomes history.pushState and one change of the store
 * "curves-query", which one server callback answers. Back and forward do the same. Zoom only replaces the address.
 * Without this file each link still works, as an ordinary page load.
 */
(function () {
  "use strict";

  /** Parameters whose change moves an axis away from under its zoom. */
  const ENDS_X = ["model", "scenario", "x", "xs", "stat"];
  const ENDS_Y = ["model", "scenario", "y", "ys", "tier", "price"];
  const ZOOMS = { zx: ENDS_X, zx2: ENDS_X, zy: ENDS_Y };
  const AXES = { xaxis: "zx", xaxis2: "zx2", yaxis: "zy" };

  /** "?a=1&b=2" as an ordered list of [name, text as written]; the text stays percent-encoded. */
  function pairs(search) {
    return search
      .replace(/^\?/, "")
      .split("&")
      .filter(Boolean)
      .map((part) => {
        const cut = part.indexOf("=");
        return cut < 0 ? [part, ""] : [part.slice(0, cut), part.slice(cut + 1)];
      });
  }

  function search(list) {
    return list.length ? "?" + list.map(([name, text]) => name + "=" + text).join("&") : "";
  }

  /** The same query with some zooms set (text) or taken away (null), in the order in which the server writes them. */
  function withZoom(query, changes) {
    const zooms = new Map();
    const others = [];
    const theme = [];
    for (const [name, text] of pairs(query)) {
      if (name in ZOOMS) zooms.set(name, text);
      else (name === "theme" ? theme : others).push([name, text]);
    }
    for (const [name, text] of Object.entries(changes)) {
      if (text === null) zooms.delete(name);
      else zooms.set(name, text);
    }
    const ordered = Object.keys(ZOOMS).filter((name) => zooms.has(name));
    return search([...others, ...ordered.map((name) => [name, zooms.get(name)]), ...theme]);
  }

  /** Where a control leads, with the zoom of the current view where it still makes sense. */
  function carryZoom(from, to) {
    const before = new Map(pairs(from));
    const after = new Map(pairs(to));
    const carried = {};
    for (const [zoom, ends] of Object.entries(ZOOMS)) {
      const moved = ends.some((name) => before.get(name) !== after.get(name));
      carried[zoom] = before.has(zoom) && !moved ? before.get(zoom) : null;
    }
    return withZoom(to, carried);
  }

  function number(value) {
    return String(Number(value.toPrecision(4)));
  }

  function near(one, other) {
    return one.every((end, index) => Math.abs(end - other[index]) <= 1e-3 * Math.abs(one[1] - one[0]));
  }

  /** The zoom parameters of axes as they stand: text for a zoomed axis, null for one that shows its whole view.
   *
   * `ranges` and `home` hold plotly's ranges by axis (log10 on a log axis), `isLog` tells which axes are such.
   * What the address already says is kept to the letter.
   */
  function zoomOf(ranges, home, isLog, query) {
    const written = new Map(pairs(query));
    const changes = {};
    for (const [axis, parameter] of Object.entries(AXES)) {
      const range = ranges[axis];
      if (!range || !home[axis]) continue;
      const outer = (end) => (isLog(axis) ? 10 ** end : end);
      const said = (written.get(parameter) || "").split("..").map(Number);
      if (near(range, home[axis])) changes[parameter] = null;
      else if (said.length === 2 && near(range.map(outer), said)) changes[parameter] = written.get(parameter);
      else changes[parameter] = range.map((end) => number(outer(end))).join("..");
    }
    return changes;
  }

  /** The query with the model and scenario of `scope` in front, unless it names another model. */
  function withScope(query, scope) {
    const named = new Map(pairs(query));
    const own = pairs(scope);
    if (own.some(([name, text]) => named.has(name) && named.get(name) !== text)) return search(pairs(query));
    return search([...own, ...pairs(query).filter(([name]) => !own.some(([same]) => same === name))]);
  }

  if (typeof module !== "undefined" && module.exports) {
    module.exports = { pairs, withZoom, carryZoom, zoomOf, withScope };
    return;
  }

  const CURVES = "/";
  let shown = window.location.pathname;

  function onCurves() {
    return document.getElementById("curves-graph") !== null;
  }

  /** Model and scenario on the screen: the bare address leaves them to the store, a shared one names them. */
  function scope() {
    const told = document.getElementById("curves-scope");
    return told ? told.textContent : "";
  }

  function show(query) {
    window.dash_clientside.set_props("curves-query", { data: query });
  }

  function replace(query) {
    if (query !== window.location.search) window.history.replaceState(window.history.state, "", CURVES + query);
  }

  /** Go to a view of the page that is open: one history entry, one computation, no reload. */
  function go(href) {
    const target = new URL(href, window.location.href);
    if (target.origin !== window.location.origin || target.pathname !== CURVES) {
      window.location.assign(target.href);
      return;
    }
    const query = target.search ? withScope(carryZoom(window.location.search, target.search), scope()) : "";
    if (query === withScope(window.location.search, scope())) {
      replace(query);
      return;
    }
    window.history.pushState({}, "", CURVES + query);
    show(query);
  }

  function plainClick(event) {
    return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-view]");
    if (!link || event.defaultPrevented || !plainClick(event) || !onCurves()) return;
    event.preventDefault();
    go(link.href);
  });

  /* What is copied opens this very view next month too, whatever the store shows first by then. */
  document.addEventListener(
    "click",
    (event) => {
      if (event.target.closest("#copy-link") && onCurves()) replace(withScope(window.location.search, scope()));
    },
    true,
  );

  /* A link to a point or configuration takes the present view along, zoom included, for the way back. */
  function addOrigin(event) {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!link || !onCurves() || link.origin !== window.location.origin) return;
    if (!/^\/(point|config)\//.test(link.pathname)) return;
    const target = new URL(link.href);
    target.searchParams.set("from", withScope(window.location.search, scope()).slice(1));
    link.href = target.href;
  }
  for (const kind of ["pointerdown", "keydown", "focusin"]) document.addEventListener(kind, addOrigin, true);

  /* Dash's own listener comes later and would rebuild the page; it only sees the steps that leave or enter Curves. */
  window.addEventListener("popstate", (event) => {
    const stays = shown === CURVES && window.location.pathname === CURVES && onCurves();
    shown = window.location.pathname;
    if (!stays) return;
    event.stopImmediatePropagation();
    show(window.location.search);
  });
  window.addEventListener("_dashprivate_pushstate", () => {
    shown = window.location.pathname;
  });

  /* An address with an anchor: Dash writes the page after the browser has looked for it. */
  function seek(id, frames) {
    const found = document.getElementById(id);
    if (found) found.scrollIntoView();
    else if (frames > 0) requestAnimationFrame(() => seek(id, frames - 1));
  }
  if (window.location.hash) seek(window.location.hash.slice(1), 600);

  const clientside = (window.dash_clientside = window.dash_clientside || {});
  clientside.curves = {
    titled(title) {
      document.title = title;
      return clientside.no_update;
    },
    /** A link that names only its model gets the scenario that the store chose for it. */
    scoped(told) {
      if (window.location.search) replace(withScope(window.location.search, told));
      return clientside.no_update;
    },
    /** A zoom is kept in the address and computes nothing. It is read from the chart: events come bundled. */
    zoomed() {
      const graph = document.querySelector("#curves-graph .js-plotly-plot");
      const home = graph && graph.layout && graph.layout.meta && graph.layout.meta.home;
      if (!home) return clientside.no_update;
      const axes = Object.keys(AXES).filter((axis) => graph._fullLayout[axis]);
      const ranges = Object.fromEntries(axes.map((axis) => [axis, graph._fullLayout[axis].range]));
      const whole = Object.fromEntries(axes.map((axis) => [axis, home[axis + ".range"]]));
      const isLog = (axis) => graph._fullLayout[axis].type === "log";
      const query = withZoom(window.location.search, zoomOf(ranges, whole, isLog, window.location.search));
      if (query !== window.location.search) replace(withScope(query, scope()));
      return clientside.no_update;
    },
  };
})();

/* The instrument of a point's page: panels on one time axis, a window that all of them share, and the requests behind it. */

import { fetched, replaceAddress } from "./page-address.js";
import { Overview, windowBar, written } from "./panels-bar.js";
import { ordered, stepped } from "./panels-axis.js";
import { added, PanelChart } from "./panels-chart.js";
import { decode } from "./panels-data.js";
import { colours } from "./panels-draw.js";
import { RequestScatter } from "./panels-scatter.js";
import { fillRail, fillStatistics } from "./panels-rail.js";

const FIRST = { phase: "profiling", kind: null, roll: "60", line: "p90", trim: null, scatter: null };
const ASKED_WITH = ["kind", "roll", "line"];
const DRAWN_WITH = [...ASKED_WITH, "zoom"];
const SCATTERED_WITH = ["scatter", "phase", "kind"];
const CLICK_PX = 4;

function range(text) {
  const ends = (text || "").split("..").map(Number);
  return ends.length === 2 && ends.every(Number.isFinite) ? ends : null;
}

/** What the address says of the view. */
function fromAddress() {
  const said = new URLSearchParams(window.location.search);
  const view = Object.fromEntries(Object.entries(FIRST).map(([name, first]) => [name, said.get(name) || first]));
  return { ...view, trim: range(view.trim), window: range(said.get("window")), zoomed: range(said.get("zoom")) };
}

class Instrument {
  constructor(element) {
    this.element = element;
    this.data = element.dataset;
    this.view = { ...fromAddress(), span: [0, 1], zoom: [0, 1], phases: {}, cursor: null, dragged: null };
    this.charts = [];
    this.told = null;
    this.ending = new AbortController();
    this.part = (name) => element.querySelector(`[data-part="${name}"]`);
    this.bar = windowBar(this.part("bar"), { set: (changes) => this.set(changes), clear: () => this.clear() }, this.data.timeline);
    this.overview = new Overview(this.part("overview"));
    this.scatter = this.data.scatter ? new RequestScatter(this.part("scatter"), this.shared) : null;
    this.listen();
    this.load();
  }

  get shared() {
    return {
      format: window.agentx.format,
      tints: () => (this.tints ||= colours()),
      view: this.view,
      label: this.data.label,
      caption: this.data.caption,
      pointId: this.data.point,
      set: (changes) => this.set(changes),
      fetched: (url, read) => fetched(url, read, this.ending.signal),
      scatterUrl: (ending) => this.address(`${this.data.scatter}${ending}`, SCATTERED_WITH),
      fileUrl: (key, kind) => this.address(`${this.data.panels}/${key}.${kind}`, ASKED_WITH),
    };
  }

  /** A data address with those parameters of the page's own that are set. */
  address(path, names) {
    const said = new URLSearchParams(window.location.search);
    const kept = names.filter((name) => said.has(name)).map((name) => `${name}=${encodeURIComponent(said.get(name))}`);
    return kept.length ? `${path}?${kept.join("&")}` : path;
  }

  async load() {
    const url = this.address(this.data.panels, DRAWN_WITH);
    this.asked = url;
    try {
      const beside = Promise.all([this.loadWindow(), this.scatter && !this.scatter.dots ? this.scatter.load() : null]);
      beside.catch(() => {}); // told below, after the panels
      const found = decode(await fetched(url, (answer) => answer.arrayBuffer(), this.ending.signal));
      if (this.asked !== url) return;
      this.show(found);
      await beside;
    } catch (error) {
      if (error.name !== "AbortError") this.fail(error);
    }
  }

  fail(error) {
    const place = this.part("panels");
    if (!place.querySelector(".run-trouble")) added(place, "p", "run-trouble", { role: "alert" });
    place.querySelector(".run-trouble").textContent = `The panels could not be loaded. ${error.message}`;
  }

  show(found) {
    Object.assign(this.view, { span: found.span, phases: found.phases });
    this.place();
    const host = this.part("panels");
    if (!this.charts.length) this.build(host, found);
    found.panels.forEach((panel, place) => this.charts[place].set(panel));
    if (!this.inFlight || !this.view.zoomed) this.inFlight = found.panels.find((panel) => panel.key === "queue_depth")?.lines.find((line) => line.step);
    this.clockNote(found.overlap);
    this.redraw();
    this.element.dataset.ready = "1";
  }

  build(host, found) {
    this.charts = found.specs.map((spec) => new PanelChart(host, spec, this.shared));
    const sizes = new ResizeObserver(() => this.redraw());
    for (const chart of this.charts) sizes.observe(chart.box);
    sizes.observe(this.overview.box);
    if (this.scatter) sizes.observe(this.scatter.box);
    this.ending.signal.addEventListener("abort", () => sizes.disconnect());
    for (const chart of this.charts) if (chart.overTime) this.brush(chart.box, (event) => chart.momentAt(event));
  }

  clockNote(overlap) {
    const note = this.part("clock");
    note.hidden = !(overlap !== null && overlap < 0.9);
    if (!note.hidden) note.textContent = `Server samples cover ${Math.round(overlap * 100)} % of the time of the requests: the clocks differ, or one of them stopped. Panels of both are aligned by absolute time.`;
  }

  /** The part of the axis that the panels show. */
  place() {
    const { zoomed, span } = this.view;
    this.view.zoom = zoomed && zoomed[1] > zoomed[0] ? zoomed : span;
  }

  redraw() {
    for (const chart of this.charts) chart.draw();
    this.overview.draw(this.view, this.inFlight, this.shared.tints());
    this.scatter?.draw();
    this.still(() => this.bar(this.view, this.told));
  }

  redrawAbove(wanted) {
    for (const chart of this.charts.filter(wanted)) chart.drawAbove();
    this.overview.drawAbove(this.view, this.shared.tints());
  }

  async loadWindow() {
    const url = this.address(this.data.window, ["window", "phase", "kind", "trim"]);
    this.askedWindow = url;
    const told = await fetched(url, (answer) => answer.json(), this.ending.signal);
    if (this.askedWindow !== url) return;
    this.told = told;
    fillRail(this.part("rail"), told, this.view, window.agentx.format);
    this.still(() => fillStatistics(this.part("statistics"), told, this.view));
    this.still(() => this.bar(this.view, told));
  }

  /** Does something above the panels; they stay where they are on the screen. */
  still(change) {
    const panels = this.part("panels");
    const before = panels.getBoundingClientRect().top;
    change();
    if (window.scrollY > 0) window.scrollBy({ top: panels.getBoundingClientRect().top - before, behavior: "instant" });
  }

  /** Changes of the view go into the address first; what is drawn follows from it. */
  set(changes) {
    replaceAddress(changes, FIRST);
    Object.assign(this.view, fromAddress());
    this.place();
    if (this.scatter && SCATTERED_WITH.some((name) => name in changes)) this.scatter.load().catch((error) => error.name === "AbortError" || this.fail(error));
    const asks = Object.keys(changes).some((name) => name !== "scatter");
    if (!asks) return;
    if (ASKED_WITH.some((name) => name in changes)) this.load();
    else if ("zoom" in changes) {
      this.redraw();
      this.load();
    } else {
      if ("phase" in changes) for (const chart of this.charts) if (!chart.overTime) chart.set(chart.panel);
      this.redraw();
      this.loadWindow().catch((error) => error.name === "AbortError" || this.fail(error));
    }
  }

  clear() {
    this.set({ window: null, zoom: null });
  }

  /** Dragging over a box sets the window, with shift it zooms; a pointer over it moves the cursor of all panels. */
  brush(box, momentAt) {
    const { signal } = this.ending;
    let from = null;
    let began = 0;
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || (from = momentAt(event)) === null) return;
      began = event.clientX;
      box.setPointerCapture(event.pointerId);
    }, { signal });
    box.addEventListener("pointermove", (event) => {
      const moment = momentAt(event);
      this.view.cursor = moment;
      if (from !== null && moment !== null && Math.abs(event.clientX - began) >= CLICK_PX) this.view.dragged = ordered(from, moment, this.view.span);
      this.soon();
    }, { signal });
    box.addEventListener("pointerup", (event) => {
      const { dragged } = this.view;
      from = null;
      this.view.dragged = null;
      if (dragged) this.set(event.shiftKey ? { zoom: written(dragged) } : { window: written(dragged) });
    }, { signal });
    box.addEventListener("pointercancel", () => {
      from = null;
      this.view.dragged = null;
      this.soon();
    }, { signal });
    box.addEventListener("pointerleave", () => {
      this.view.cursor = null;
      this.soon();
    }, { signal });
    box.addEventListener("dblclick", () => this.clear(), { signal });
  }

  soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.redrawAbove((chart) => chart.inSight);
    });
  }

  listen() {
    const { signal } = this.ending;
    this.brush(this.overview.box, (event) => this.overview.momentAt(event, this.view));
    this.overview.box.addEventListener("keydown", (event) => this.key(event), { signal });
    const themes = new MutationObserver(() => {
      this.tints = null;
      this.redraw();
    });
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-bs-theme"] });
    signal.addEventListener("abort", () => themes.disconnect());
  }

  key(event) {
    const { view } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.clear();
    else if (event.key === "+" || event.key === "-") this.zoomBy(event.key === "+" ? 0.5 : 2);
    else {
      const moved = stepped(event.key, event.shiftKey, view.window, view.span);
      if (!moved) return;
      this.set({ window: written(moved) });
    }
    event.preventDefault();
  }

  zoomBy(factor) {
    const { zoom, span, window: chosen } = this.view;
    const middle = chosen ? (chosen[0] + chosen[1]) / 2 : (zoom[0] + zoom[1]) / 2;
    const half = ((zoom[1] - zoom[0]) * factor) / 2;
    const next = ordered(middle - half, middle + half, span);
    this.set({ zoom: next[1] - next[0] >= (span[1] - span[0]) * 0.999 ? null : written(next) });
  }
}

/** Starts the instrument in its element; what is returned ends it. */
export default function start(element) {
  const instrument = new Instrument(element);
  return () => instrument.ending.abort();
}

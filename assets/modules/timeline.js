/* The timeline of a point: every request in its lane. One state, which the address holds; all that is drawn follows from it. */

import { addressWith, fetched, replaceAddress } from "./page-address.js";
import { LaneModel, rowsOf } from "./lanes-model.js";
import { LaneView, token } from "./lanes-view.js";
import { HATCH, OUTLINE } from "./lanes-draw.js";
import { step as tickStep } from "./lanes-geometry.js";
import { clock, ordered } from "./panels-axis.js";
import { Overview, written } from "./panels-bar.js";
import { added } from "./panels-chart.js";
import { decode, valueAt } from "./panels-data.js";
import { colours, sized } from "./panels-draw.js";
import { timelineBar } from "./timeline-bar.js";
import { described, fillCard, nameOf } from "./timeline-card.js";
import { CANCELLED_TONE, coloured, DIM, FAILED_TONE, fills, WAIT_TONE } from "./timeline-colour.js";
import { CANCELLED, completedEnds, countUpTo, FAILED, inFlight, Run, thinned } from "./timeline-data.js";
import { shownBars, span } from "./timeline-filter.js";
import { conversationRows, edgesOf, workerRows } from "./timeline-rows.js";

const FIRST = { rows: "conversation", sort: "start", colour: "cached" };
const SECOND = 1e9;
const ROW_PX = 20;
const LEFT_PX = 260;
const NARROW_LEFT_PX = 132;
const NARROW_PX = 700;
/** Changes of the in-flight line in a window above which it is drawn by cells of the whole run. */
const MANY_CHANGES = 65536;
const COARSE_CELLS = 16384;
const OVERVIEW_CELLS = 600;

function fromAddress() {
  const said = new URLSearchParams(window.location.search);
  const many = (name) => (said.get(name) || "").split(",").filter(Boolean);
  const view = { q: said.get("q"), request: said.get("request"), window: span(said.get("window")), table: said.has("table") };
  for (const [name, first] of Object.entries(FIRST)) view[name] = said.get(name) || first;
  for (const name of ["phase", "kind", "status", "unfold"]) view[name] = many(name);
  for (const name of ["duration", "ttft", "isl", "cached"]) view[name] = span(said.get(name));
  return view;
}

class Timeline {
  constructor(element) {
    this.element = element;
    this.data = element.dataset;
    this.view = fromAddress();
    this.format = window.agentx.format;
    this.ending = new AbortController();
    this.part = (name) => element.querySelector(`[data-part="${name}"]`);
    this.load().catch((error) => error.name === "AbortError" || this.fail(error));
  }

  fail(error) {
    this.part("lanes").replaceChildren();
    added(this.part("lanes"), "p", "run-trouble", { role: "alert" }, `The timeline could not be loaded. ${error.message}`);
  }

  async load() {
    const run = new Run(await fetched(this.data.columns, (answer) => answer.arrayBuffer(), this.ending.signal));
    this.run = run;
    this.flight = inFlight(run);
    this.coarseFlight = thinned(this.flight, COARSE_CELLS);
    const seen = thinned(this.flight, OVERVIEW_CELLS);
    this.overviewLine = { t: seen.t.map((ns) => ns / SECOND), v: seen.v };
    this.ended = completedEnds(run);
    this.build();
    this.arrange();
    this.element.dataset.ready = "1";
    run.ids = (await fetched(this.data.ids, (answer) => answer.text(), this.ending.signal)).split("\n");
    if (this.view.q) this.arrange();
    this.select(this.view.request ? run.ids.indexOf(this.view.request) : -1, true);
    if (this.data.series) this.servers = await fetched(this.data.series, (answer) => answer.arrayBuffer(), this.ending.signal).then(decode, () => null);
    this.drawStrip();
    this.element.dataset.complete = "1";
  }

  build() {
    const { run } = this;
    this.bar = timelineBar(this.part("bar"), (changes) => this.set(changes), (kind) => this.exportUrl(kind));
    this.overview = new Overview(this.part("overview"));
    this.strip = this.part("strip");
    this.readout = added(this.strip, "div", "strip-readout", { "aria-hidden": "true" });
    this.stripBox = added(this.strip, "div", "strip-box");
    this.stripCanvas = added(this.stripBox, "canvas", "", { role: "img", "aria-label": "Requests in flight over the time shown" });
    this.card = added(this.element, "div", "timeline-card", { hidden: "" });
    this.lanes = new LaneView(this.part("lanes"), {
      whole: run.whole,
      wheel: "zoom",
      leftWidth: this.leftWidth,
      firstColumn: "Conversation",
      leftColumns: this.narrow ? [{ title: "n", width: 36 }] : [{ title: "n", width: 44 }, { title: "max TTFT", width: 76 }],
      label: `${run.count} requests in lanes`,
      step: (width, count) => this.step(width, count),
      format: (value, size) => clock(value / SECOND, size / SECOND),
      formatExact: (value, size) => clock(value / SECOND, Math.max(size / SECOND / 100, 1e-3)),
      colours: () => fills(token),
      segments: (bar, out) => this.segments(bar, out),
      fill: (bar) => this.fillOf(bar),
      ground: (raster, view) => this.ground(raster, view),
      finish: (context, view) => this.edges(context, view),
      href: (bar) => this.turnUrl(bar) || this.requestUrl(bar),
      describe: (bar) => described(run, bar, this.format),
      onHover: (bar, point) => this.hovered(bar, point),
      onFocus: (bar) => bar >= 0 && this.select(bar, false),
      onClick: (event, bar) => this.clicked(event, bar),
      onFold: (row) => this.fold(row),
      onWindow: (shown) => this.moved(shown),
      onKey: (event) => this.key(event),
    });
    this.overviewInput();
    const sizes = new ResizeObserver(() => this.redraw());
    for (const box of [this.overview.box, this.stripBox]) sizes.observe(box);
    const themes = new MutationObserver(() => {
      this.tints = null;
      this.redraw();
    });
    themes.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    this.ending.signal.addEventListener("abort", () => {
      sizes.disconnect();
      themes.disconnect();
      this.lanes.stop();
    });
    const { window: shown } = this.view;
    if (shown) this.lanes.setWindow(shown.map((second) => second * SECOND));
    this.phaseBounds();
  }

  get narrow() {
    return this.element.clientWidth < NARROW_PX;
  }

  get leftWidth() {
    return this.narrow ? NARROW_LEFT_PX : LEFT_PX;
  }

  /** Ticks of time are round as clocks are: 15 s, 1 min, 5 min. */
  step(width, count) {
    const seconds = width / SECOND / Math.max(count, 1);
    const round = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400].find((one) => one >= seconds * 0.999);
    return seconds < 0.6 || !round ? tickStep(width, count) : round * SECOND;
  }

  phaseBounds() {
    const { run } = this;
    this.phases = {};
    for (let i = 0; i < run.count; i += 1) {
      const name = run.phaseOf(i);
      const known = (this.phases[name] ||= [Infinity, -Infinity]);
      known[0] = Math.min(known[0], run.start[i] / SECOND);
      known[1] = Math.max(known[1], run.end[i] / SECOND);
    }
  }

  /* What is drawn */

  /** Filters, rows and colours for the present view. */
  arrange() {
    const { run, view } = this;
    const { shown, hidden } = shownBars(run, view);
    this.shown = shown;
    const { fill, legend } = coloured(run, view.colour);
    this.fill = fill;
    this.legend = { ...legend, tone: (at) => fills(token)[at] };
    const marked = new Uint8Array(run.count);
    for (let i = 0; i < run.count; i += 1) marked[i] = run.state[i] ? 1 : 0;
    const bars = { left: run.begin, right: run.end, shown, marked };
    if (view.rows === "worker") {
      const { order, rows, reach } = workerRows(run, shown, view, this.format);
      this.rows = rows;
      this.lanes.setModel(new LaneModel({ ...bars, order, reach }, rowsOf(rows, ROW_PX)));
    } else {
      this.rows = conversationRows(run, shown, view, this.format);
      this.lanes.setModel(new LaneModel(bars, rowsOf(this.rows, ROW_PX)));
    }
    this.bar(view, this.legend, this.format);
    this.tell(hidden);
    this.table();
    this.redraw();
  }

  tell(hidden) {
    const { run } = this;
    const aside = Object.entries(run.set_aside).map(([why, n]) => `${n} set aside: ${why}`);
    const clamped = Object.entries(run.clamped).map(([why, n]) => `${n} clamped: ${why}`);
    const words = [`${this.format.count(run.count - hidden)} of ${this.format.count(run.count)} requests shown`, `${this.format.count(this.rows.length)} rows`];
    if (hidden) words.push(`${this.format.count(hidden)} hidden by filters`);
    this.part("counts").textContent = [...words, ...aside, ...clamped].join(" · ");
  }

  get dimmed() {
    return (this.dim ||= this.run.texts.phase.map((name) => (name === "profiling" || name === "" ? 0 : DIM)));
  }

  fillOf(bar) {
    const { run } = this;
    const dim = this.dimmed[run.phase[bar]];
    if (run.state[bar] & CANCELLED) return CANCELLED_TONE + dim;
    return (run.state[bar] & FAILED ? FAILED_TONE : this.fill[bar]) + dim;
  }

  /** Queue wait as a thread, prefill at full height, decode at half; failed and cancelled hatched in their colour. */
  segments(bar, out) {
    const { run } = this;
    const dim = this.dimmed[run.phase[bar]];
    const [begin, start, first, end] = [run.begin[bar], run.start[bar], run.first[bar], run.end[bar]];
    if (start > begin) out.push(begin, start, 0.44, 0.56, WAIT_TONE + dim);
    const fill = this.fillOf(bar);
    if (run.state[bar]) {
      out.push(start, end, 0, 1, fill | HATCH);
      out.push(start, end, 0, 1, fill | OUTLINE);
      return;
    }
    const known = first === first;
    out.push(start, known ? first : end, 0, 1, fill);
    if (known && end > first) out.push(first, end, 0.27, 0.73, fill);
  }

  /** The stretch before profiling, hatched. */
  ground(raster, view) {
    const begins = this.phases?.profiling?.[0];
    if (begins === undefined || !this.phases.warmup) return;
    const x = Math.round(view.x(begins * SECOND) * view.ratio);
    const rgb = parseInt(token("--border").slice(1), 16);
    const colour = ((255 << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
    raster.rect(x, 0, x + Math.max(1, Math.round(view.ratio)), raster.height, colour);
  }

  /** Spawn and join edges of the lane under the pointer: from the bar that was running when a stream began, and back. */
  edges(context, view) {
    const row = view.hoveredRow >= 0 ? view.model.rows.at(view.hoveredRow) : null;
    const number = row?.lane ?? (view.focused >= 0 ? this.run.lane[this.run.streamOf[view.focused]] : null);
    if (number === null || this.view.rows === "worker") return;
    const rowOf = new Map();
    for (let n = 0; n < view.model.rows.count; n += 1) {
      const one = view.model.rows.at(n);
      if (one.lane === number) for (const [from] of one.runs) rowOf.set(this.run.streamOf[from], n);
    }
    context.lineWidth = 1;
    context.strokeStyle = view.tones["text-2"];
    for (const { child, parent, spawn, join } of edgesOf(this.run, number)) {
      const [upper, lower] = [rowOf.get(parent), rowOf.get(child)];
      if (upper === undefined || lower === undefined || upper === lower) continue;
      const [y0, y1] = [upper, lower].map((n) => view.y(n) + ROW_PX / 2);
      for (const [moment, dash] of [[spawn, []], [join, [3, 3]]]) {
        if (moment === null) continue;
        const x = Math.round(view.x(moment)) + 0.5;
        if (x < 0 || x > view.width) continue;
        context.setLineDash(dash);
        context.beginPath();
        context.moveTo(x, y0);
        context.lineTo(x, y1);
        context.stroke();
      }
    }
    context.setLineDash([]);
  }

  redraw() {
    if (!this.lanes) return;
    this.drawOverview();
    this.drawStrip();
  }

  get overviewState() {
    const shown = this.lanes.window;
    const whole = this.run.whole;
    const chosen = shown[0] > whole[0] || shown[1] < whole[1] ? shown.map((ns) => ns / SECOND) : null;
    return { span: whole.map((ns) => ns / SECOND), phases: this.phases || {}, phase: "profiling", window: this.dragged || chosen, zoomed: null, dragged: null, cursor: this.lanes.cursor === null || this.lanes.cursor === undefined ? null : this.lanes.cursor / SECOND };
  }

  drawOverview() {
    this.tints ||= colours();
    this.overview.draw(this.overviewState, this.overviewLine, this.tints);
  }

  /** In flight, and where servers told it running and waiting, over the window; aligned with the lanes. */
  drawStrip() {
    if (!this.lanes) return;
    this.tints ||= colours();
    const { clientWidth: width, clientHeight: height } = this.stripBox;
    const ctx = sized(this.stripCanvas, width, height);
    const [from, to] = this.lanes.window;
    const [flight, ...told] = this.stripLines();
    const many = countUpTo(flight.t, to) - countUpTo(flight.t, from) > MANY_CHANGES;
    const lines = [many ? { ...flight, ...this.coarseFlight } : flight, ...told];
    const most = Math.max(1, ...lines.map(({ t, v }) => visibleMost(t, v, from, to)));
    const x = (ns) => ((ns - from) / (to - from)) * width;
    const y = (value) => height - 2 - (value / most) * (height - 12);
    for (const { t, v, tone, area } of lines) steps(ctx, t, v, x, y, [from, to], height, this.tints[tone], area);
    ctx.fillStyle = this.tints["text-2"];
    ctx.textBaseline = "top";
    ctx.fillText(`${this.format.count(Math.round(most))} max`, 4, 1);
    this.tellCursor();
  }

  stripLines() {
    const lines = [{ name: "in flight", tone: "quiet", t: this.flight.t, v: this.flight.v }];
    const depth = this.servers?.panels.find((panel) => panel.key === "queue_depth");
    for (const line of depth?.lines || []) {
      if (line.label !== "running" && line.label !== "waiting") continue;
      lines.push({ name: line.label, tone: line.tone, area: line.label === "waiting", t: Float64Array.from(line.t, (s) => s * SECOND), v: line.v });
    }
    return lines;
  }

  tellCursor() {
    const { cursor } = this.lanes;
    this.readout.replaceChildren();
    const at = cursor ?? null;
    added(this.readout, "b", "", {}, at === null ? "Point at the lanes" : `At ${clock(at / SECOND, 0.01)}`);
    const fact = (name, value, tone) => {
      const line = added(this.readout, "span", tone ? `tone-${tone}` : "");
      if (tone) added(line, "i", "strip-key");
      line.append(`${name} `);
      added(line, "b", "", {}, at === null ? "" : value);
    };
    const level = at === null ? 0 : (this.flight.v[countUpTo(this.flight.t, at) - 1] ?? 0);
    fact("in flight", this.format.count(level), "quiet");
    for (const line of this.stripLines().slice(1)) fact(line.name, this.format.rate(line.v[countUpTo(line.t, at ?? 0) - 1]), line.tone);
    fact("completed", this.format.count(at === null ? 0 : countUpTo(this.ended, at)));
    const usage = this.servers?.panels.find((panel) => panel.key === "kv_usage")?.lines.find((line) => line.weight === "heavy");
    if (usage) fact("KV in use", this.format.figure(valueAt(usage, (at ?? 0) / SECOND), "%"));
  }

  /* What the reader does */

  set(changes) {
    replaceAddress(changes, FIRST);
    Object.assign(this.view, fromAddress());
    this.arrange();
  }

  /** The window goes into the address once the reader rests. */
  moved(shown) {
    clearTimeout(this.resting);
    const whole = this.run.whole;
    const all = shown[0] <= whole[0] && shown[1] >= whole[1];
    this.resting = setTimeout(() => {
      replaceAddress({ window: all ? null : written(shown.map((ns) => ns / SECOND)) }, FIRST);
    }, 250);
    if (this.moving || !this.tints) return;
    this.moving = requestAnimationFrame(() => {
      this.moving = 0;
      this.overview.drawAbove(this.overviewState, this.tints);
      this.drawStrip();
    });
  }

  fold(row) {
    const lane = row.key;
    const now = new Set(this.view.unfold);
    if (now.has("all")) {
      now.delete("all");
      for (const one of this.rows) if (one.fold) now.add(one.key);
    }
    if (now.has(lane)) now.delete(lane);
    else now.add(lane);
    this.set({ unfold: [...now].join(",") || null });
  }

  hovered(bar, point) {
    this.tellCursor();
    if (this.pinned >= 0 && bar < 0) return this.place(this.pinned, null);
    this.place(bar, point);
  }

  /** The card beside a bar; without a pointer at its usual corner. */
  place(bar, point) {
    this.card.hidden = bar < 0;
    if (bar < 0) return;
    fillCard(this.card, this.run, bar, this.format, this.linksOf(bar), bar === this.pinned);
    this.card.classList.toggle("pinned", bar === this.pinned);
    const box = this.element.getBoundingClientRect();
    const [width, height] = [this.card.offsetWidth, this.card.offsetHeight];
    const plot = this.part("lanes").getBoundingClientRect();
    const at = point ? { x: plot.left - box.left + this.leftWidth + point.x, y: plot.top - box.top + 24 + point.y } : { x: box.width - width - 24, y: Math.min(plot.bottom, window.innerHeight) - box.top - height - 40 };
    const left = at.x + width + 24 > box.width ? at.x - width - 16 : at.x + 16;
    const top = at.y + height + 24 > box.height ? at.y - height - 16 : at.y + 20;
    this.card.style.transform = `translate(${Math.round(Math.max(4, left))}px, ${Math.round(Math.max(4, top))}px)`;
  }

  linksOf(bar) {
    return { turn: this.turnUrl(bar), self: this.requestUrl(bar), howTo: this.data.howto || "" };
  }

  turnUrl(bar) {
    if (!this.data.dataset) return null;
    const stream = this.run.streamOf[bar];
    const turn = this.run.turn(bar);
    return `${this.data.dataset}/conversations/${encodeURIComponent(this.run.traces[stream])}${turn ? `?turn=${turn}` : ""}`;
  }

  requestUrl(bar) {
    return this.run.ids ? addressWith({ request: this.run.ids[bar] }, FIRST) : null;
  }

  /** A plain click pins the card of a bar; with a key or the middle button the bar is the link that it is. */
  clicked(event, bar) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (bar < 0) this.unpin();
    else this.lanes.focus(bar);
  }

  select(bar, reveal) {
    if (bar < 0) return;
    if (reveal) this.showRow(bar);
    this.pinned = bar;
    if (this.run.ids) replaceAddress({ request: this.run.ids[bar] }, FIRST);
    if (reveal) this.lanes.focus(bar);
    this.place(bar, null);
  }

  /** Unfolds the lane of a bar where it is folded, so that a link to it shows it. */
  showRow(bar) {
    const lane = String(this.run.lane[this.run.streamOf[bar]]);
    const child = this.run.streamOf[bar] !== this.run.parent[this.run.streamOf[bar]];
    if (child && this.view.rows === "conversation" && !this.view.unfold.includes("all") && !this.view.unfold.includes(lane)) this.set({ unfold: [...this.view.unfold, lane].join(",") });
  }

  unpin() {
    this.pinned = -1;
    this.lanes.focused = -1;
    this.lanes.draw();
    this.card.hidden = true;
    replaceAddress({ request: null }, FIRST);
  }

  key(event) {
    if (event.key === "Escape") {
      this.unpin();
      return true;
    }
    return false;
  }

  overviewInput() {
    const { signal } = this.ending;
    const { box } = this.overview;
    const seconds = (event) => this.overview.momentAt(event, this.overviewState);
    let from = null;
    let held = null;
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = seconds(event);
      const shown = this.overviewState.window;
      held = shown && from >= shown[0] && from <= shown[1] ? shown : null;
      box.setPointerCapture(event.pointerId);
    }, { signal });
    box.addEventListener("pointermove", (event) => {
      if (from === null) return;
      const now = seconds(event);
      if (held) this.lanes.setWindow(held.map((end) => (end + now - from) * SECOND));
      else this.dragged = ordered(from, now, this.overviewState.span);
      this.drawOverview();
    }, { signal });
    box.addEventListener("pointerup", () => {
      const chosen = this.dragged;
      from = null;
      this.dragged = null;
      if (chosen && chosen[1] > chosen[0]) this.lanes.setWindow(chosen.map((end) => end * SECOND));
    }, { signal });
    box.addEventListener("dblclick", () => this.lanes.reset(), { signal });
    box.addEventListener("keydown", (event) => {
      const shown = this.lanes.window;
      const tenth = (shown[1] - shown[0]) / 10;
      const moves = { ArrowLeft: [-tenth, -tenth], ArrowRight: [tenth, tenth], "+": [2.5 * tenth, -2.5 * tenth], "-": [-5 * tenth, 5 * tenth] };
      if (event.key === "Escape") this.lanes.reset();
      else if (moves[event.key]) this.lanes.setWindow([shown[0] + moves[event.key][0], shown[1] + moves[event.key][1]]);
      else return;
      event.preventDefault();
    }, { signal });
  }

  exportUrl(kind) {
    const url = new URL(this.data.requests, window.location.href);
    const here = new URLSearchParams(window.location.search);
    for (const name of ["q", "phase", "kind", "status", "duration", "ttft", "isl", "cached", "window"]) if (here.has(name)) url.searchParams.set(name, here.get(name));
    url.searchParams.set("format", kind);
    return url.pathname + url.search;
  }

  /** The rows as a table, for those who read rather than look. */
  table() {
    const place = this.part("table");
    place.replaceChildren();
    const box = added(place, "details", "timeline-table", this.view.table ? { open: "" } : {});
    added(box, "summary", "", {}, "The requests in view as a table");
    const fill = () => {
      if (!box.open || box.querySelector("table")) return;
      const table = added(added(box, "div", "table-scroll", { role: "region", tabindex: "0", "aria-label": "Requests in view" }), "table", "stat-table");
      const head = added(added(table, "thead"), "tr");
      for (const name of ["Request", "Phase", "Starts", "Wait", "TTFT", "Lasts", "ISL", "Cached", "OSL"]) added(head, "th", "", { scope: "col" }, name);
      const body = added(table, "tbody");
      for (const i of this.inView(200)) this.tableRow(body, i);
    };
    box.addEventListener("toggle", fill);
    fill();
  }

  inView(most) {
    const [from, to] = this.lanes.window;
    const found = [];
    for (let i = 0; i < this.run.count && found.length < most; i += 1) if (this.shown[i] && this.run.end[i] >= from && this.run.begin[i] <= to) found.push(i);
    return found;
  }

  tableRow(body, i) {
    const { run, format } = this;
    const line = added(body, "tr");
    const name = added(line, "th", "", { scope: "row" });
    added(name, "a", "", { href: this.turnUrl(i) || this.requestUrl(i) || "#" }, nameOf(run, i));
    const cells = [run.phaseOf(i), clock(run.start[i] / SECOND, 0.001), format.seconds(run.wait(i)), format.seconds(run.ttft(i)), format.seconds(run.duration(i)), run.isl[i] >= 0 ? format.count(run.isl[i]) : "", format.figure(run.share(i), "%"), run.osl[i] >= 0 ? format.count(run.osl[i]) : ""];
    for (const cell of cells) added(line, "td", "", {}, cell || "–");
  }
}

function visibleMost(t, v, from, to) {
  let most = 0;
  for (let n = Math.max(countUpTo(t, from) - 1, 0); n < t.length && t[n] <= to; n += 1) if (v[n] > most) most = v[n];
  return most;
}

/**
 * A step line or area of what lies in the window; of several changes in one pixel the highest is drawn. Rectangles and no
 * path: a long jagged path costs a software rasteriser several frames.
 */
function steps(ctx, t, v, x, y, [from, to], height, colour, area) {
  ctx.fillStyle = colour;
  ctx.globalAlpha = area ? 0.5 : 1;
  let n = Math.max(countUpTo(t, from) - 1, 0);
  let level = n < t.length && t[n] <= from ? v[n] : 0;
  let left = 0;
  const flat = (right) => {
    if (right > left && area) ctx.fillRect(left, y(level), right - left, height - y(level));
    else if (right > left) ctx.fillRect(left, y(level) - 0.7, right - left, 1.4);
    left = right;
  };
  for (; n < t.length && t[n] <= to; n += 1) {
    if (t[n] < from || !(v[n] === v[n])) continue;
    const pixel = Math.floor(x(t[n]));
    let [most, least, last] = [Math.max(level, v[n]), Math.min(level, v[n]), v[n]];
    while (n + 1 < t.length && Math.floor(x(t[n + 1])) === pixel) {
      n += 1;
      most = Math.max(most, v[n]);
      last = v[n];
    }
    least = Math.min(least, last);
    flat(pixel);
    ctx.fillRect(pixel, y(most) - (area ? 0 : 0.7), 1, area ? height - y(most) : y(least) - y(most) + 1.4);
    level = last;
    left = pixel + 1;
  }
  flat(x(Math.min(to, t.length ? Math.max(t[t.length - 1], from) : from)));
  ctx.globalAlpha = 1;
}

/** Starts the timeline in its element; what is returned ends it. */
export default function start(element) {
  const timeline = new Timeline(element);
  return () => timeline.ending.abort();
}

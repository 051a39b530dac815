/* One recorded conversation: flame graph by tokens or by time, spawns and joins, context growth, and what runs made of a turn. */

import { addressWith, fetched, replaceAddress } from "./page-address.js";
import { LaneModel, rowsOf } from "./lanes-model.js";
import { LaneView, token } from "./lanes-view.js";
import { clock, timeTicks } from "./panels-axis.js";
import { added } from "./panels-chart.js";
import { concurrent, Conversation, foldedTime, idle } from "./conversation-data.js";
import { dagLayout, drawDag, hourglass, svg } from "./conversation-dag.js";
import { flameSvg, saved, savedPicture } from "./conversation-export.js";
import { isOpen, timeRows, tokenRows } from "./conversation-rows.js";

const [CACHED, UNCACHED, OUTPUT] = [0, 1, 2];
const COLOURS = ["--flame-cached", "--flame-uncached", "--flame-output"];
const LEFT_PX = 270;
const RIGHT_PX = 210;
const COLUMN_SHARE = 0.012;
const FIRST = { layout: "tokens" };

function fromAddress() {
  const said = new URLSearchParams(window.location.search);
  return { turn: said.get("turn"), layout: said.get("layout") || FIRST.layout, unfold: (said.get("unfold") || "").split(",").filter(Boolean), run: said.get("run") };
}

class ConversationPage {
  constructor(element) {
    this.element = element;
    this.data = element.dataset;
    this.view = fromAddress();
    this.format = window.agentx.format;
    this.ending = new AbortController();
    this.part = (name) => element.querySelector(`[data-part="${name}"]`);
    this.chosen = -1;
    this.load().catch((error) => error.name === "AbortError" || this.fail(error));
  }

  json(url) {
    return fetched(url, (answer) => answer.json(), this.ending.signal);
  }

  fail(error) {
    added(this.part("lanes"), "p", "run-trouble", { role: "alert" }, `The conversation could not be loaded. ${error.message}`);
  }

  async load() {
    const runs = this.json(this.data.runs);
    this.turns = new Conversation(await this.json(this.data.turns));
    this.folded = foldedTime(idle(this.turns));
    this.dag = dagLayout(this.turns);
    this.groups = concurrent(this.turns);
    this.ending.signal.addEventListener("abort", () => this.lanes?.stop());
    this.buildBar();
    const named = this.view.turn === null ? undefined : this.turns.place.get(this.view.turn);
    if (named !== undefined) this.openStreamOf(named);
    this.arrange();
    this.element.dataset.ready = "1";
    await new Promise((painted) => setTimeout(painted)); // the flame graph first, then what stands beside it
    this.buildSide();
    this.runs = await runs;
    this.fillRuns();
    this.arrange();
    this.choose(named ?? -1, true);
    this.element.dataset.complete = "1";
  }

  /* The bar */

  buildBar() {
    const host = this.part("bar");
    const layouts = added(host, "div", "segments", { role: "group", "aria-label": "Layout" });
    this.layoutButtons = [["tokens", "By tokens"], ["time", "By time"]].map(([value, label]) => {
      const button = added(layouts, "button", "", { type: "button" }, label);
      button.addEventListener("click", () => this.set({ layout: value }));
      return [value, button];
    });
    this.foldButtons = [["", "Fold all"], ["all", "Unfold all"]].map(([value, label]) => {
      const button = added(host, "button", "button", { type: "button" }, label);
      button.addEventListener("click", () => this.set({ unfold: value || null }));
      return button;
    });
    this.runBox = added(added(host, "label", "window-choice", {}, "Measured in "), "select", "field");
    this.runBox.addEventListener("change", () => this.set({ run: this.runBox.value || null }));
    const legend = added(host, "span", "flame-legend");
    for (const [name, label] of [["cached", "cached prefix"], ["uncached", "uncached input"], ["output", "output"]]) {
      const key = added(legend, "span", "key");
      added(key, "i", `legend-swatch flame-${name}`);
      key.append(label);
    }
    added(added(legend, "span", "key"), "i", "flame-mark").after("cached as measured");
    for (const [label, act] of [["SVG", () => this.exportSvg()], ["PNG", () => this.exportPng()]]) added(host, "button", "button", { type: "button", title: `The flame graph as ${label}` }, label).addEventListener("click", act);
    added(host, "a", "button", { href: this.data.speedscope, download: "", title: "For speedscope.app" }, "speedscope");
  }

  fillRuns() {
    this.byTurn = new Map();
    const { runs } = this.runs;
    runs.outer.forEach((outer, n) => {
      const name = runs.inner[n] === null ? `${outer}` : `${outer}.${runs.inner[n]}`;
      if (!this.byTurn.has(name)) this.byTurn.set(name, []);
      this.byTurn.get(name).push(Object.fromEntries(Object.keys(runs).map((key) => [key, runs[key][n]])));
    });
    const points = Object.entries(this.runs.points).sort((a, b) => a[1].name.localeCompare(b[1].name));
    this.runBox.replaceChildren();
    added(this.runBox, "option", "", { value: "" }, points.length ? `no run (${points.length} replayed it)` : "no run replayed it");
    for (const [id, point] of points) added(this.runBox, "option", "", { value: id }, point.name);
  }

  /** The cached share that the chosen run measured for a turn; null without a run, NaN where it tells none. */
  measured(i) {
    if (!this.view.run || !this.byTurn) return null;
    const found = this.byTurn.get(this.turns.turnName(i))?.find((one) => one.point_id === this.view.run);
    return found ? (found.cached_share ?? NaN) : null;
  }

  /* The flame graph */

  /** The canvas of a layout; by time nothing stands at the right of the bars. */
  build() {
    const narrow = this.element.clientWidth < 700;
    const { turns } = this;
    const rightColumns = [{ title: "total", width: 64 }, { title: "cached", width: 64 }, { title: "measured", width: 76 }];
    this.lanes?.stop();
    this.built = this.view.layout;
    this.lanes = new LaneView(this.part("lanes"), {
      whole: [0, turns.largest],
      wheel: "scroll",
      leftWidth: narrow ? 110 : LEFT_PX,
      rightWidth: narrow || this.byTime ? 0 : RIGHT_PX,
      barShare: 0.72,
      least: 1,
      firstColumn: this.byTime ? "stream" : "turn",
      leftColumns: narrow ? [] : [{ title: "from – to", width: 116 }],
      rightColumns: narrow || this.byTime ? [] : rightColumns,
      label: `${turns.count} turns of ${this.data.name}`,
      format: (value) => this.format.rate(value) || "0",
      ticks: (shown, count) => this.ticks(shown, count),
      colours: () => COLOURS.map(token),
      segments: (bar, out) => this.segments(bar, out),
      fill: (bar) => (this.turns.cached(bar) ? CACHED : UNCACHED),
      finish: (context, view) => this.finish(context, view),
      href: (bar) => this.slowest(bar),
      describe: (bar) => this.described(bar),
      onFocus: (bar) => bar >= 0 && this.choose(bar, false),
      onClick: (event, bar) => this.clicked(event, bar),
      onFold: (row) => this.fold(row.stream),
      onHover: (bar, point) => this.hovered(bar, point),
    });
    this.tip = added(this.part("lanes"), "div", "flame-tip", { hidden: "" });
  }

  get byTime() {
    return this.view.layout === "time";
  }

  ticks([from, to], count) {
    if (!this.byTime) {
      const raw = (to - from) / Math.max(count, 1);
      const size = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((one) => one * size).find((one) => one >= raw);
      return Array.from({ length: Math.floor(to / step) - Math.ceil(from / step) + 1 }, (_, n) => (Math.ceil(from / step) + n) * step).map((value) => ({ value, text: value ? this.format.rate(value) : "0" }));
    }
    const { ticks, step } = timeTicks([this.folded.from(from), this.folded.from(to)], count * Math.max(1, (this.folded.from(to) - this.folded.from(from)) / (to - from)));
    const shown = [];
    for (const tick of ticks) {
      const value = this.folded.to(tick);
      const inFold = this.folded.folds.some(({ begin, end }) => tick > begin && tick < end);
      const last = shown[shown.length - 1];
      if (!inFold && (!last || value - last.value > (to - from) / (count * 1.6))) shown.push({ value, text: clock(tick, step) });
    }
    return shown;
  }

  arrange() {
    const { turns, view } = this;
    for (const [value, button] of this.layoutButtons) button.setAttribute("aria-pressed", String(value === view.layout));
    for (const button of this.foldButtons) button.hidden = this.byTime || !turns.others.some((one) => one.turns.length > 1);
    if (this.runs) this.runBox.value = this.runs.points[view.run] ? view.run : "";
    if (this.built !== view.layout) this.build();
    this.arrangeBars();
    if (this.byTime || this.chosen < 0) return;
    this.lanes.focused = this.chosen;
    this.lanes.draw();
  }

  arrangeBars() {
    const { turns } = this;
    const places = turns.count + turns.streams.length;
    const [left, right] = [new Float64Array(places), new Float64Array(places)];
    let order = null;
    if (this.byTime) {
      for (let i = 0; i < turns.count; i += 1) {
        left[i] = this.folded.to(turns.t_s[i]);
        right[i] = this.folded.to(turns.end[i]);
      }
      const streams = [turns.main, ...turns.others];
      order = Uint32Array.from(streams.flatMap((one) => one.turns));
      this.rows = timeRows(turns, this.format);
      let from = 0;
      this.rows.forEach((row) => {
        row.runs = [[from, from + row.stream.turns.length]];
        from += row.stream.turns.length;
      });
    } else {
      for (let i = 0; i < turns.count; i += 1) right[i] = turns.total[i];
      turns.streams.forEach((stream, place) => {
        right[turns.count + place] = Math.min(turns.largest, stream.turns.length * this.columnWidth);
      });
      this.rows = tokenRows(turns, this.view, this.format, (i) => this.measured(i));
    }
    // by time a turn is as high as its tokens: merging narrow ones would hide that
    this.lanes.options.least = this.byTime ? 0 : 1;
    const whole = this.byTime ? [this.folded.to(Math.min(...turns.t_s)), this.folded.to(Math.max(...turns.end)) + 1] : [0, turns.largest];
    if (whole[0] !== this.lanes.whole[0] || whole[1] !== this.lanes.whole[1]) this.lanes.setWhole(whole);
    this.lanes.setModel(new LaneModel({ left, right, order }, rowsOf(this.rows, 20)));
    this.brackets = this.byTime ? [] : this.bracketsOf();
  }

  get columnWidth() {
    const longest = Math.max(1, ...this.turns.others.map((one) => one.turns.length));
    return this.turns.largest * Math.min(COLUMN_SHARE, 0.6 / longest);
  }

  /** Brackets of what ran at once: from the first to the last of its rows. */
  bracketsOf() {
    const rowOf = new Map(this.rows.map((row, n) => [row.stream?.key, n]));
    return this.groups.map((group) => {
      const places = group.members.map((one) => rowOf.get(one.key) ?? this.rows.findIndex((row) => row.key === `t${one.turns[0]}`)).filter((n) => n >= 0);
      return { from: Math.min(...places), to: Math.max(...places), most: group.most };
    }).filter((one) => one.to > one.from);
  }

  segments(bar, out) {
    const { turns } = this;
    if (bar >= turns.count) this.columns(turns.streams[bar - turns.count], out);
    else if (this.byTime) this.upright(bar, out);
    else this.lying(bar, out);
  }

  lying(bar, out) {
    const { turns } = this;
    const [cached, isl, total] = [turns.cached(bar), turns.isl[bar] || 0, turns.total[bar]];
    if (cached) out.push(0, cached, 0, 1, CACHED);
    if (isl > cached) out.push(cached, isl, 0, 1, UNCACHED);
    if (total > isl) out.push(isl, total, 0, 1, OUTPUT);
  }

  /** By time a turn is as high as its tokens, one scale in all lanes; at least a pixel of each part is seen. */
  upright(bar, out) {
    const { turns } = this;
    const [x0, x1] = [this.folded.to(turns.t_s[bar]), this.folded.to(turns.end[bar])];
    const scale = 1 / turns.largest;
    const [cached, isl, total] = [turns.cached(bar) * scale, (turns.isl[bar] || 0) * scale, turns.total[bar] * scale];
    if (cached) out.push(x0, x1, 1 - cached, 1, CACHED);
    if (isl > cached) out.push(x0, x1, 1 - isl, 1 - cached, UNCACHED);
    if (total > isl) out.push(x0, x1, 1 - Math.max(total, isl + 0.02), 1 - isl, OUTPUT);
  }

  /** A folded group: one column a turn, as high as its tokens against the conversation's largest turn. */
  columns(stream, out) {
    const { turns } = this;
    const width = this.columnWidth;
    const most = Math.max(...stream.turns.map((i) => turns.total[i]), 1);
    stream.turns.forEach((i, n) => {
      const [x0, x1] = [n * width, (n + 0.85) * width];
      const [cached, isl, total] = [turns.cached(i) / most, (turns.isl[i] || 0) / most, turns.total[i] / most];
      if (cached) out.push(x0, x1, 1 - cached, 1, CACHED);
      if (isl > cached) out.push(x0, x1, 1 - isl, 1 - cached, UNCACHED);
      if (total > isl) out.push(x0, x1, 1 - total, 1 - isl, OUTPUT);
    });
  }

  /** Edges of cached parts, marks of the measured share, brackets, folds of idle time. */
  finish(context, view) {
    const [from, to] = view.rowsInView;
    context.lineWidth = 1;
    if (this.byTime) this.drawFolds(context, view);
    for (let row = from; row < to; row += 1) {
      const [top, bottom] = view.box(row).map((edge) => edge / view.ratio);
      for (const [a, b] of this.rows[row].runs || []) if (!this.byTime && b === a + 1 && a < this.turns.count) this.drawOver(context, view, a, top, bottom);
    }
    context.font = "600 11px system-ui, sans-serif";
    if (this.byTime) this.markCompactions(context, view);
    for (const one of this.brackets) this.drawBracket(context, view, one);
  }

  drawOver(context, view, i, top, bottom) {
    const { turns } = this;
    const cached = turns.cached(i);
    if (cached) {
      context.strokeStyle = token("--flame-cached-edge");
      context.strokeRect(Math.round(view.x(0)) + 0.5, top + 0.5, Math.round(view.x(cached) - view.x(0)) - 1, bottom - top - 1);
    }
    const share = this.measured(i);
    if (share === null || !Number.isFinite(share) || !(turns.isl[i] > 0)) return;
    const at = Math.round(view.x(share * turns.isl[i]));
    context.fillStyle = token("--text");
    context.fillRect(at - 1, top - 2, 2, bottom - top + 4);
    const theory = view.x(cached);
    if (theory - at < 6) return;
    context.strokeStyle = token("--text");
    context.setLineDash([2, 2]);
    context.beginPath();
    context.moveTo(at, (top + bottom) / 2);
    context.lineTo(theory, (top + bottom) / 2);
    context.stroke();
    context.setLineDash([]);
  }

  drawBracket(context, view, { from, to, most }) {
    const [top, bottom] = [view.y(from) + 3, view.y(to + 1) - 3];
    const x = view.width - 7;
    context.strokeStyle = token("--text-2");
    context.beginPath();
    context.moveTo(x - 6, top);
    context.lineTo(x, top);
    context.lineTo(x, bottom);
    context.lineTo(x - 6, bottom);
    context.stroke();
    const words = `×${most}`;
    const middle = Math.min(Math.max((top + bottom) / 2, 12), view.height - 12);
    if (middle < top || middle > bottom) return;
    const width = context.measureText(words).width;
    context.fillStyle = token("--bg");
    context.fillRect(x - width / 2 - 3, middle - 8, width + 8, 16);
    context.fillStyle = token("--text-2");
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(words, x - 1, middle);
  }

  /** By time a compaction is a dotted line through the lane of the main conversation. */
  markCompactions(context, view) {
    const [top, bottom] = [view.y(0) + 2, view.y(1) - 2];
    context.fillStyle = context.strokeStyle = token("--text");
    context.setLineDash([2, 3]);
    for (const i of this.turns.main.turns) {
      if (!this.turns.isCompaction(i)) continue;
      const x = Math.round(view.x(this.folded.to(this.turns.t_s[i]))) - 1.5;
      context.beginPath();
      context.moveTo(x, top + 14);
      context.lineTo(x, bottom);
      context.stroke();
      context.fill(new Path2D(hourglass(x, top + 6)));
    }
    context.setLineDash([]);
  }

  drawFolds(context, view) {
    context.strokeStyle = token("--border-strong");
    context.font = "11px system-ui, sans-serif";
    let free = -Infinity;
    for (const { begin, end, at } of this.folded.folds) {
      const [left, right] = [view.x(at), view.x(this.folded.to(end))];
      if (right < 0 || left > view.width) continue;
      context.save();
      context.beginPath();
      context.rect(left, 0, right - left, view.height);
      context.clip();
      context.beginPath();
      for (let x = left - view.height; x < right; x += 7) {
        context.moveTo(x, view.height);
        context.lineTo(x + view.height, 0);
      }
      context.stroke();
      context.restore();
      if ((left + right) / 2 < free) continue;
      free = (left + right) / 2 + 18;
      context.save();
      context.translate(Math.max((left + right) / 2, 9), view.height / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.textBaseline = "middle";
      const words = `idle ${this.format.seconds(end - begin)}`;
      const width = context.measureText(words).width + 8;
      context.fillStyle = token("--bg");
      context.fillRect(-width / 2, -8, width, 16);
      context.fillStyle = token("--text-2");
      context.fillText(words, 0, 0);
      context.restore();
    }
  }

  /* What the reader does */

  set(changes) {
    replaceAddress(changes, FIRST);
    Object.assign(this.view, fromAddress());
    this.arrange();
  }

  fold(stream) {
    const now = new Set(this.view.unfold);
    if (now.delete("all")) for (const one of this.turns.others) now.add(one.key);
    if (isOpen(this.view, stream)) now.delete(stream.key);
    else now.add(stream.key);
    this.set({ unfold: [...now].join(",") || null });
  }

  streamOf(i) {
    return this.turns.streams.find((stream) => stream.turns.includes(i));
  }

  openStreamOf(i) {
    const stream = this.streamOf(i);
    if (stream === this.turns.main || stream.turns.length < 2 || isOpen(this.view, stream) || this.byTime) return;
    replaceAddress({ unfold: [...this.view.unfold, stream.key].join(",") }, FIRST);
    Object.assign(this.view, fromAddress());
  }

  clicked(event, bar) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (bar >= this.turns.count) this.fold(this.turns.streams[bar - this.turns.count]);
    else if (bar >= 0) this.lanes.focus(bar);
    else this.choose(-1, false);
  }

  /** A turn is chosen: it is lit everywhere, named in the address, and its runs are listed. */
  choose(i, reveal) {
    if (i >= this.turns.count) return;
    this.chosen = i;
    replaceAddress({ turn: i < 0 ? null : this.turns.turnName(i) }, FIRST);
    if (i >= 0 && reveal) {
      this.openStreamOf(i);
      this.arrangeBars();
      this.lanes.focus(i);
    }
    this.drawSide();
  }

  slowest(bar) {
    if (bar >= this.turns.count || !this.byTurn) return null;
    const found = this.byTurn.get(this.turns.turnName(bar));
    if (!found) return addressWith({ turn: this.turns.turnName(bar) }, FIRST);
    const slow = found.reduce((a, b) => ((b.ttft_s || 0) > (a.ttft_s || 0) ? b : a));
    return this.requestUrl(slow);
  }

  requestUrl(one) {
    return `${this.runs.points[one.point_id].timeline}?request=${encodeURIComponent(one.request_id)}`;
  }

  described(i) {
    const { turns, format } = this;
    if (i >= turns.count) return `${turns.streams[i - turns.count].label}, folded, ${turns.streams[i - turns.count].turns.length} turns`;
    return `Turn ${turns.turnName(i)}, ${turns.kind[i]}, ${format.count(turns.isl[i])} tokens in, ${format.count(turns.cached(i))} of them cached, ${format.count(turns.osl[i])} out`;
  }

  hovered(bar, point) {
    this.tip.hidden = bar < 0 || !point;
    if (this.tip.hidden) return;
    const { turns, format } = this;
    const lines = bar >= turns.count ? [this.described(bar)] : [
      `Turn ${turns.turnName(bar)} · ${turns.kind[bar]} · ${turns.model[bar]}`,
      `${format.count(turns.isl[bar])} in = ${format.count(turns.cached(bar))} cached (${format.figure(turns.share(bar), "%") || "–"}) + ${format.count((turns.isl[bar] || 0) - turns.cached(bar))} new · ${format.count(turns.osl[bar])} out`,
      `causal cache ${format.count(turns.cached_prefix_causal_tokens[bar] || 0)} · ${clock(turns.t_s[bar], 0.1)} – ${clock(turns.end[bar], 0.1)}${turns.end_s[bar] === null ? " (end not recorded)" : ""}${turns.stop[bar] ? ` · ${turns.stop[bar]}` : ""}`,
      ...(turns.delay_s[bar] === null ? [] : [`${format.seconds(turns.delay_s[bar])} after what it waited for`]),
    ];
    this.tip.replaceChildren(...lines.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
    const { plot } = this.lanes;
    const width = this.tip.offsetWidth;
    const left = Math.min(plot.left + point.x + 14, this.part("lanes").clientWidth - width - 4);
    const below = point.y + 40 + this.tip.offsetHeight < plot.height;
    this.tip.style.transform = `translate(${Math.max(4, left)}px, ${below ? point.y + 46 : point.y - this.tip.offsetHeight}px)`;
  }

  /* Beside the flame graph */

  buildSide() {
    this.lightDag = drawDag(this.part("dag"), this.turns, this.dag, (i) => this.choose(i, true));
    this.markGrowth = this.drawGrowth();
  }

  drawSide() {
    this.lightDag(this.chosen);
    this.markGrowth(this.chosen);
    this.fillTurn();
  }

  /** Input tokens over folded time: the main conversation bold, the others thin. What is returned marks a turn. */
  drawGrowth() {
    const { turns } = this;
    const [width, height, left, bottom] = [420, 150, 40, 18];
    const last = Math.max(this.folded.to(Math.max(...turns.end)), 1);
    const most = Math.max(...turns.isl.map((isl) => isl || 0), 1);
    const x = (t) => left + (this.folded.to(t) / last) * (width - left - 6);
    const y = (isl) => 8 + (1 - isl / most) * (height - bottom - 8);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "growth", role: "img", "aria-label": `Input tokens over time, up to ${this.format.rate(most)}` });
    for (const share of [0, 0.5, 1]) {
      picture.append(svg("line", { x1: left, x2: width - 6, y1: y(share * most), y2: y(share * most), class: "growth-grid" }));
      picture.append(svg("text", { x: left - 5, y: y(share * most) + 4, class: "growth-value" }, this.format.rate(share * most) || "0"));
    }
    for (const stream of [...turns.others, turns.main]) picture.append(svg("path", { d: stepPath(stream.turns, turns, x, y), class: stream === turns.main ? "growth-main" : "growth-other" }));
    for (const i of turns.main.turns) if (turns.isCompaction(i)) picture.append(svg("path", { d: hourglass(x(turns.t_s[i]), 8), class: "growth-mark" }));
    for (const end of [Math.min(...turns.t_s), Math.max(...turns.end)]) picture.append(svg("text", { x: Math.min(x(end), width - 6), y: height - 3, class: end === Math.max(...turns.end) ? "growth-value" : "growth-first" }, clock(end)));
    const mark = svg("circle", { r: 4, class: "growth-chosen", visibility: "hidden" });
    picture.append(mark);
    this.part("growth").replaceChildren(picture);
    return (chosen) => {
      mark.setAttribute("visibility", chosen < 0 ? "hidden" : "visible");
      if (chosen < 0) return;
      mark.setAttribute("cx", x(turns.t_s[chosen]));
      mark.setAttribute("cy", y(turns.isl[chosen] || 0));
    };
  }

  fillTurn() {
    const place = this.part("turn");
    place.replaceChildren();
    const { turns, format, chosen } = this;
    if (chosen < 0) {
      added(place, "p", "quiet", {}, "Choose a turn to see what every run made of it.");
      return;
    }
    const said = (tokens) => (tokens < 1000 ? format.count(tokens) : format.rate(tokens));
    added(place, "h2", "", {}, `Turn ${turns.turnName(chosen)}`);
    added(place, "p", "quiet", {}, `${clock(turns.t_s[chosen])}, ${format.seconds(turns.end[chosen] - turns.t_s[chosen])} recorded · cached ${said(turns.cached(chosen))} (${format.figure(turns.share(chosen), "%") || "–"}), uncached ${said((turns.isl[chosen] || 0) - turns.cached(chosen))}, output ${said(turns.osl[chosen] || 0)}`);
    const found = [...(this.byTurn?.get(turns.turnName(chosen)) || [])].sort((a, b) => (a.ttft_s ?? Infinity) - (b.ttft_s ?? Infinity));
    if (!found.length) {
      added(place, "p", "quiet", {}, "No run in this store replayed this turn in its profiling phase.");
      return;
    }
    const scroll = added(place, "div", "table-scroll", { role: "region", tabindex: "0", "aria-label": "This turn in runs" });
    const table = added(scroll, "table", "stat-table");
    added(table, "caption", "", {}, `In ${found.length} run${found.length > 1 ? "s" : ""}: medians; links open the slowest replay`);
    const head = added(added(table, "thead"), "tr");
    for (const name of ["run", "n", "cached", "TTFT", "ITL", "E2EL"]) added(head, "th", "", { scope: "col" }, name);
    const body = added(table, "tbody");
    for (const one of found) {
      const line = added(body, "tr");
      added(added(line, "th", "", { scope: "row" }), "a", "", { href: this.requestUrl(one) }, this.runs.points[one.point_id].name);
      const failed = one.failed ? `${one.n} (${one.failed} failed)` : String(one.n);
      const cached = one.cached_tokens === null ? "not reported" : `${said(one.cached_tokens)}, ${format.figure(one.cached_share ?? NaN, "%") || "–"}`;
      for (const cell of [failed, cached, format.seconds(one.ttft_s ?? NaN) || "–", format.seconds(one.itl_s ?? NaN) || "–", format.seconds(one.e2el_s ?? NaN) || "–"]) added(line, "td", "", {}, cell);
    }
    if (this.runs.left_out) added(place, "p", "quiet", {}, `${this.runs.left_out} older points were not looked through.`);
  }

  /* Taking it along */

  exportSvg() {
    saved(new Blob([this.picture()], { type: "image/svg+xml" }), `${this.data.name}.svg`);
  }

  exportPng() {
    savedPicture(this.picture(), `${this.data.name}.png`).catch((error) => this.fail(error));
  }

  picture() {
    const tones = Object.fromEntries(["bg", "text", "text-2", "grid", "badge"].map((name) => [name, token(`--${name}`)]));
    return flameSvg({ rows: this.rows, segments: (bar, out) => this.segments(bar, out), whole: this.lanes.whole, fills: COLOURS.map(token), tones, title: this.data.name, caption: this.data.caption, label: this.data.label || "", byTime: this.byTime, order: this.lanes.model.bars.order, ticks: this.ticks(this.lanes.whole, 7) });
  }
}

function stepPath(indices, turns, x, y) {
  let path = "";
  for (const i of indices) {
    const [left, right, at] = [x(turns.t_s[i]), x(turns.end[i]), y(turns.isl[i] || 0)];
    path += path ? `H${left.toFixed(1)}V${at.toFixed(1)}H${right.toFixed(1)}` : `M${left.toFixed(1)},${at.toFixed(1)}H${right.toFixed(1)}`;
  }
  return path;
}

/** Starts the page's part in its element; what is returned ends it. */
export default function start(element) {
  const page = new ConversationPage(element);
  return () => page.ending.abort();
}

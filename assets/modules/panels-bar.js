/* The bar above the panels: phase, kind, rolling line, trim, the window in words; and the overview of the whole run. */

import { clock, timeTicks } from "./panels-axis.js";
import { added } from "./panels-chart.js";
import { drawAbove, leftOut, sized } from "./panels-draw.js";

const PHASES = [["warmup", "Warm-up"], ["profiling", "Profiling"], ["all", "All"]];
const KINDS = [["", "all kinds"], ["main", "main"], ["subagent", "subagents"], ["auxiliary", "auxiliary"]];
const ROLLS = ["10", "30", "60", "300", "50n", "200n"];
const LINES = ["p50", "p75", "p90", "p95", "p99"];

/** Builds the bar; `act` holds set(changes) and clear(). Returns a function that brings it in line with a view. */
export function windowBar(host, act, timeline) {
  const phases = added(host, "div", "segments", { role: "group", "aria-label": "Phase" });
  const buttons = PHASES.map(([phase, label]) => {
    const button = added(phases, "button", "", { type: "button" }, label);
    button.addEventListener("click", () => act.set({ phase }));
    return [phase, button];
  });
  const kind = choice(host, "Kind", KINDS, (value) => act.set({ kind: value || null }));
  const line = choice(host, "Line", LINES.map((one) => [one, one]), (value) => act.set({ line: value }));
  const rolls = ROLLS.map((one) => [one, one.endsWith("n") ? `last ${one.slice(0, -1)} requests` : `last ${one} s`]);
  const roll = choice(host, "over the", rolls, (value) => act.set({ roll: value }));
  const trim = trimming(host, act);
  const words = added(host, "p", "window-words", { role: "status" });
  const open = timeline ? added(host, "a", "button", { href: timeline }, "Open in timeline") : null;
  const clear = added(host, "button", "button", { type: "button" }, "Clear window");
  clear.addEventListener("click", () => act.clear());
  return (view, told) => {
    for (const [phase, button] of buttons) {
      button.setAttribute("aria-pressed", String(phase === view.phase));
      button.disabled = phase === "warmup" && !view.phases.warmup;
    }
    kind.value = view.kind || "";
    line.value = view.line;
    roll.value = view.roll;
    trim(view);
    words.textContent = said(view, told);
    clear.hidden = !view.window && !view.zoomed;
    if (open) open.href = withWindow(timeline, view);
  };
}

function withWindow(href, view) {
  const url = new URL(href, window.location.href);
  const shown = view.window || view.zoomed;
  if (shown) url.searchParams.set("window", written(shown));
  else url.searchParams.delete("window");
  return url.pathname + url.search;
}

/** A window as it stands in a URL: milliseconds are fine enough. */
export function written([from, to]) {
  return `${Number(from.toFixed(3))}..${Number(to.toFixed(3))}`;
}

function said(view, told) {
  if (!view.window) return view.zoomed ? `Zoomed to ${clock(view.zoom[0])} – ${clock(view.zoom[1])}` : "Drag over a panel to set a window";
  const [from, to] = view.window;
  const step = to - from < 10 ? 0.1 : 1;
  const counts = told ? ` · ${told.touching} requests touch it, ${told.starting} start in it` : "";
  return `Window ${clock(from, step)} – ${clock(to, step)} (${Number((to - from).toPrecision(3))} s)${counts}`;
}

function choice(host, label, options, choose) {
  const box = added(added(host, "label", "window-choice", {}, `${label} `), "select", "field");
  for (const [value, text] of options) added(box, "option", "", { value }, text);
  box.addEventListener("change", () => choose(box.value));
  return box;
}

/** Seconds to leave out at the start of the phase and at its draining tail. */
function trimming(host, act) {
  const label = added(host, "label", "window-choice", { title: "Seconds left out at the start of the phase and at its end, where the run fills and drains" }, "Trim ");
  const ends = ["at the start", "at the end"].map((name) => added(label, "input", "field", { type: "number", min: "0", step: "10", "aria-label": `Seconds left out ${name}` }));
  const changed = () => {
    const values = ends.map((end) => Math.max(Number(end.value) || 0, 0));
    act.set({ trim: values.some(Boolean) ? values.join("..") : null });
  };
  for (const end of ends) end.addEventListener("change", changed);
  return (view) => {
    ends.forEach((end, place) => {
      if (document.activeElement !== end) end.value = view.trim ? view.trim[place] : 0;
    });
  };
}

/** The overview: requests in flight over the whole run, the window in it. */
export class Overview {
  constructor(host) {
    this.box = added(host, "div", "run-overview", { tabindex: "0", role: "group", "aria-label": "Window: arrow keys move it, with shift they resize it, Escape clears it, plus and minus zoom" });
    this.base = added(this.box, "canvas", "", { "aria-hidden": "true" });
    this.above = added(this.box, "canvas", "run-panel-above", { "aria-hidden": "true" });
  }

  get plot() {
    return { left: 0, top: 0, width: this.box.clientWidth, height: this.box.clientHeight - 18 };
  }

  draw(view, line, tints) {
    const { plot } = this;
    const ctx = sized(this.base, this.box.clientWidth, this.box.clientHeight);
    const [from, to] = view.span;
    const x = (t) => ((t - from) / (to - from)) * plot.width;
    if (line) this.fill(ctx, line, x, plot, tints);
    ctx.fillStyle = tints.raised;
    ctx.globalAlpha = 0.7;
    for (const [begin, end] of leftOut(view.phase, view.phases, view.span)) ctx.fillRect(x(begin), 0, x(end) - x(begin), plot.height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = tints.axis;
    ctx.fillRect(0, plot.height, plot.width, 1);
    ctx.textBaseline = "top";
    ctx.fillStyle = tints["text-2"];
    const { ticks, step } = timeTicks(view.span, plot.width / 110);
    for (const tick of ticks) {
      const words = clock(tick, step);
      const half = ctx.measureText(words).width / 2;
      ctx.fillText(words, Math.min(Math.max(x(tick) - half, 0), plot.width - 2 * half), plot.height + 4);
    }
    if (view.phases.warmup && view.phases.profiling) {
      ctx.fillRect(Math.round(x(view.phases.profiling[0])), 0, 1.5, plot.height);
      const left = x(view.phases.profiling[0]) - ctx.measureText("warm-up").width - 6;
      if (left >= 0) ctx.fillText("warm-up", left, 3);
      ctx.fillText("profiling", x(view.phases.profiling[0]) + 6, 3);
    }
    if (line) {
      ctx.textAlign = "right";
      ctx.fillText("requests in flight", plot.width - 4, 3);
    }
    this.drawAbove(view, tints);
  }

  fill(ctx, line, x, plot, tints) {
    const most = line.v.reduce((a, b) => Math.max(a, b), 1);
    ctx.fillStyle = tints.border;
    ctx.beginPath();
    ctx.moveTo(0, plot.height);
    let level = 0;
    for (let i = 0; i < line.t.length; i += 1) {
      const at = x(line.t[i]);
      ctx.lineTo(at, plot.height * (1 - (0.78 * level) / most));
      level = line.v[i];
      ctx.lineTo(at, plot.height * (1 - (0.78 * level) / most));
    }
    ctx.lineTo(plot.width, plot.height);
    ctx.fill();
  }

  drawAbove(view, tints) {
    const ctx = sized(this.above, this.box.clientWidth, this.box.clientHeight);
    drawAbove(ctx, this.plot, { ...view, zoom: view.span, dragged: view.zoomed || view.dragged }, tints);
  }

  momentAt(event, view) {
    const box = this.box.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    return view.span[0] + share * (view.span[1] - view.span[0]);
  }
}

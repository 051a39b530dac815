/* One panel on a canvas: its data on the lower layer, window and cursor on the upper one. */

import { clock, scaleOf, tickWords, timeTicks } from "./panels-axis.js";

const PAD = { left: 52, right: 10, top: 16, bottom: 20 };
const WEIGHTS = { thin: 0.8, normal: 1.5, heavy: 2.2 };
const TAU = Math.PI * 2;

/** Colours of the page by name, read once per theme. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(name).trim();
  const tones = ["ink", "first", "second", "third", "fourth", "quiet", "failed", "cancelled"];
  return {
    ...Object.fromEntries(tones.map((tone) => [tone, named(`--tone-${tone}`)])),
    ...Object.fromEntries(["text", "text-2", "text-3", "grid", "axis", "accent", "border", "bg", "raised", "badge"].map((name) => [name, named(`--${name}`)])),
  };
}

/** Where the plot lies in a canvas of that size. */
export function plotOf(width, height) {
  return { left: PAD.left, top: PAD.top, width: width - PAD.left - PAD.right, height: height - PAD.top - PAD.bottom };
}

/** Makes a canvas as sharp as the screen; returns its context in CSS pixels. */
export function sized(canvas, width, height, ratio = window.devicePixelRatio || 1) {
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = "11px system-ui, sans-serif";
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.setLineDash([]);
  return ctx;
}

function hatch(ctx, x0, x1, plot, colour) {
  if (x1 <= x0) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x0, plot.top, x1 - x0, plot.height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = x0 - plot.height; x < x1; x += 6) {
    ctx.moveTo(x, plot.top + plot.height);
    ctx.lineTo(x + plot.height, plot.top);
  }
  ctx.stroke();
  ctx.restore();
}

/** The parts of the axis that the chosen phase leaves out. */
export function leftOut(phase, phases, span) {
  const own = phases[phase];
  if (phase === "all" || !own) return [];
  return phase === "warmup" ? [[own[1], span[1]]] : [[span[0], own[0]]];
}

function bounds(panel, [from, to]) {
  let low = Infinity;
  let high = -Infinity;
  const see = (t, v) => {
    for (let i = 0; i < t.length; i += 1) {
      if (t[i] < from || t[i] > to || !(v[i] === v[i])) continue;
      if (v[i] > high) high = v[i];
      if (v[i] < low && v[i] > 0) low = v[i];
    }
  };
  for (const line of panel.lines) see(line.t, line.v);
  if (panel.dots) see(panel.dots.t, panel.dots.v);
  for (const [, value] of panel.references) if (value > high && value < high * 3) high = value;
  return [low, high];
}

/** Draws a panel over time; returns its plot and scale for the layer above and for hover. */
export function drawOverTime(ctx, width, height, panel, spec, view, tints, format) {
  const plot = plotOf(width, height);
  const [from, to] = view.zoom;
  const x = (t) => plot.left + ((t - from) / (to - from)) * plot.width;
  const stack = panel.stacked ? layers(panel.lines) : null;
  const scale = scaleOf(spec.scale, ...(stack ? [0, 1] : bounds(panel, view.zoom)));
  const y = (v) => plot.top + (1 - scale.place(v)) * plot.height;
  const edge = (t) => Math.min(Math.max(x(t), plot.left), plot.left + plot.width);
  valueAxis(ctx, plot, scale, y, spec, tints, format);
  for (const [begin, end] of leftOut(view.phase, view.phases, view.span)) hatch(ctx, edge(begin), edge(end), plot, tints.border);
  for (const [begin, end] of panel.gaps) hatch(ctx, edge(begin), edge(end), plot, tints.border);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plot.left, plot.top - 2, plot.width, plot.height + 4);
  ctx.clip();
  if (stack) areas(ctx, stack, x, y, tints);
  if (panel.dots) dots(ctx, panel.dots, x, y, plot, tints);
  for (const weight of ["thin", "normal", "heavy"]) {
    if (!stack) for (const line of panel.lines) if (line.weight === weight) trace(ctx, line, x, y, tints, to);
  }
  ctx.restore();
  references(ctx, panel, y, scale, plot, tints);
  failures(ctx, panel.failed, x, plot, tints);
  timeAxis(ctx, plot, view, x, tints);
  return { plot, scale };
}

function valueAxis(ctx, plot, scale, y, spec, tints, format) {
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 1;
  for (const tick of scale.ticks) {
    const at = Math.round(y(tick)) + 0.5;
    ctx.strokeStyle = tints.grid;
    ctx.beginPath();
    ctx.moveTo(plot.left, at);
    ctx.lineTo(plot.left + plot.width, at);
    ctx.stroke();
    ctx.fillStyle = tints["text-2"];
    ctx.fillText(tickWords(tick, spec.figures, format), plot.left - 6, at);
  }
}

function timeAxis(ctx, plot, view, x, tints) {
  const { ticks, step } = timeTicks(view.zoom, plot.width / 78);
  const bottom = plot.top + plot.height;
  ctx.strokeStyle = tints.axis;
  ctx.beginPath();
  ctx.moveTo(plot.left, Math.round(bottom) + 0.5);
  ctx.lineTo(plot.left + plot.width, Math.round(bottom) + 0.5);
  ctx.stroke();
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.fillStyle = tints["text-2"];
  for (const tick of ticks) {
    const words = clock(tick, step);
    const half = ctx.measureText(words).width / 2;
    ctx.fillText(words, Math.min(Math.max(x(tick), half + 2), plot.left + plot.width + PAD.right - half), bottom + 5);
  }
  if (view.phases.warmup && view.phases.profiling) upright(ctx, x(view.phases.profiling[0]), plot, tints["text-2"], [2, 2]);
}

function upright(ctx, at, plot, colour, dash) {
  if (at < plot.left || at > plot.left + plot.width) return;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(Math.round(at) + 0.5, plot.top);
  ctx.lineTo(Math.round(at) + 0.5, plot.top + plot.height);
  ctx.stroke();
  ctx.restore();
}

function dots(ctx, { t, v }, x, y, plot, tints) {
  ctx.fillStyle = tints["text-3"];
  ctx.globalAlpha = t.length > 2500 ? 0.35 : 0.6;
  ctx.beginPath();
  for (let i = 0; i < t.length; i += 1) {
    const [left, top] = [x(t[i]), y(v[i])];
    if (left < plot.left - 2 || left > plot.left + plot.width + 2) continue;
    ctx.moveTo(left + 1.4, top);
    ctx.arc(left, top, 1.4, 0, TAU);
  }
  ctx.fill();
  ctx.globalAlpha = 1;
}

function trace(ctx, line, x, y, tints, end) {
  ctx.strokeStyle = tints[line.tone];
  ctx.globalAlpha = line.weight === "thin" ? 0.55 : 1;
  ctx.lineWidth = WEIGHTS[line.weight];
  ctx.lineJoin = "round";
  ctx.setLineDash(line.dash ? [5, 3] : []);
  ctx.beginPath();
  let pen = false;
  for (let i = 0; i < line.t.length; i += 1) {
    const value = line.v[i];
    if (!(value === value)) {
      pen = false;
      continue;
    }
    if (pen && line.step) ctx.lineTo(x(line.t[i]), y(line.v[i - 1]));
    if (pen) ctx.lineTo(x(line.t[i]), y(value));
    else ctx.moveTo(x(line.t[i]), y(value));
    pen = true;
  }
  if (pen && line.step) ctx.lineTo(x(Math.max(end, line.t[line.t.length - 1])), y(line.v[line.v.length - 1]));
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function layers(lines) {
  let below = null;
  return lines.map((line) => {
    const top = Float32Array.from(line.v, (value, i) => value + (below ? below[i] : 0));
    const layer = { line, top, below };
    below = top;
    return layer;
  });
}

function areas(ctx, stack, x, y, tints) {
  for (const { line, top, below } of stack) {
    ctx.fillStyle = tints[line.tone];
    ctx.globalAlpha = 0.75;
    let begin = 0;
    for (let i = 0; i <= top.length; i += 1) {
      if (i < top.length && top[i] === top[i]) continue;
      if (i > begin + 1) {
        ctx.beginPath();
        for (let j = begin; j < i; j += 1) ctx.lineTo(x(line.t[j]), y(top[j]));
        for (let j = i - 1; j >= begin; j -= 1) ctx.lineTo(x(line.t[j]), y(below ? below[j] : 0));
        ctx.fill();
      }
      begin = i + 1;
    }
    ctx.globalAlpha = 1;
  }
}

function references(ctx, panel, y, scale, plot, tints) {
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  for (const [label, value] of panel.references) {
    const beyond = value > scale.high;
    const at = Math.round(beyond ? plot.top : y(value)) + 0.5;
    ctx.strokeStyle = tints["text-2"];
    ctx.setLineDash([5, 3]);
    ctx.beginPath();
    if (!beyond) ctx.moveTo(plot.left, at);
    if (!beyond) ctx.lineTo(plot.left + plot.width, at);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = tints["text-2"];
    ctx.fillText(beyond ? `${label} ↑` : label, plot.left + plot.width, at - 2);
  }
}

function failures(ctx, moments, x, plot, tints) {
  ctx.strokeStyle = tints.failed;
  ctx.lineWidth = 1.4;
  ctx.beginPath();
  const crossed = new Set(); // one cross a place: thousands of failures are a band all the same
  for (const moment of moments) {
    const at = x(moment);
    if (at < plot.left || at > plot.left + plot.width || crossed.has(Math.round(at))) continue;
    crossed.add(Math.round(at));
    const top = plot.top - 7;
    ctx.moveTo(at - 3, top - 3);
    ctx.lineTo(at + 3, top + 3);
    ctx.moveTo(at + 3, top - 3);
    ctx.lineTo(at - 3, top + 3);
  }
  ctx.stroke();
}

/** A histogram over a log axis with percentile guides and the cumulative share. */
export function drawHistogram(ctx, width, height, bars, spec, tints, format) {
  const plot = plotOf(width, height);
  plot.width -= 24;
  const { edges, counts, cumulative, guides } = bars;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const x = (v) => plot.left + (Math.log(v / low) / Math.log(high / low)) * plot.width;
  const scale = scaleOf("zero", 0, Math.max(...counts));
  const y = (v) => plot.top + (1 - scale.place(v)) * plot.height;
  valueAxis(ctx, plot, { ticks: scale.ticks.filter((tick) => tick % 1 === 0) }, y, { figures: "count" }, tints, format);
  ctx.fillStyle = tints.quiet;
  for (let i = 0; i < counts.length; i += 1) {
    const left = x(edges[i]);
    ctx.fillRect(left + 0.5, y(counts[i]), Math.max(x(edges[i + 1]) - left - 1, 0.5), plot.top + plot.height - y(counts[i]));
  }
  ctx.strokeStyle = tints.text;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(plot.left, plot.top + plot.height);
  for (let i = 0; i < cumulative.length; i += 1) ctx.lineTo(x(edges[i + 1]), plot.top + (1 - cumulative[i]) * plot.height);
  ctx.stroke();
  guideLines(ctx, guides, x, [low, high], plot, tints);
  tokenAxis(ctx, plot, x, low, high, tints, format);
  return { plot, scale };
}

function guideLines(ctx, guides, x, [low, high], plot, tints) {
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  let free = -Infinity;
  for (const [name, value] of guides) {
    if (!(value >= low && value <= high)) continue;
    upright(ctx, x(value), plot, tints.text, [3, 2]);
    ctx.fillStyle = tints["text-2"];
    if (x(value) < free) continue;
    ctx.fillText(name, x(value) - 2, plot.top - 2);
    free = x(value) + ctx.measureText(name).width + 4;
  }
}

function tokenAxis(ctx, plot, x, low, high, tints, format) {
  const bottom = plot.top + plot.height;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.fillStyle = tints["text-2"];
  let free = -Infinity;
  for (const tick of scaleOf("log", low, high).ticks) {
    if (tick < low || tick > high) continue;
    const words = tickWords(tick, "tokens", format);
    const half = ctx.measureText(words).width / 2;
    if (x(tick) - half < free) continue;
    ctx.fillText(words, x(tick), bottom + 5);
    free = x(tick) + half + 8;
  }
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText("100%", plot.left + plot.width + 3, plot.top + 1);
  ctx.fillText("0", plot.left + plot.width + 3, bottom);
}

/** The requests of a panel that start in the window, in the colour of the window. */
export function drawChosen(ctx, { plot, scale }, { t, v }, view, tints) {
  const [from, to] = view.zoom;
  const x = (moment) => plot.left + ((moment - from) / (to - from)) * plot.width;
  ctx.fillStyle = tints.accent;
  ctx.beginPath();
  for (let i = 0; i < t.length; i += 1) {
    if (t[i] < Math.max(view.window[0], from) || t[i] >= Math.min(view.window[1], to)) continue;
    const at = plot.top + (1 - scale.place(v[i])) * plot.height;
    ctx.moveTo(x(t[i]) + 1.8, at);
    ctx.arc(x(t[i]), at, 1.8, 0, TAU);
  }
  ctx.fill();
}

/** The layer above: the window as a band, the cursor as a line. */
export function drawAbove(ctx, plot, view, tints) {
  const [from, to] = view.zoom;
  const x = (t) => Math.min(Math.max(plot.left + ((t - from) / (to - from)) * plot.width, plot.left), plot.left + plot.width);
  if (view.window && view.window[1] > from && view.window[0] < to) {
    const [left, right] = view.window.map(x);
    ctx.fillStyle = tints.accent;
    ctx.globalAlpha = 0.13;
    ctx.fillRect(left, plot.top, Math.max(right - left, 1), plot.height);
    ctx.globalAlpha = 1;
    for (const end of [left, right]) upright(ctx, end, plot, tints.accent, []);
  }
  if (view.dragged) {
    const [left, right] = view.dragged.map(x);
    ctx.fillStyle = tints["text-2"];
    ctx.globalAlpha = 0.15;
    ctx.fillRect(left, plot.top, right - left, plot.height);
    ctx.globalAlpha = 1;
  }
  if (view.cursor !== null) upright(ctx, plot.left + ((view.cursor - from) / (to - from)) * plot.width, plot, tints["text-3"], [1, 2]);
}

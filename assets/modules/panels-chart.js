/* One panel in the page: heading with legend, canvas in two layers, notes, and its exports. */

import { drawAbove, drawChosen, drawHistogram, drawOverTime, sized } from "./panels-draw.js";
import { words } from "./panels-axis.js";
import { valueAt } from "./panels-data.js";

const FOOT_PX = 30;
const HEAD_PX = 46;
const COUNTS_UP = ["completed", "unique_tokens", "errors"];

/** An element with classes, attributes and children, attached to its parent. */
export function added(parent, tag, classes = "", attributes = {}, ...children) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  parent.append(made);
  return made;
}

export class PanelChart {
  /** `shared` holds what all panels share: format, tints(), view, label, fileUrl(key, format), caption. */
  constructor(host, spec, shared) {
    this.spec = spec;
    this.shared = shared;
    this.panel = null;
    this.drawnPlot = null;
    this.figure = added(host, "figure", "run-panel", { "data-panel": spec.key });
    const head = added(this.figure, "figcaption", "run-panel-head");
    const title = added(head, "div", "run-panel-title");
    added(title, "h3", "", { title: `${spec.explanation}\n\n${spec.formula}\n${spec.source}` }, spec.title);
    added(title, "span", "quiet", {}, [spec.unit, this.direction()].filter(Boolean).join(" · "));
    this.legend = added(head, "div", "run-panel-legend");
    this.tools(title);
    this.box = added(this.figure, "div", "run-panel-box");
    this.base = added(this.box, "canvas", "", { role: "img", "aria-label": spec.title });
    this.above = added(this.box, "canvas", "run-panel-above", { "aria-hidden": "true" });
    this.note = added(this.figure, "p", "run-panel-note quiet");
  }

  direction() {
    return { higher: "higher is better", lower: "lower is better" }[this.spec.better] || "";
  }

  tools(parent) {
    const bar = added(parent, "span", "run-panel-tools");
    const button = (label, title, act) => added(bar, "button", "tool", { type: "button", title }, label).addEventListener("click", act);
    button("⤢", "Full screen, and back", () => (document.fullscreenElement ? document.exitFullscreen() : this.figure.requestFullscreen()));
    button("PNG", "This panel as a picture", () => this.savePicture());
    for (const kind of ["csv", "parquet"]) {
      added(bar, "a", "tool", { download: "", title: `What this panel draws, as ${kind}` }, kind === "csv" ? "CSV" : "Parquet").addEventListener("click", (event) => {
        event.currentTarget.href = this.shared.fileUrl(this.spec.key, kind);
      });
    }
  }

  get inSight() {
    const { top, bottom } = this.box.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  }

  get overTime() {
    return this.spec.scale !== "bins";
  }

  set(panel) {
    this.panel = panel;
    const missing = Boolean(panel.missing);
    this.figure.classList.toggle("missing", missing);
    this.box.hidden = missing;
    this.note.textContent = missing ? panel.missing : this.notes().join(" ");
    this.note.hidden = !this.note.textContent;
    this.fillLegend();
    this.draw();
  }

  notes() {
    const { panel } = this;
    const bars = this.bars();
    const zeros = bars?.zeros ? [`${this.shared.format.count(bars.zeros)} of 0 tokens have no place on the axis.`] : [];
    const thinned = panel.dots && panel.dots.t.length < panel.dots.n ? [`${this.shared.format.count(panel.dots.t.length)} of ${this.shared.format.count(panel.dots.n)} requests drawn, every extreme among them.`] : [];
    const failed = panel.failed.length && this.overTime && this.spec.key !== "errors" ? [`✕ ${this.shared.format.count(panel.failed.length)} failed, no value.`] : [];
    return [...panel.notes, ...zeros, ...thinned, ...failed];
  }

  bars() {
    const all = this.panel?.histograms || {};
    return all[this.shared.view.phase] || all.all || Object.values(all)[0];
  }

  fillLegend() {
    this.legend.replaceChildren();
    this.values = [];
    if (this.panel.missing) return;
    if (!this.overTime) {
      const bars = this.bars();
      const told = bars.guides.map(([name, value]) => `${name} ${words(value, "tokens", this.shared.format)}`);
      added(this.legend, "span", "", {}, `n ${this.shared.format.count(bars.n)} · ${told.join(" · ")}`);
      return;
    }
    if (this.panel.dots) added(this.legend, "span", "legend-key", {}, added(this.legend, "i", "legend-dot"), "request");
    const seen = new Set();
    for (const line of [...this.panel.lines].reverse()) {
      const name = line.group || line.label;
      if (seen.has(name)) continue;
      seen.add(name);
      const mark = document.createElement("i");
      mark.className = `legend-line tone-${line.tone}${line.dash ? " dashed" : ""}${this.panel.stacked ? " area" : ""}`;
      const value = document.createElement("b");
      added(this.legend, "span", "legend-key", {}, mark, name, value);
      if (!line.group) this.values.push([line, value]);
    }
    this.legend.classList.toggle("some", this.values.length > 1);
    this.legend.classList.toggle("many", this.values.length > 3);
  }

  draw() {
    if (!this.panel || this.panel.missing || !this.box.clientWidth) return;
    const [width, height] = [this.box.clientWidth, this.box.clientHeight];
    this.drawnPlot = this.paint(sized(this.base, width, height), width, height);
    this.drawAbove();
  }

  paint(ctx, width, height) {
    const { format, view } = this.shared;
    const tints = this.shared.tints();
    if (this.overTime) return drawOverTime(ctx, width, height, this.panel, this.spec, view, tints, format);
    return drawHistogram(ctx, width, height, this.bars(), this.spec, tints, format);
  }

  drawAbove() {
    if (!this.drawnPlot) return;
    const ctx = sized(this.above, this.box.clientWidth, this.box.clientHeight);
    if (!this.overTime) return;
    const { view } = this.shared;
    drawAbove(ctx, this.drawnPlot.plot, view, this.shared.tints());
    if (view.window && this.panel.dots) drawChosen(ctx, this.drawnPlot, this.panel.dots, view, this.shared.tints());
    const told = view.cursor !== null ? (line) => this.told("", valueAt(line, view.cursor)) : view.window ? (line) => this.inWindow(line) : () => "";
    for (const [line, place] of this.values) place.textContent = told(line);
  }

  told(name, value) {
    return Number.isFinite(value) ? ` ${name}${words(value, this.spec.figures, this.shared.format)}` : "";
  }

  /** A line in the window: what a count grew by, else its worst value. */
  inWindow(line) {
    const [from, to] = this.shared.view.window;
    if (COUNTS_UP.includes(this.spec.key)) {
      const [first, last] = [valueAt(line, from), valueAt(line, Math.min(to, line.t[line.t.length - 1]))];
      return this.told("+", last - (Number.isFinite(first) ? first : 0));
    }
    const least = this.spec.better === "higher";
    let worst = NaN;
    for (let i = 0; i < line.t.length; i += 1) {
      if (line.t[i] < from || line.t[i] > to || !Number.isFinite(line.v[i])) continue;
      if (!(worst === worst) || (least ? line.v[i] < worst : line.v[i] > worst)) worst = line.v[i];
    }
    return this.told(least ? "min " : "max ", worst);
  }

  /** The moment under a pointer; null outside of the plot's width. */
  momentAt(event) {
    if (!this.drawnPlot || !this.overTime) return null;
    const { plot } = this.drawnPlot;
    const share = (event.clientX - this.box.getBoundingClientRect().left - plot.left) / plot.width;
    const { zoom } = this.shared.view;
    return share < -0.05 || share > 1.05 ? null : zoom[0] + Math.min(Math.max(share, 0), 1) * (zoom[1] - zoom[0]);
  }

  savePicture() {
    if (!this.panel || this.panel.missing) return;
    const [width, height] = [Math.max(this.box.clientWidth, 720), Math.max(this.box.clientHeight, 240)];
    const canvas = document.createElement("canvas");
    const ctx = sized(canvas, width, height + HEAD_PX + FOOT_PX, 2);
    const tints = this.shared.tints();
    ctx.fillStyle = tints.bg;
    ctx.fillRect(0, 0, width, height + HEAD_PX + FOOT_PX);
    ctx.save();
    ctx.translate(0, HEAD_PX);
    this.paint(ctx, width, height);
    ctx.restore();
    this.caption(ctx, width, height, tints);
    canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `agentx-${this.shared.pointId}-${this.spec.key}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  /** Title, legend, what it is of and where it is from, in the picture itself. */
  caption(ctx, width, height, tints) {
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.fillStyle = tints.text;
    ctx.font = "600 14px system-ui, sans-serif";
    ctx.fillText(`${this.spec.title}, ${this.spec.unit}`, 12, 20);
    ctx.font = "11px system-ui, sans-serif";
    let left = 12;
    for (const key of this.legend.querySelectorAll(".legend-key, :scope > span:not(.legend-key)")) {
      const line = key.querySelector(".legend-line");
      const name = [...key.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join("");
      if (line) ctx.fillStyle = getComputedStyle(line).getPropertyValue("--tone").trim() || tints["text-2"];
      if (line) ctx.fillRect(left, 34, 14, 2);
      ctx.fillStyle = tints["text-2"];
      ctx.fillText(name, left + (line ? 18 : 0), 38);
      left += ctx.measureText(name).width + (line ? 34 : 16);
    }
    ctx.fillStyle = tints["text-2"];
    ctx.fillText(this.shared.caption, 12, height + HEAD_PX + FOOT_PX - 10, width - 24);
    if (!this.shared.label) return;
    ctx.textAlign = "right";
    ctx.font = "600 12px system-ui, sans-serif";
    ctx.fillStyle = tints.badge;
    ctx.fillText(this.shared.label, width - 12, 20);
  }
}

/* Requests against each other: any figure of a request against any other, coloured by kind, the window's ones in full colour. */

import { clock, scaleOf, tickWords, words } from "./panels-axis.js";
import { written } from "./panels-bar.js";
import { added } from "./panels-chart.js";
import { arraysOf } from "./panels-data.js";
import { sized } from "./panels-draw.js";

const PAD = { left: 64, right: 16, top: 12, bottom: 40 };
const TONES = ["first", "second", "third", "quiet"];
const NEAR_PX = 10;
const TAU = Math.PI * 2;
const FIGURES = { s: "seconds", tok: "tokens", "tok/s/user": "rate" };

export class RequestScatter {
  /** `shared` as for panels, with set(changes) of the address and fetched(url, read). */
  constructor(host, shared) {
    this.host = host;
    this.shared = shared;
    this.dots = null;
    host.className = "run-scatter";
    added(host, "h2", "", {}, "Requests against each other");
    this.line = added(host, "div", "scatter-line");
    this.legend = added(host, "div", "run-panel-legend");
    this.box = added(host, "div", "scatter-box");
    this.base = added(this.box, "canvas", "", { role: "img" });
    this.tip = added(host, "p", "quiet scatter-tip");
    this.box.hidden = true;
    this.box.addEventListener("pointermove", (event) => this.point(event));
    this.box.addEventListener("pointerleave", () => this.say(null));
    this.box.addEventListener("click", (event) => this.choose(event));
  }

  /** Asks for the dots of the address; draws what there is until they come. */
  async load() {
    const url = this.shared.scatterUrl("");
    this.asked = url;
    this.box.classList.add("stale");
    const found = await this.shared.fetched(url, (answer) => answer.arrayBuffer());
    if (this.asked !== url) return;
    this.dots = arraysOf(found);
    this.box.classList.remove("stale");
    this.choices();
    this.box.hidden = !this.pair || !this.dots.n;
    this.keys();
    this.draw();
    this.say(null);
  }

  get pair() {
    const said = this.shared.view.scatter;
    const pair = said ? said.split(",") : null;
    return pair && pair.every((key) => this.dots.quantities.some(([name]) => name === key)) ? pair : null;
  }

  quantity(key) {
    const [, label, unit, explanation] = this.dots.quantities.find(([name]) => name === key);
    return { label, unit, explanation, figures: FIGURES[unit] || "count", title: unit ? `${label}, ${unit}` : label };
  }

  choices() {
    const focused = this.line.contains(document.activeElement) ? document.activeElement.dataset.choice : null;
    this.line.replaceChildren();
    const chips = added(this.line, "div", "chips");
    for (const [y, x, question] of this.dots.pairs) {
      const current = this.pair?.join() === `${y},${x}`;
      const chip = added(chips, "button", "chip", { type: "button", title: question, "data-choice": `${y},${x}`, "aria-pressed": String(current) }, `${this.quantity(y).label} against ${this.quantity(x).label}`);
      chip.addEventListener("click", () => this.shared.set({ scatter: current ? null : `${y},${x}` }));
    }
    const [y, x] = this.pair || ["", ""];
    this.menu("y", y, (key) => this.shared.set({ scatter: `${key},${x || "isl"}` }));
    this.menu("x", x, (key) => this.shared.set({ scatter: `${y || "ttft_s"},${key}` }));
    if (this.pair) {
      for (const kind of ["csv", "parquet"]) added(this.line, "a", "tool", { href: this.shared.scatterUrl(`.${kind}`), download: "" }, kind === "csv" ? "CSV" : "Parquet");
      added(this.line, "button", "tool", { type: "button" }, "Close").addEventListener("click", () => this.shared.set({ scatter: null }));
    }
    if (focused) this.line.querySelector(`[data-choice="${focused}"]`)?.focus();
  }

  menu(axis, chosen, choose) {
    const label = added(this.line, "label", "window-choice", {}, `${axis} `);
    const box = added(label, "select", "field", { "data-choice": axis });
    if (!chosen) added(box, "option", "", { value: "" }, "choose");
    for (const [key, name, , explanation] of this.dots.quantities) added(box, "option", "", { value: key, title: explanation }, name);
    box.value = chosen;
    box.addEventListener("change", () => choose(box.value));
  }

  keys() {
    this.legend.replaceChildren();
    this.legend.hidden = !this.pair;
    if (!this.pair) return;
    const counts = this.dots.kinds.map(() => 0);
    for (const kind of this.dots.kind) counts[kind] += 1;
    this.dots.kinds.forEach((name, place) => {
      if (!counts[place]) return;
      const mark = document.createElement("i");
      mark.className = `legend-dot tone-${TONES[place]} filled`;
      added(this.legend, "span", "legend-key", {}, mark, name);
    });
    added(this.legend, "span", "", {}, this.note());
  }

  note() {
    const { dots } = this;
    const { format } = this.shared;
    const parts = [`n ${format.count(dots.n)}`];
    if (dots.x.length < dots.n) parts.push(`${format.count(dots.x.length)} drawn, every extreme among them`);
    if (dots.without) parts.push(`${format.count(dots.without)} lack a figure`);
    if (dots.zeros) parts.push(`${format.count(dots.zeros)} at 0 have no place on a log axis`);
    return parts.join(" · ");
  }

  draw() {
    if (!this.dots || this.box.hidden || !this.pair) return;
    const tints = this.shared.tints();
    const [width, height] = [this.box.clientWidth, this.box.clientHeight];
    const ctx = sized(this.base, width, height);
    const plot = { left: PAD.left, top: PAD.top, width: width - PAD.left - PAD.right, height: height - PAD.top - PAD.bottom };
    const [yq, xq] = this.pair.map((key) => this.quantity(key));
    this.base.setAttribute("aria-label", `${yq.title} against ${xq.title}, ${this.note()}`);
    const [x, y] = [axis(this.dots.x, this.dots.scales[0]), axis(this.dots.y, this.dots.scales[1])];
    this.at = (i) => [plot.left + x.place(this.dots.x[i]) * plot.width, plot.top + (1 - y.place(this.dots.y[i])) * plot.height];
    this.axes(ctx, plot, { x, y, xq, yq }, tints);
    this.cloud(ctx, tints);
  }

  axes(ctx, plot, { x, y, xq, yq }, tints) {
    const bottom = plot.top + plot.height;
    ctx.strokeStyle = tints.grid;
    ctx.fillStyle = tints["text-2"];
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const tick of y.ticks) {
      const at = Math.round(plot.top + (1 - y.place(tick)) * plot.height) + 0.5;
      stroke(ctx, plot.left, at, plot.left + plot.width, at);
      ctx.fillText(tickWords(tick, yq.figures, this.shared.format), plot.left - 6, at);
    }
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    let free = -Infinity;
    for (const tick of x.ticks) {
      const at = Math.round(plot.left + x.place(tick) * plot.width) + 0.5;
      stroke(ctx, at, plot.top, at, bottom);
      const text = tickWords(tick, xq.figures, this.shared.format);
      const half = ctx.measureText(text).width / 2;
      if (at - half < free) continue;
      ctx.fillText(text, at, bottom + 5);
      free = at + half + 8;
    }
    ctx.strokeStyle = tints.axis;
    stroke(ctx, plot.left, Math.round(bottom) + 0.5, plot.left + plot.width, Math.round(bottom) + 0.5);
    ctx.fillText(`${xq.title}${this.dots.scales[0] === "log" ? ", log" : ""}`, plot.left + plot.width / 2, bottom + 22);
    ctx.save();
    ctx.translate(10, plot.top + plot.height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textBaseline = "middle";
    ctx.fillText(`${yq.title}${this.dots.scales[1] === "log" ? ", log" : ""}`, 0, 0);
    ctx.restore();
  }

  /** Requests outside of the window stand back. */
  cloud(ctx, tints) {
    const { start, kind } = this.dots;
    const chosen = this.shared.view.window;
    const inside = (i) => !chosen || (start[i] >= chosen[0] && start[i] < chosen[1]);
    for (const [wanted, alpha] of [[false, 0.12], [true, start.length > 4000 && !chosen ? 0.45 : 0.8]]) {
      ctx.globalAlpha = alpha;
      for (let place = 0; place < TONES.length; place += 1) {
        ctx.fillStyle = tints[TONES[place]];
        ctx.beginPath();
        for (let i = 0; i < start.length; i += 1) {
          if (kind[i] !== place || inside(i) !== wanted) continue;
          const [left, top] = this.at(i);
          ctx.moveTo(left + 2, top);
          ctx.arc(left, top, 2, 0, TAU);
        }
        ctx.fill();
      }
    }
    ctx.globalAlpha = 1;
  }

  nearest(event) {
    if (!this.dots?.start || !this.at) return null;
    const box = this.box.getBoundingClientRect();
    let found = null;
    let least = NEAR_PX ** 2;
    for (let i = 0; i < this.dots.start.length; i += 1) {
      const [left, top] = this.at(i);
      const far = (left - event.clientX + box.left) ** 2 + (top - event.clientY + box.top) ** 2;
      if (far < least) [found, least] = [i, far];
    }
    return found;
  }

  point(event) {
    const place = this.nearest(event);
    this.box.classList.toggle("on-mark", place !== null);
    this.say(place);
  }

  say(place) {
    this.tip.hidden = !this.pair;
    if (place === null) {
      this.tip.textContent = this.dots?.n ? "A click on a dot sets the window to its request." : "No request has both figures.";
      return;
    }
    const [yq, xq] = this.pair.map((key) => this.quantity(key));
    const { format } = this.shared;
    const told = (quantity, value) => `${quantity.label} ${words(value, quantity.figures, format)}`;
    this.tip.textContent = `${told(yq, this.dots.y[place])} · ${told(xq, this.dots.x[place])} · ${this.dots.kinds[this.dots.kind[place]]} · starts at ${clock(this.dots.start[place])}`;
  }

  choose(event) {
    const place = this.nearest(event);
    if (place === null || !(this.dots.end[place] > this.dots.start[place])) return;
    this.shared.set({ window: written([this.dots.start[place], this.dots.end[place]]) });
  }
}

function axis(values, scale) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return scaleOf(scale === "log" ? "log" : "zero", low, high);
}

function stroke(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

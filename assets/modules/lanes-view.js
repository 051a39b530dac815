/* The lane canvas: rows with labels, bars in one raster, one window on the axis. How to use it: docs/lane-canvas.md. */

import { Raster, word } from "./lanes-draw.js";
import { drawn, hit, pixel, place, step, ticks, within } from "./lanes-geometry.js";
import { listen } from "./lanes-input.js";
import { columnTitles, Labels } from "./lanes-labels.js";
import { nearest, neighbour } from "./lanes-walk.js";

const HEAD_PX = 24;
const TICK_PX = 110;
const SLACK_PX = 3;
const MARKED_PX = 3;

/** The value of a CSS variable of the page. */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function added(parent, tag, classes, more = {}) {
  const made = Object.assign(document.createElement(tag), { className: classes, ...more });
  parent.append(made);
  return made;
}

export class LaneView {
  constructor(element, options) {
    this.options = { leftWidth: 0, rightWidth: 0, wheel: "scroll", least: 1.5, barShare: 0.7, ...options };
    this.element = element;
    this.whole = options.whole;
    this.window = within(options.window || options.whole, options.whole);
    this.model = null;
    this.hovered = -1;
    this.focused = -1;
    this.hoveredRow = -1;
    this.cursor = null;
    this.build();
    this.recolour();
    this.ending = new AbortController();
    listen(this, this.ending.signal);
    this.sizes = new ResizeObserver(() => this.resized());
    this.sizes.observe(this.scroller);
    this.resized();
    this.theme = new MutationObserver(() => this.recolour());
    this.theme.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    this.scroller.addEventListener("scroll", () => this.draw(), { signal: this.ending.signal });
  }

  build() {
    const { leftWidth, rightWidth, leftColumns = [], rightColumns = [], firstColumn = "" } = this.options;
    this.element.classList.add("lanes");
    this.element.replaceChildren();
    const head = added(this.element, "div", "lanes-head");
    const headLeft = added(head, "div", "lanes-left");
    headLeft.style.width = `${leftWidth}px`;
    columnTitles(headLeft, leftColumns, firstColumn);
    this.axis = added(head, "canvas", "lanes-axis");
    const headRight = added(head, "div", "lanes-right");
    headRight.style.width = `${rightWidth}px`;
    columnTitles(headRight, rightColumns);
    this.scroller = added(this.element, "div", "lanes-scroll", { tabIndex: -1 });
    this.space = added(this.scroller, "div", "lanes-space");
    const stick = added(this.scroller, "div", "lanes-stick");
    this.space.append(stick);
    this.labels = new Labels(added(stick, "div", "lanes-rows"), this.options);
    this.plotElement = added(stick, "div", "lanes-plot", { tabIndex: 0 });
    this.plotElement.style.left = `${leftWidth}px`;
    this.plotElement.style.right = `${rightWidth}px`;
    this.plotElement.setAttribute("role", "application");
    this.plotElement.setAttribute("aria-label", this.options.label || "Bars in lanes");
    this.canvas = added(this.plotElement, "canvas", "lanes-canvas");
    this.link = added(this.plotElement, "a", "lanes-link", { hidden: true, tabIndex: -1, draggable: false });
    this.link.setAttribute("aria-hidden", "true");
    this.cross = added(this.plotElement, "div", "lanes-cross", { hidden: true });
    this.voice = added(this.element, "div", "visually-hidden");
    this.voice.setAttribute("aria-live", "polite");
  }

  /* What is shown */

  setModel(model) {
    this.model = model;
    this.labels.renew();
    this.space.style.height = `${model.height}px`;
    this.hovered = -1;
    this.hoveredRow = -1;
    this.draw();
  }

  /** Another axis, as when another layout is chosen. */
  setWhole(whole) {
    this.whole = whole;
    this.setWindow(whole);
  }

  setWindow(window) {
    const next = within(window, this.whole);
    if (next[0] === this.window[0] && next[1] === this.window[1]) return;
    this.window = next;
    if (this.options.onWindow) this.options.onWindow(next);
    this.draw();
  }

  reset() {
    this.setWindow(this.whole);
  }

  recolour() {
    this.tones = Object.fromEntries(
      ["bg", "grid", "text", "text-2", "text-3", "accent", "accent-tint", "sunk"].map((name) => [name, token(`--${name}`)]),
    );
    this.words = Uint32Array.from(this.options.colours(), (hex) => word(hex));
    this.draw();
  }

  /** The plot stands still in a box that scrolls: its height is the box's. */
  resized() {
    this.element.style.setProperty("--lanes-height", `${this.scroller.clientHeight}px`);
    this.draw();
  }

  get width() {
    return Math.max(1, this.plotElement.clientWidth);
  }

  get height() {
    return Math.max(1, this.plotElement.clientHeight);
  }

  get plot() {
    return { left: this.options.leftWidth, width: this.width, height: this.height };
  }

  x(value) {
    return pixel(value, this.window, this.width);
  }

  /** Upper edge of a row, pixels in the canvas. */
  y(row) {
    return this.model.top(row) - this.scroller.scrollTop;
  }

  /** First and last row in view, the last one exclusive. */
  get rowsInView() {
    if (!this.model || !this.model.rows.count) return [0, 0];
    const top = this.scroller.scrollTop;
    return [this.model.rowAt(top), Math.min(this.model.rows.count, this.model.rowAt(top + this.height) + 1)];
  }

  rowOf(bar) {
    const { rows } = this.model;
    return rows.of ? rows.of(bar) : this.model.rowOf(bar);
  }

  /* Drawing */

  draw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      if (this.model && this.element.isConnected) this.paint();
    });
  }

  paint() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (!this.raster || this.raster.width !== width || this.raster.height !== height) {
      this.raster = new Raster(width, height);
      Object.assign(this.canvas, { width, height });
    }
    this.ratio = ratio;
    const [from, to] = this.rowsInView;
    this.raster.clear(word(this.tones.bg));
    this.paintGround(from, to);
    for (let row = from; row < to; row += 1) this.paintRow(row);
    this.paintOver();
    const context = this.canvas.getContext("2d", { alpha: false });
    this.raster.put(context);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.options.finish) this.options.finish(context, this);
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.labels.show(this.model, from, to, this.scroller.scrollTop, this.hoveredRow);
    this.paintAxis(ratio);
    this.placeLink();
    this.painted = (this.painted || 0) + 1;
  }

  get tickStep() {
    const size = this.options.step || step;
    return size(this.window[1] - this.window[0], this.width / TICK_PX);
  }

  /** Where the axis is marked, with its words: round multiples, or what the option `ticks` makes of the window. */
  get ticks() {
    if (this.options.ticks) return this.options.ticks(this.window, this.width / TICK_PX);
    const size = this.tickStep;
    return ticks(this.window, size).map((value) => ({ value, text: this.options.format(value, size) }));
  }

  paintGround(from, to) {
    const { raster, ratio } = this;
    if (this.hoveredRow >= from && this.hoveredRow < to) {
      const [top, bottom] = [this.y(this.hoveredRow), this.y(this.hoveredRow + 1)];
      raster.rect(0, Math.round(top * ratio), raster.width, Math.round(bottom * ratio), word(this.tones["accent-tint"]));
    }
    if (this.options.ground) this.options.ground(raster, this);
    const colour = word(this.tones.grid);
    for (const { value } of this.ticks) {
      const x = Math.round(this.x(value) * ratio);
      raster.rect(x, 0, x + Math.max(1, Math.round(ratio)), raster.height, colour);
    }
  }

  /** Upper and lower edge of the bars of a row, device pixels. */
  box(row) {
    const [top, bottom] = [this.y(row) * this.ratio, this.y(row + 1) * this.ratio];
    const spare = Math.max(1, Math.round(((bottom - top) * (1 - this.options.barShare)) / 2));
    return [Math.round(top) + spare, Math.round(bottom) - spare];
  }

  paintRow(row) {
    const { raster, words, options, ratio } = this;
    const [top, bottom] = this.box(row);
    const high = bottom - top;
    const scale = raster.width / (this.window[1] - this.window[0]);
    const origin = this.window[0];
    const out = {
      push(x0, x1, upper, lower, fill) {
        const left = Math.round((x0 - origin) * scale);
        const right = Math.max(left + 1, Math.round((x1 - origin) * scale));
        raster.shape(left, top + Math.round(upper * high), right, Math.max(top + Math.round(lower * high), top + Math.round(upper * high) + 1), fill, words, Math.max(1, Math.round(ratio)));
      },
    };
    const whole = (bar, x0, x1) => {
      if (x1 - x0 >= options.least * ratio) options.segments(bar, out);
      else this.paintSmall(bar, x0, top, bottom);
    };
    const merged = (x, bar, cover) => {
      const spare = Math.round((high * (1 - cover) * 0.65) / 2);
      raster.rect(x, top + spare, x + 1, bottom - spare, words[options.fill(bar)]);
    };
    for (const run of this.model.rows.at(row).runs) {
      drawn(this.model.run(run), this.window, raster.width, options.least * ratio, whole, merged);
    }
  }

  paintSmall(bar, x0, top, bottom) {
    const width = Math.round(MARKED_PX * this.ratio);
    const left = Math.round(x0 - width / 2);
    this.raster.shape(left, top, left + width, bottom, this.options.fill(bar), this.words);
  }

  /** The hovered and the focused bar, outlined, over the others. */
  paintOver() {
    for (const [bar, tone] of [[this.hovered, "text"], [this.focused, "accent"]]) {
      const row = bar >= 0 ? this.rowOf(bar) : -1;
      if (row < 0) continue;
      const [top, bottom] = this.box(row);
      const { left, right } = this.model.bars;
      const [x0, x1] = [this.x(left[bar]) * this.ratio, this.x(right[bar]) * this.ratio];
      if (x1 - x0 < this.options.least * this.ratio) this.paintSmall(bar, x0, top, bottom);
      const thick = Math.max(1, Math.round((tone === "accent" ? 2 : 1) * this.ratio));
      const gap = thick + 1;
      this.raster.outline(Math.round(x0) - gap, top - gap, Math.round(Math.max(x1, x0 + 2)) + gap, bottom + gap, word(this.tones[tone]), thick);
    }
  }

  paintAxis(ratio) {
    const width = this.width;
    const [w, h] = [Math.round(width * ratio), Math.round(HEAD_PX * ratio)];
    if (this.axis.width !== w || this.axis.height !== h) Object.assign(this.axis, { width: w, height: h });
    const context = this.axis.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEAD_PX);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    const size = this.tickStep;
    for (const { value, text } of this.ticks) {
      const half = context.measureText(text).width / 2;
      const x = this.x(value);
      context.fillStyle = this.tones["text-2"];
      context.fillText(text, Math.min(Math.max(x, half), width - half), HEAD_PX / 2);
    }
    if (this.cursor !== null) this.paintTag(context, width, size);
  }

  paintTag(context, width, size) {
    const text = this.options.formatExact ? this.options.formatExact(this.cursor, size) : this.options.format(this.cursor, size / 100);
    const half = context.measureText(text).width / 2 + 6;
    const x = Math.min(Math.max(this.x(this.cursor), half), width - half);
    context.fillStyle = this.tones.accent;
    context.beginPath();
    context.roundRect(x - half, 3, 2 * half, HEAD_PX - 6, 4);
    context.fill();
    context.fillStyle = this.tones.bg;
    context.fillText(text, x, HEAD_PX / 2);
  }

  /* Pointing */

  /** The bar at a point of the canvas, -1 where there is none, and its row. */
  barAt(point) {
    if (!this.model || !this.model.rows.count) return [-1, -1];
    const y = point.y + this.scroller.scrollTop;
    if (y < 0 || y >= this.model.height) return [-1, -1];
    const row = this.model.rowAt(y);
    const value = place(point.x, this.window, this.width);
    const slack = (SLACK_PX / this.width) * (this.window[1] - this.window[0]);
    return [nearest(this.model, this.model.rows.at(row).runs, value, slack, hit), row];
  }

  pointAt(point) {
    const [bar, row] = point ? this.barAt(point) : [-1, -1];
    const value = point ? place(point.x, this.window, this.width) : null;
    const changed = bar !== this.hovered || row !== this.hoveredRow;
    Object.assign(this, { hovered: bar, hoveredRow: row });
    this.setCursor(value);
    if (this.options.onHover) this.options.onHover(bar, point && { ...point, row, value });
    this.placeLink();
    if (changed) this.draw();
  }

  /** The cross-hair at a place on the axis, or null for none; other panels on this axis may set it. */
  setCursor(value) {
    this.cursor = value;
    this.cross.hidden = value === null;
    if (value !== null) this.cross.style.transform = `translateX(${Math.round(this.x(value))}px)`;
    if (!this.drawing && this.model && this.ratio) this.paintAxis(this.ratio);
  }

  placeLink() {
    const href = this.hovered >= 0 && this.options.href ? this.options.href(this.hovered) : null;
    this.link.hidden = !href;
    if (!href) return;
    const [top, bottom] = this.box(this.hoveredRow).map((edge) => edge / this.ratio);
    const [x0, x1] = [this.x(this.model.bars.left[this.hovered]), this.x(this.model.bars.right[this.hovered])];
    const left = Math.max(-SLACK_PX, x0 - SLACK_PX);
    this.link.href = href;
    this.link.style.transform = `translate(${left}px, ${top}px)`;
    this.link.style.width = `${Math.min(this.width, x1 + SLACK_PX) - left}px`;
    this.link.style.height = `${bottom - top}px`;
  }

  clicked(event, point) {
    if (this.options.onClick) this.options.onClick(event, ...this.barAt(point));
  }

  /* Focus */

  /** Where keys zoom: the cross-hair, else the focused bar, else the middle. */
  anchor() {
    if (this.cursor !== null) return this.cursor;
    if (this.focused >= 0) {
      const { left, right } = this.model.bars;
      const middle = (left[this.focused] + right[this.focused]) / 2;
      if (middle >= this.window[0] && middle <= this.window[1]) return middle;
    }
    return (this.window[0] + this.window[1]) / 2;
  }

  /** Select a bar and bring it into view; -1 for none. */
  focus(bar) {
    this.focused = bar;
    if (bar >= 0) {
      this.reveal(bar);
      this.voice.textContent = this.options.describe ? this.options.describe(bar) : "";
    }
    if (this.options.onFocus) this.options.onFocus(bar);
    this.draw();
  }

  blurred() {}

  reveal(bar) {
    const row = this.rowOf(bar);
    const { left, right } = this.model.bars;
    const span = this.window[1] - this.window[0];
    if (right[bar] < this.window[0] || left[bar] > this.window[1]) {
      const middle = (left[bar] + right[bar]) / 2;
      this.setWindow([middle - span / 2, middle + span / 2]);
    }
    if (row < 0) return;
    const [top, bottom] = [this.model.top(row), this.model.top(row + 1)];
    const { scrollTop } = this.scroller;
    if (top < scrollTop || bottom > scrollTop + this.height) this.scroller.scrollTop = Math.max(0, top - this.height / 2);
  }

  /** Go to another bar: along the row, or across to the nearest one of another row. */
  walk(along, across) {
    const next = neighbour(this, along, across);
    if (next >= 0) this.focus(next);
  }

  follow() {
    const bar = this.focused >= 0 ? this.focused : this.hovered;
    const href = bar >= 0 && this.options.href ? this.options.href(bar) : null;
    if (href) {
      this.link.href = href;
      this.link.click();
    }
  }

  stop() {
    this.ending.abort();
    this.sizes.disconnect();
    this.theme.disconnect();
    if (this.drawing) cancelAnimationFrame(this.drawing);
  }
}

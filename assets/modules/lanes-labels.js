/* The labels of the rows in view, as elements: each stands at its row, and is written anew only when its row changes. */

function element(tag, classes, parent) {
  const made = document.createElement(tag);
  made.className = classes;
  if (parent) parent.append(made);
  return made;
}

/** A row of column titles above or beside the plot. */
export function columnTitles(parent, columns, first) {
  if (first !== undefined) element("span", "lanes-text", parent).textContent = first;
  for (const column of columns) {
    const cell = element("span", "lanes-cell", parent);
    cell.style.width = `${column.width}px`;
    cell.textContent = column.title;
  }
}

export class Labels {
  /** `options` are those of the view; `onFold(row)` is told of a pressed chevron. */
  constructor(parent, options) {
    this.parent = parent;
    this.options = options;
    this.slots = [];
    this.version = 0;
  }

  /** Everything is to be written anew: another model. */
  renew() {
    this.version += 1;
  }

  /** Show rows [from, to) of the model, `scroll` pixels above the upper edge, `lit` the row under the pointer. */
  show(model, from, to, scroll, lit) {
    const need = Math.max(0, to - from);
    while (this.slots.length < need) this.slots.push(this.slot());
    const size = this.slots.length;
    for (let n = from; n < to; n += 1) {
      const slot = this.slots[n % size];
      slot.seen = this.stamp;
      if (slot.row !== n || slot.version !== this.version) this.write(slot, n, model);
      slot.root.style.transform = `translateY(${model.top(n) - scroll}px)`;
      slot.root.hidden = false;
      slot.root.classList.toggle("lit", n === lit);
    }
    for (const slot of this.slots) if (slot.row < from || slot.row >= to || slot.version !== this.version) slot.root.hidden = true;
  }

  slot() {
    const root = element("div", "lanes-row", this.parent);
    const left = element("div", "lanes-left", root);
    left.style.width = `${this.options.leftWidth}px`;
    const button = element("button", "lanes-fold", left);
    button.type = "button";
    const text = element("span", "lanes-text", left);
    const cells = (this.options.leftColumns || []).map((column) => this.cell(left, column));
    const right = element("div", "lanes-right", root);
    right.style.width = `${this.options.rightWidth}px`;
    const rightCells = (this.options.rightColumns || []).map((column) => this.cell(right, column));
    const slot = { root, left, button, text, cells, rightCells, row: -1, version: -1, shown: null };
    button.addEventListener("click", () => this.options.onFold && this.options.onFold(slot.shown));
    return slot;
  }

  cell(parent, column) {
    const made = element("span", "lanes-cell", parent);
    made.style.width = `${column.width}px`;
    return made;
  }

  write(slot, n, model) {
    const row = model.rows.at(n);
    Object.assign(slot, { row: n, version: this.version, shown: row });
    slot.root.className = `lanes-row ${row.classes || ""}`;
    slot.root.style.height = `${model.top(n + 1) - model.top(n)}px`;
    slot.left.style.paddingLeft = `${(row.indent ?? row.depth ?? 0) * 14}px`;
    slot.left.title = row.title || row.label;
    slot.button.style.visibility = row.fold ? "visible" : "hidden";
    slot.button.tabIndex = row.fold ? 0 : -1;
    if (row.fold) {
      slot.button.setAttribute("aria-expanded", String(row.fold === "open"));
      slot.button.setAttribute("aria-label", `${row.fold === "open" ? "Fold" : "Unfold"} ${row.label}`);
    }
    slot.text.replaceChildren(row.label);
    if (row.note) element("span", "lanes-note", slot.text).textContent = row.note;
    slot.cells.forEach((cell, at) => this.fillCell(cell, (row.left || [])[at]));
    slot.rightCells.forEach((cell, at) => this.fillCell(cell, (row.right || [])[at]));
  }

  /** A cell holds a text, or {text, classes, title}. */
  fillCell(cell, value) {
    const said = value === null || value === undefined ? { text: "" } : typeof value === "object" ? value : { text: value };
    cell.textContent = said.text;
    cell.className = `lanes-cell ${said.classes || ""}`;
    cell.title = said.title || "";
  }
}

/* The controls of the timeline: rows, search, filters, sort, colour with its legend, exports. */

import { added } from "./panels-chart.js";
import { words } from "./panels-axis.js";
import { COLOURINGS } from "./timeline-colour.js";

const ROWS = [["conversation", "By conversation"], ["worker", "By worker"]];
const SORTS = [["start", "first start"], ["duration", "busy time"], ["tokens", "tokens"], ["ttft", "slowest TTFT"]];
const CHOICES = {
  phase: [["warmup", "warm-up"], ["profiling", "profiling"], ["other", "other"]],
  kind: [["main", "main"], ["subagent", "subagents"], ["auxiliary", "auxiliary"]],
  status: [["ok", "ok"], ["failed", "failed"], ["cancelled", "cancelled"]],
};
const SPANS = [["ttft", "TTFT, s"], ["duration", "Duration, s"], ["isl", "ISL, tokens"], ["cached", "Cached share, 0–1"]];

/** Builds the bar; `set(changes)` takes parameters as they stand in the address. Returns what brings it in line with a view. */
export function timelineBar(host, set, exportUrl) {
  const rows = added(host, "div", "segments", { role: "group", "aria-label": "Rows" });
  const buttons = ROWS.map(([value, label]) => {
    const button = added(rows, "button", "", { type: "button" }, label);
    button.addEventListener("click", () => set({ rows: value }));
    return [value, button];
  });
  const search = added(host, "input", "field timeline-search", { type: "search", placeholder: "Search id, conversation, error", "aria-label": "Search" });
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => set({ q: search.value.trim() || null }), 200);
  });
  const checks = Object.entries(CHOICES).map(([name, options]) => checklist(host, name, options, set));
  const spans = spanMenu(host, set);
  const sort = select(host, "Sort", SORTS, (value) => set({ sort: value }));
  const colour = select(host, "Colour", Object.entries(COLOURINGS).map(([key, one]) => [key, one.label]), (value) => set({ colour: value }));
  const legend = added(host, "div", "timeline-legend");
  const fold = added(host, "button", "button", { type: "button" });
  fold.addEventListener("click", () => set({ unfold: fold.dataset.open ? null : "all" }));
  const files = menu(host, "Export");
  for (const [kind, label] of [["csv", "CSV"], ["parquet", "Parquet"], ["trace", "Perfetto trace"]]) {
    added(files, "a", "option", { download: "", href: "#" }, label).addEventListener("click", (event) => {
      event.currentTarget.href = exportUrl(kind);
    });
  }
  return (view, told, format) => {
    for (const [value, button] of buttons) button.setAttribute("aria-pressed", String(value === view.rows));
    if (document.activeElement !== search) search.value = view.q || "";
    for (const check of checks) check(view);
    spans(view);
    sort.value = view.sort;
    colour.value = view.colour;
    const open = view.unfold.includes("all");
    fold.textContent = open ? "Fold all" : "Unfold all";
    fold.dataset.open = open ? "1" : "";
    fold.hidden = view.rows !== "conversation";
    fillLegend(legend, told, view, format);
  };
}

function menu(host, label) {
  const box = added(host, "details", "timeline-menu");
  added(box, "summary", "button", {}, label);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.open = false;
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) box.open = false;
  });
  return added(box, "div", "timeline-menu-panel");
}

function checklist(host, name, options, set) {
  const title = name[0].toUpperCase() + name.slice(1);
  const panel = menu(host, title);
  const boxes = options.map(([value, label]) => [value, added(added(panel, "label", "timeline-check", {}), "input", "", { type: "checkbox", value }), label]);
  for (const [, box, label] of boxes) {
    box.after(` ${label}`);
    box.addEventListener("change", () => set({ [name]: boxes.filter(([, one]) => one.checked).map(([value]) => value).join(",") || null }));
  }
  return (view) => {
    for (const [value, box] of boxes) box.checked = view[name].includes(value);
    panel.previousElementSibling.textContent = view[name].length ? `${title}: ${view[name].join(", ")}` : title;
  };
}

function spanMenu(host, set) {
  const panel = menu(host, "Ranges");
  const fields = SPANS.map(([name, label]) => {
    const line = added(panel, "label", "timeline-span", {}, label);
    const ends = ["at least", "at most"].map((word) => added(line, "input", "field", { type: "number", step: "any", placeholder: word, "aria-label": `${label} ${word}` }));
    const changed = () => set({ [name]: ends.some((end) => end.value !== "") ? ends.map((end) => end.value).join("..") : null });
    for (const end of ends) end.addEventListener("change", changed);
    return [name, ends];
  });
  return (view) => {
    for (const [name, ends] of fields) {
      ends.forEach((end, place) => {
        const value = view[name]?.[place];
        if (document.activeElement !== end) end.value = Number.isFinite(value) ? value : "";
      });
    }
    const set = fields.filter(([name]) => view[name]).length;
    panel.previousElementSibling.textContent = set ? `Ranges: ${set}` : "Ranges";
  };
}

function select(host, label, options, choose) {
  const box = added(added(host, "label", "window-choice", {}, `${label} `), "select", "field");
  for (const [value, text] of options) added(box, "option", "", { value }, text);
  box.addEventListener("change", () => choose(box.value));
  return box;
}

function fillLegend(host, legend, view, format) {
  host.replaceChildren();
  if (!legend) return;
  if (legend.kinds) {
    for (const one of legend.kinds) {
      const key = added(host, "span", "key");
      added(key, "i", "legend-swatch").style.background = legend.tone(one.fill);
      key.append(`${one.name} ${format.count(one.n)}`);
    }
    return;
  }
  const bars = added(host, "div", "legend-bars", { role: "img", "aria-label": `Colour: ${COLOURINGS[view.colour].label}, from ${words(legend.low, legend.figures, format)} to ${words(legend.high, legend.figures, format)}` });
  const most = Math.max(...legend.counts, 1);
  const tones = legend.reverse ? [...legend.colours].reverse() : legend.colours;
  legend.counts.forEach((count, step) => {
    const bar = added(bars, "i");
    bar.style.background = tones[step];
    bar.style.height = `${5 + (20 * count) / most}px`;
  });
  const line = added(host, "div", "legend-ends");
  added(line, "span", "", {}, words(legend.low, legend.figures, format));
  added(line, "span", "", {}, words(legend.high, legend.figures, format));
  if (legend.missing) added(host, "span", "quiet", {}, `grey: no value, ${format.count(legend.missing)}`);
}

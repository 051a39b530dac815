/* What stands beside the panels: the requests in flight in the window, and the statistics of those that start in it. */

import { clock } from "./panels-axis.js";
import { added } from "./panels-chart.js";

/** The list of requests: each a link to its bar in the timeline, with its own small bar. */
export function fillRail(rail, told, view, format) {
  rail.replaceChildren();
  const whole = !view.window;
  const span = told.span || view.span;
  added(rail, "h2", "", {}, whole ? "Slowest first token" : `In flight in ${clock(span[0])} – ${clock(span[1])}`);
  const failed = told.failed ? `, ${format.count(told.failed)} failed` : "";
  added(rail, "p", "quiet", {}, `${format.count(told.touching)} requests, ${format.count(told.conversations || 0)} conversations${failed}`);
  if (!told.requests.length) {
    added(rail, "p", "quiet", {}, "No request is in flight in it.");
    return;
  }
  const heads = added(rail, "div", "flight flight-heads", { "aria-hidden": "true" });
  for (const [words, classes] of [["request", ""], ["TTFT", "flight-figure"], ["ISL", "flight-figure"]]) added(heads, "span", classes, {}, words);
  const list = added(rail, "ol", "flights");
  for (const one of told.requests) item(list, one, whole ? null : span);
  const more = told.more ? `${format.count(told.more)} more. ` : "";
  added(rail, "p", "quiet", {}, `${more}A row opens its bar in the timeline; “turn” its turn in the dataset.`);
}

function item(list, one, span) {
  const row = added(list, "li", `flight state-${one.state}`);
  const link = added(row, "a", "flight-name", { href: one.href, title: `${one.name}\n${one.id}\n${one.kind || ""} ${one.why || ""}`.trim() });
  const [conversation, turn] = one.name.split(" · ");
  added(link, "span", "flight-conversation", {}, conversation);
  if (turn) added(link, "span", "", {}, `\u00a0· ${turn}`);
  if (one.state !== "ok") added(link, "span", "flight-state", {}, ` ${one.state}`);
  added(row, "span", "flight-figure", { title: "TTFT" }, one.ttft || "–");
  added(row, "span", "flight-figure quiet", { title: "ISL, tokens" }, one.isl || "–");
  if (one.turn) added(row, "a", "flight-turn", { href: one.turn }, "turn");
  const [begin, start, first, end] = one.at;
  const [low, high] = span || [begin, end ?? start];
  if (start === null || !(high > low)) return;
  const track = added(row, "span", "flight-track", { "aria-hidden": "true" });
  const share = (t) => `${Math.min(Math.max((100 * (t - low)) / (high - low), 0), 100).toFixed(2)}%`;
  const bar = (from, to, kind) => {
    if (from === null || to === null || to <= from) return;
    const piece = added(track, "i", kind);
    piece.style.left = share(from);
    piece.style.right = `calc(100% - ${share(to)})`;
  };
  bar(begin, start, "wait");
  bar(start, first ?? end, "prefill");
  bar(first, end, "decode");
}

/** The table of the window; empty where no window is set. */
export function fillStatistics(place, told, view) {
  place.replaceChildren();
  if (!view.window || !told.statistics.length) return;
  added(place, "p", "window-caption", {}, `Window ${clock(told.span[0])} – ${clock(told.span[1])}: successful requests that start in it`);
  const scroll = added(place, "div", "table-scroll", { role: "region", tabindex: "0", "aria-label": "Statistics of the window" });
  const table = added(scroll, "table", "stat-table window-table");
  const head = added(added(table, "thead"), "tr");
  added(head, "td");
  for (const name of told.columns) added(head, "th", "", { scope: "col" }, name);
  const body = added(table, "tbody");
  for (const line of told.statistics) {
    const row = added(body, "tr");
    added(row, "th", "", { scope: "row" }, line.unit ? `${line.label}, ${line.unit}` : line.label);
    for (const cell of line.cells) added(row, "td", "", {}, cell);
  }
}

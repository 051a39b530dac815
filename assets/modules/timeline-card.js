/* What is known of one request, in a card: its parts to scale, every figure, and where it leads. */

import { clock } from "./panels-axis.js";
import { added } from "./panels-chart.js";
import { CANCELLED, FAILED, KINDS } from "./timeline-data.js";

/** The name of a request: its conversation and turn. */
export function nameOf(run, i) {
  const stream = run.streamOf[i];
  const turn = run.turn(i) || (run.turn_index[i] >= 0 ? String(run.turn_index[i]) : "");
  return `${run.names[stream] || run.traces[stream]}${turn ? ` · turn ${turn}` : ""}`;
}

function stateOf(run, i) {
  if (run.state[i] & CANCELLED) return "cancelled";
  return run.state[i] & FAILED ? "failed" : "";
}

/** The request in one sentence, for those who hear it. */
export function described(run, i, format) {
  const ttft = Number.isFinite(run.ttft(i)) ? `TTFT ${format.seconds(run.ttft(i))}` : "no first token";
  const state = stateOf(run, i);
  return `${nameOf(run, i)}, ${run.phaseOf(i) || "phase unknown"}${state ? `, ${state}` : ""}, starts at ${clock(run.start[i] / 1e9, 0.1)}, ${ttft}, lasts ${format.seconds(run.duration(i))}, ${Math.max(run.isl[i], 0)} tokens in, ${Math.max(run.osl[i], 0)} out`;
}

/** Fills a card; `links` holds {turn, self, howTo}: addresses, or words on how to get the dataset. */
export function fillCard(card, run, i, format, links, pinned) {
  card.replaceChildren();
  const head = added(card, "p", "card-head");
  added(head, "b", "", {}, nameOf(run, i));
  added(head, "span", "quiet", {}, ` ${KINDS[run.stream_kind[run.streamOf[i]]]}, ${run.phaseOf(i) || "phase unknown"}`);
  const state = stateOf(run, i);
  if (state) added(head, "span", `card-state ${state}`, {}, ` ${state}${run.texts.error_category[run.error_category[i]] ? `: ${run.texts.error_category[run.error_category[i]]}` : ""}`);
  parts(card, run, i, format);
  const list = added(card, "dl", "card-facts");
  const fact = (name, value) => {
    if (!value) return;
    added(list, "dt", "", {}, name);
    added(list, "dd", "", {}, value);
  };
  fact("ISL", tokensIn(run, i, format));
  fact("OSL, ITL", [run.osl[i] >= 0 ? `${format.count(run.osl[i])} tokens` : "", format.seconds(run.itl(i))].filter(Boolean).join(" · "));
  fact("lasts", format.seconds(run.duration(i)));
  fact("starts", `${clock(run.start[i] / 1e9, 0.001)} · ${run.epochNs(run.start[i])} ns`);
  fact("lane", `${run.lane[run.streamOf[i]]}${run.worker_id[i] ? `, ${run.texts.worker_id[run.worker_id[i]]}` : ""}`);
  fact("request", run.ids ? run.ids[i] : "");
  fact("clamped", clamps(run, i));
  if (!pinned) return;
  const ways = added(card, "p", "card-ways");
  if (links.turn) added(ways, "a", "button", { href: links.turn }, "Open its dataset turn");
  added(ways, "a", "button", { href: links.self }, "Link to this request");
  if (!links.turn && links.howTo) added(card, "p", "quiet", {}, links.howTo);
}

function tokensIn(run, i, format) {
  if (run.isl[i] < 0) return "not reported";
  const all = format.count(run.isl[i]);
  if (!Number.isFinite(run.uncached(i))) return `${all} tokens, cached ones not reported`;
  const share = Number.isFinite(run.share(i)) ? ` (${format.figure(run.share(i), "%")})` : "";
  return `${all} = ${format.count(run.cached_tokens[i])} cached${share} + ${format.count(run.uncached(i))} new`;
}

function clamps(run, i) {
  return Object.entries(run.problem_bits).filter(([, bit]) => run.problems[i] & bit).map(([name]) => name).join(", ");
}

function parts(card, run, i, format) {
  const whole = Math.max(run.end[i] - run.begin[i], 1);
  const bar = added(card, "div", "card-bar", { "aria-hidden": "true" });
  const known = Number.isFinite(run.first[i]);
  const pieces = [["wait", run.begin[i], run.start[i]], ["prefill", run.start[i], known ? run.first[i] : run.end[i]], ["decode", known ? run.first[i] : run.end[i], run.end[i]]];
  for (const [kind, from, to] of pieces) if (to > from) added(bar, "i", kind).style.width = `${((100 * (to - from)) / whole).toFixed(2)}%`;
  const words = [`wait ${format.seconds(run.wait(i))}`, known ? `TTFT ${format.seconds(run.ttft(i))}` : "no first token", known ? `decode ${format.seconds((run.end[i] - run.first[i]) / 1e9)}` : ""];
  const line = added(card, "p", "card-parts");
  for (const word of words) added(line, "span", "", {}, word);
}

/* Rows of the flame graph: main turns in order of time, subagents among them folded or open; or one row a stream. Pure. */

import { clock } from "./panels-axis.js";

const TURN_PX = 18;
const GROUP_PX = 24;

/** Whether a stream is open in a view; single requests have nothing to fold. */
export function isOpen(view, stream) {
  return view.unfold.includes("all") || view.unfold.includes(stream.key);
}

/**
 * Rows by tokens. A bar below `conversation.count` is a turn; `count + n` is the folded group of stream n.
 * Each row has one bar; `measured` gives the share that a run measured for a turn, or null.
 */
export function tokenRows(conversation, view, format, measured) {
  const items = [
    ...conversation.main.turns.map((i) => ({ at: conversation.t_s[i], turn: i })),
    ...conversation.others.map((stream) => ({ at: stream.begin, stream })),
  ].sort((a, b) => a.at - b.at);
  const rows = [];
  for (const { turn, stream } of items) {
    if (stream === undefined) rows.push(turnRow(conversation, turn, 0, format, measured));
    else if (stream.turns.length === 1) rows.push(turnRow(conversation, stream.turns[0], 1, format, measured, stream.label));
    else rows.push(...groupRows(conversation, stream, view, format, measured));
  }
  return rows;
}

function times(begin, end) {
  return `${clock(begin)} – ${clock(end)}`;
}

function percent(share, format) {
  return Number.isFinite(share) ? format.figure(share, "%") : "";
}

function turnRow(conversation, i, depth, format, measured, name) {
  const label = name ? (conversation.kind[i] === "auxiliary" ? `aux ${name}` : name) : depth ? conversation.turnName(i).split(".")[1] : `Turn ${conversation.outer[i]}`;
  return {
    key: `t${i}`,
    label,
    note: conversation.isCompaction(i) ? "compaction" : "",
    depth,
    title: `${conversation.turnName(i)} · ${conversation.model[i]} · ${conversation.stop[i] || ""}`,
    fold: null,
    height: TURN_PX,
    runs: [[i, i + 1]],
    // figures are written when a row comes into view: thousands of them take longer than drawing all bars
    get left() {
      return [times(conversation.t_s[i], conversation.end[i])];
    },
    get right() {
      const share = conversation.share(i);
      return [format.rate(conversation.total[i]), conversation.cached(i) ? percent(share, format) : { text: "cold", classes: "quiet" }, measuredCell(measured(i), share, format)];
    },
    classes: depth ? "faint" : "",
  };
}

/** A measured share well below the theoretical one is marked: there the cache has lost what it could have had. */
function measuredCell(value, theory, format) {
  if (value === null) return "";
  if (!Number.isFinite(value)) return { text: "not reported", classes: "quiet" };
  const lost = theory - value > 0.1;
  return { text: `${lost ? "▾ " : ""}${percent(value, format)}`, classes: lost ? "strong" : "" };
}

function groupRows(conversation, stream, view, format, measured) {
  const open = isOpen(view, stream);
  const place = conversation.streams.indexOf(stream);
  const head = {
    key: stream.key,
    label: stream.label,
    note: `×${stream.turns.length}`,
    depth: 0,
    title: `${stream.key}, ${stream.turns.length} turns`,
    fold: open ? "open" : "closed",
    height: GROUP_PX,
    runs: open ? [] : [[conversation.count + place, conversation.count + place + 1]],
    get left() {
      return [times(stream.begin, stream.finish)];
    },
    get right() {
      const input = stream.turns.reduce((sum, i) => sum + (conversation.isl[i] || 0), 0);
      const cached = stream.turns.reduce((sum, i) => sum + conversation.cached(i), 0);
      const total = stream.turns.reduce((sum, i) => sum + conversation.total[i], 0);
      return [`Σ ${format.rate(total)}`, percent(input ? cached / input : NaN, format), ""];
    },
    stream,
  };
  if (!open) return [head];
  return [head, ...stream.turns.map((i) => turnRow(conversation, i, 1, format, measured))];
}

/** Rows by time: main above, then every stream with its turns. */
export function timeRows(conversation, format) {
  const row = (stream, height) => ({
    key: stream.key || "main",
    label: stream.kind === "auxiliary" ? `aux ${stream.label}` : stream.key ? stream.label : "main",
    note: `${stream.turns.length} turn${stream.turns.length > 1 ? "s" : ""}`,
    depth: 0,
    title: stream.key || "main",
    fold: null,
    height,
    stream,
    left: [times(stream.begin, stream.finish)],
    right: [],
  });
  return [row(conversation.main, 96), ...conversation.others.map((stream) => row(stream, stream.turns.length > 1 ? 52 : 34))];
}

/* Which requests are shown: the same rules as dashboard/domain/timeline_filter.py. Pure. */

import { CANCELLED, FAILED, KINDS } from "./timeline-data.js";

/** "2..5", "2.." or "..5" as [2, 5] with infinite open ends; null for anything else. */
export function span(text) {
  const parts = (text || "").split("..");
  if (parts.length !== 2 || (parts[0] === "" && parts[1] === "")) return null;
  const ends = [parts[0] === "" ? -Infinity : Number(parts[0]), parts[1] === "" ? Infinity : Number(parts[1])];
  return ends.every((end) => !Number.isNaN(end)) && ends[0] <= ends[1] ? ends : null;
}

/** A mask over the requests of a run, and how many it hides. */
export function shownBars(run, view) {
  const shown = new Uint8Array(run.count).fill(1);
  const spans = [["duration", (i) => run.duration(i)], ["ttft", (i) => run.ttft(i)], ["isl", (i) => (run.isl[i] >= 0 ? run.isl[i] : NaN)], ["cached", (i) => run.share(i)]];
  for (const [name, value] of spans) {
    const ends = view[name];
    if (ends) keep(shown, (i) => value(i) >= ends[0] && value(i) <= ends[1]);
  }
  const phases = run.texts.phase.map((name) => view.phase.includes(name === "warmup" || name === "profiling" ? name : "other"));
  if (view.phase.length) keep(shown, (i) => phases[run.phase[i]]);
  if (view.kind.length) keep(shown, (i) => view.kind.includes(KINDS[run.stream_kind[run.streamOf[i]]]));
  if (view.status.length) keep(shown, (i) => view.status.includes(run.state[i] & CANCELLED ? "cancelled" : run.state[i] & FAILED ? "failed" : "ok"));
  if (view.q) keep(shown, searched(run, view.q.toLowerCase()));
  let hidden = 0;
  for (let i = 0; i < shown.length; i += 1) hidden += 1 - shown[i];
  return { shown, hidden };
}

function keep(shown, fits) {
  for (let i = 0; i < shown.length; i += 1) if (shown[i] && !fits(i)) shown[i] = 0;
}

function searched(run, wanted) {
  const streams = run.names.map((name, s) => name.toLowerCase().includes(wanted) || run.traces[s].toLowerCase().includes(wanted));
  const errors = run.texts.error_category.map((name) => name !== "" && name.toLowerCase().includes(wanted));
  return (i) => streams[run.streamOf[i]] || errors[run.error_category[i]] || Boolean(run.ids && run.ids[i].toLowerCase().includes(wanted));
}

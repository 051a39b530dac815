/* A conversation as its streams: main, auxiliary requests, subagents; what ran at once; idle time folded. Pure. */

/** Gaps longer than this in which nothing runs are folded, seconds; so wide is a fold on the axis. */
export const IDLE_S = 60;
export const FOLD_S = 12;

export class Conversation {
  constructor({ turns, edges }) {
    Object.assign(this, turns);
    this.count = turns.outer.length;
    this.edges = edges;
    this.end = turns.t_s.map((t, i) => (turns.end_s[i] === null ? t : Math.max(turns.end_s[i], t)));
    this.total = turns.isl.map((isl, i) => (isl || 0) + (turns.osl[i] || 0));
    this.largest = Math.max(1, ...this.total);
    this.place = new Map(turns.outer.map((outer, i) => [this.turnName(i), i]));
    this.streams = this.gather();
  }

  /** A turn as it stands in an address: "12", or "12.3" inside a subagent. */
  turnName(i) {
    return this.inner[i] === null ? `${this.outer[i]}` : `${this.outer[i]}.${this.inner[i]}`;
  }

  cached(i) {
    return this.cached_prefix_tokens[i] || 0;
  }

  share(i) {
    return this.isl[i] > 0 ? this.cached(i) / this.isl[i] : NaN;
  }

  /** Streams by their first turn; `turns` are indices in order of time. */
  gather() {
    const found = new Map();
    for (let i = 0; i < this.count; i += 1) {
      const key = this.kind[i] === "main" ? "" : this.stream[i] || `${this.kind[i]}:${this.outer[i]}`;
      if (!found.has(key)) found.set(key, { key, kind: this.kind[i], turns: [] });
      found.get(key).turns.push(i);
    }
    for (const one of found.values()) {
      one.begin = this.t_s[one.turns[0]];
      one.finish = Math.max(...one.turns.map((i) => this.end[i]));
      one.label = one.key.replace(/^(sa|aux|auxiliary|fa|wg):/, "");
    }
    return [...found.values()];
  }

  get main() {
    return this.streams.find((one) => one.kind === "main") || this.streams[0];
  }

  get others() {
    return this.streams.filter((one) => one !== this.main);
  }

  /** Where the main conversation's context shrank. */
  isCompaction(i) {
    return Boolean(this.compaction[i]);
  }
}

/** Stretches of time in which nothing runs for longer than `IDLE_S`: [from, to] in seconds. */
export function idle(conversation) {
  const order = conversation.t_s.map((_, i) => i).sort((a, b) => conversation.t_s[a] - conversation.t_s[b]);
  const found = [];
  let busy = order.length ? conversation.t_s[order[0]] : 0;
  for (const i of order) {
    if (conversation.t_s[i] - busy > IDLE_S) found.push([busy, conversation.t_s[i]]);
    busy = Math.max(busy, conversation.end[i]);
  }
  return found;
}

/** Time with its idle stretches folded: `to(t)` is a place on the folded axis, `from(x)` the time at a place. */
export function foldedTime(gaps) {
  let saved = 0;
  const folds = gaps.map(([begin, end]) => {
    const fold = { begin, end, at: begin - saved };
    saved += end - begin - FOLD_S;
    return fold;
  });
  const to = (t) => {
    let gone = 0;
    for (const { begin, end } of folds) {
      if (t <= begin) break;
      if (t < end) return begin - gone + ((t - begin) / (end - begin)) * FOLD_S;
      gone += end - begin - FOLD_S;
    }
    return t - gone;
  };
  const from = (x) => {
    let gone = 0;
    for (const { begin, end, at } of folds) {
      if (x <= at) break;
      if (x < at + FOLD_S) return begin + ((x - at) / FOLD_S) * (end - begin);
      gone += end - begin - FOLD_S;
    }
    return x + gone;
  };
  return { to, from, folds };
}

/** Sets of streams that run at once, as spans of places in the list of rows: brackets beside the flame graph. */
export function concurrent(conversation) {
  const spans = conversation.others.map((one) => ({ one, begin: one.begin, end: one.finish })).sort((a, b) => a.begin - b.begin);
  const groups = [];
  for (const span of spans) {
    const last = groups[groups.length - 1];
    if (last && span.begin < last.end) {
      last.members.push(span.one);
      last.end = Math.max(last.end, span.end);
    } else groups.push({ members: [span.one], begin: span.begin, end: span.end });
  }
  return groups.map((group) => ({ ...group, most: mostAtOnce(conversation, group.begin, group.end) })).filter((group) => group.most > 1);
}

/** The most requests in flight at one moment of a stretch. */
export function mostAtOnce(conversation, begin, end) {
  const events = [];
  for (let i = 0; i < conversation.count; i += 1) {
    if (conversation.end[i] <= begin || conversation.t_s[i] >= end || conversation.end[i] <= conversation.t_s[i]) continue;
    events.push([conversation.t_s[i], 1], [conversation.end[i], -1]);
  }
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let level = 0;
  let most = 0;
  for (const [, change] of events) {
    level += change;
    most = Math.max(most, level);
  }
  return most;
}

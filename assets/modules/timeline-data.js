/* The requests of a run as typed columns, read from the binary answer. Layout: dashboard/domain/timeline_payload.py. */

const ARRAYS = { f8: Float64Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

export const FAILED = 1;
export const CANCELLED = 2;
export const KINDS = ["main", "auxiliary", "subagent"];

/** Columns in the order of lane, stream and moment; moments are ns from the zero of the run's axis. */
export class Run {
  constructor(buffer) {
    const size = new DataView(buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
    Object.assign(this, header);
    for (const [name, [offset, count, kind]] of Object.entries(header.columns)) {
      // the header ends at a multiple of 8 behind its length, so every column is aligned
      this[name] = new ARRAYS[kind](buffer, 4 + size + offset, count);
    }
    this.streams = this.lane.length;
    this.streamOf = new Uint32Array(this.count);
    for (let s = 0; s < this.streams; s += 1) this.streamOf.fill(s, this.bounds[s], this.bounds[s + 1]);
    this.ids = null;
    this.whole = this.ends();
  }

  ends() {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < this.count; i += 1) {
      if (this.begin[i] < low) low = this.begin[i];
      if (this.end[i] > high) high = this.end[i];
    }
    return this.count ? [low, Math.max(high, low + 1)] : [0, 1e9];
  }

  /** Seconds of one request; NaN where the moment is missing. */
  ttft(i) {
    return (this.first[i] - this.start[i]) / 1e9;
  }

  wait(i) {
    return (this.start[i] - this.begin[i]) / 1e9;
  }

  duration(i) {
    return (this.end[i] - this.start[i]) / 1e9;
  }

  /** Inter-token latency, seconds: decode time over the tokens after the first. */
  itl(i) {
    return this.osl[i] > 1 ? (this.end[i] - this.first[i]) / 1e9 / (this.osl[i] - 1) : NaN;
  }

  uncached(i) {
    return this.isl[i] >= 0 && this.cached_tokens[i] >= 0 ? this.isl[i] - this.cached_tokens[i] : NaN;
  }

  share(i) {
    return this.isl[i] > 0 && this.cached_tokens[i] >= 0 ? this.cached_tokens[i] / this.isl[i] : NaN;
  }

  phaseOf(i) {
    return this.texts.phase[this.phase[i]];
  }

  /** The moment of a request as epoch ns, to the last digit. */
  epochNs(value) {
    return (BigInt(this.zero_ns) + BigInt(Math.round(value))).toString();
  }

  /** The turn of the dataset as it stands in a URL: "12", or "12.3" inside a subagent; empty where not known. */
  turn(i) {
    if (this.source_outer[i] < 0) return "";
    return this.source_inner[i] < 0 ? `${this.source_outer[i]}` : `${this.source_outer[i]}.${this.source_inner[i]}`;
  }
}

/** Requests in flight after each change: moments ascending (ns) and how many. */
export function inFlight(run) {
  const starts = Float64Array.from(run.start).sort();
  const ends = Float64Array.from(run.end).sort();
  const t = new Float64Array(2 * run.count);
  const v = new Int32Array(2 * run.count);
  let [a, b, level, n] = [0, 0, 0, 0];
  while (a < starts.length || b < ends.length) {
    const moment = a < starts.length && starts[a] < ends[b] ? starts[a] : ends[b];
    while (a < starts.length && starts[a] === moment) {
      a += 1;
      level += 1;
    }
    while (b < ends.length && ends[b] === moment) {
      b += 1;
      level -= 1;
    }
    if (n && v[n - 1] === level) continue;
    t[n] = moment;
    v[n] = level;
    n += 1;
  }
  return { t: t.subarray(0, n), v: v.subarray(0, n) };
}

/** A step line in `cells` equal parts of its extent: each keeps its first moment with its highest value, and its last point. */
export function thinned({ t, v }, cells) {
  const n = t.length;
  if (n <= 2 * cells) return { t, v };
  const found = { t: new Float64Array(2 * cells + 2), v: new Float64Array(2 * cells + 2) };
  const scale = cells / (t[n - 1] - t[0]);
  let size = 0;
  for (let at = 0; at < n; ) {
    const cell = Math.floor((t[at] - t[0]) * scale);
    const first = at;
    let most = v[at];
    for (at += 1; at < n && Math.floor((t[at] - t[0]) * scale) === cell; at += 1) if (v[at] > most) most = v[at];
    found.t.set([t[first], t[at - 1]], size);
    found.v.set([most, v[at - 1]], size);
    size += 2;
  }
  return { t: found.t.subarray(0, size), v: found.v.subarray(0, size) };
}

/** Requests that have ended by each moment: their ends, ascending. */
export function completedEnds(run) {
  const ends = [];
  for (let i = 0; i < run.count; i += 1) if (!run.state[i]) ends.push(run.end[i]);
  return Float64Array.from(ends).sort();
}

/** How many of an ascending array are at most `value`. */
export function countUpTo(ascending, value) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

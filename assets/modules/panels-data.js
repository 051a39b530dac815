/* The binary answer of all panels, read: a JSON header, then float32 arrays. Layout: dashboard/domain/panel_payload.py. */

/** {span, phases, specs, panels}: arrays are views into the answer, nothing is copied. */
export function decode(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const array = ([offset, count]) => new Float32Array(buffer, 4 + size + offset, count);
  return { ...about, panels: about.panels.map((panel) => read(panel, array)) };
}

/** Named arrays in the same layout, beside what the header says. */
export function arraysOf(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const named = Object.entries(about.arrays).map(([name, [offset, count]]) => [name, new Float32Array(buffer, 4 + size + offset, count)]);
  return { ...about, ...Object.fromEntries(named) };
}

function read(panel, array) {
  const bars = (one) => ({ ...one, edges: array(one.edges), counts: array(one.counts), cumulative: array(one.cumulative) });
  return {
    ...panel,
    lines: panel.lines.map((line) => ({ ...line, t: array(line.t), v: array(line.v) })),
    dots: panel.dots ? { ...panel.dots, t: array(panel.dots.t), v: array(panel.dots.v) } : null,
    failed: panel.failed ? array(panel.failed) : new Float32Array(0),
    histograms: Object.fromEntries(Object.entries(panel.histograms || {}).map(([phase, one]) => [phase, bars(one)])),
  };
}

/** The value that a line has at a moment; NaN before its first sample, after its last, and in its gaps. */
export function valueAt(line, t) {
  const { t: times, v: values } = line;
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  const place = low - 1;
  if (place < 0 || (place === times.length - 1 && !line.step && t > times[place])) return NaN;
  return values[place];
}

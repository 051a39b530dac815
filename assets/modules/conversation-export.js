/* The flame graph as a picture of its own: all rows, title, scale, key and source inside. */

const [LABEL, WIDTH, RIGHT, HEAD, ROW] = [250, 760, 110, 78, 18];

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
}

/** SVG text of all rows; `segments(bar, out)` as for the lane canvas. */
export function flameSvg({ rows, segments, whole, fills, tones, title, caption, label, byTime, order, ticks }) {
  const heights = rows.map((row) => row.height || ROW);
  const height = HEAD + heights.reduce((sum, one) => sum + one, 0) + 34;
  const x = (value) => LABEL + ((value - whole[0]) / (whole[1] - whole[0])) * WIDTH;
  const parts = [];
  const text = (left, top, words, more = "") => parts.push(`<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" ${more}>${escaped(words)}</text>`);
  text(16, 24, title, `font-size="16" font-weight="600"`);
  if (label) text(LABEL + WIDTH + RIGHT - 16, 24, label, `font-weight="600" text-anchor="end" fill="${tones.badge}"`);
  ["cached prefix", "uncached input", "output"].forEach((name, n) => {
    parts.push(`<rect x="${LABEL + n * 130}" y="36" width="10" height="10" fill="${fills[n]}"/>`);
    text(LABEL + 15 + n * 130, 45, name);
  });
  for (const { value, text: words } of ticks) {
    parts.push(`<line x1="${x(value).toFixed(1)}" x2="${x(value).toFixed(1)}" y1="${HEAD - 6}" y2="${height - 34}" stroke="${tones.grid}"/>`);
    text(x(value), HEAD - 10, words, `text-anchor="middle" fill="${tones["text-2"]}"`);
  }
  let top = HEAD;
  rows.forEach((row, n) => {
    const high = heights[n];
    text(16 + (row.depth || 0) * 14, top + Math.min(high, ROW) - 5, `${row.label} ${row.note || ""}`);
    const bars = (row.runs || []).flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => (order ? order[from + i] : from + i)));
    const spare = high * 0.14;
    const out = {
      push(x0, x1, upper, lower, fill) {
        const wide = Math.max(x(x1) - x(x0), 0.5);
        parts.push(`<rect x="${x(x0).toFixed(2)}" y="${(top + spare + upper * (high - 2 * spare)).toFixed(2)}" width="${wide.toFixed(2)}" height="${Math.max((lower - upper) * (high - 2 * spare), 0.4).toFixed(2)}" fill="${fills[fill]}"/>`);
      },
    };
    for (const bar of bars) segments(bar, out);
    const said = row.right?.[0];
    if (!byTime && said) text(LABEL + WIDTH + RIGHT - 16, top + Math.min(high, ROW) - 5, said.text || said, `text-anchor="end" fill="${tones["text-2"]}"`);
    top += high;
  });
  text(16, height - 12, `${caption} · ${byTime ? "width: recorded time, idle folded; height: tokens" : "length: tokens, one scale for all turns"}`, `fill="${tones["text-2"]}"`);
  const width = LABEL + WIDTH + RIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="${tones.text}"><rect width="${width}" height="${height}" fill="${tones.bg}"/>${parts.join("")}</svg>`;
}

/** Lets the browser save a file. */
export function saved(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^A-Za-z0-9._-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Saves an SVG text as PNG, twice as fine, as far as a canvas may be high. */
export async function savedPicture(text, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(2, 30000 / image.height);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error("The picture is too large for this browser; take the SVG.");
  saved(blob, name);
}

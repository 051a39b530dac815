/* A software rasteriser for axis-aligned shapes: one buffer of pixels, written straight. Without a GPU this is many times
   as fast as fillRect, and every pixel is known. */

export const HATCH = 0x10000;
export const OUTLINE = 0x20000;
const INDEX = 0xffff;

/** A CSS colour #rrggbb as a little-endian RGBA word, mixed with `ground` by `alpha`. */
export function word(hex, alpha = 1, ground = "#000000") {
  const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
  const mix = (at) => Math.round(part(hex, at) * alpha + part(ground, at) * (1 - alpha));
  return ((255 << 24) | (mix(5) << 16) | (mix(3) << 8) | mix(1)) >>> 0;
}

/** Pixels of a canvas of `width` x `height` device pixels. */
export class Raster {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.image = typeof ImageData === "undefined" ? null : new ImageData(width, height);
    this.pixels = this.image ? new Uint32Array(this.image.data.buffer) : new Uint32Array(width * height);
  }

  clear(colour) {
    this.pixels.fill(colour);
  }

  /** Fill [x0, x1) x [y0, y1), cut at the edges; corners are whole device pixels. */
  rect(x0, y0, x1, y1, colour) {
    const left = x0 < 0 ? 0 : x0;
    const right = x1 > this.width ? this.width : x1;
    const bottom = y1 > this.height ? this.height : y1;
    if (right <= left) return;
    if (right - left === 1) {
      for (let at = (y0 < 0 ? 0 : y0) * this.width + left; at < bottom * this.width; at += this.width) this.pixels[at] = colour;
      return;
    }
    for (let y = y0 < 0 ? 0 : y0; y < bottom; y += 1) this.pixels.fill(colour, y * this.width + left, y * this.width + right);
  }

  /** Diagonal lines of `colour`, `thick` of every `every` pixels, over what is there. */
  hatch(x0, y0, x1, y1, colour, every = 6, thick = 2) {
    const left = Math.max(0, x0);
    const right = Math.min(this.width, x1);
    for (let y = Math.max(0, y0); y < Math.min(this.height, y1); y += 1) {
      const row = y * this.width;
      for (let x = left; x < right; x += 1) if ((x + y) % every < thick) this.pixels[row + x] = colour;
    }
  }

  outline(x0, y0, x1, y1, colour, thick = 1) {
    this.rect(x0, y0, x1, y0 + thick, colour);
    this.rect(x0, y1 - thick, x1, y1, colour);
    this.rect(x0, y0, x0 + thick, y1, colour);
    this.rect(x1 - thick, y0, x1, y1, colour);
  }

  /** A rectangle whose fill is an index into `words`, with HATCH or OUTLINE. */
  shape(x0, y0, x1, y1, fill, words, thick = 1) {
    const colour = words[fill & INDEX];
    if (fill & HATCH) this.hatch(x0, y0, x1, y1, colour, 5 * thick, 2 * thick);
    if (fill & OUTLINE) this.outline(x0, y0, x1, y1, colour, thick);
    if (!(fill & (HATCH | OUTLINE))) this.rect(x0, y0, x1, y1, colour);
  }

  put(context) {
    context.putImageData(this.image, 0, 0);
  }
}

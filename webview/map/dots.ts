/**
 * Draws the sample on a canvas: 100,000 points per frame. If thousands are visible, they are set pixel by pixel, darker
 * if several fall on one; otherwise each is a round dot.
 */
import type { Points, Size, View } from './geometry.ts';
import type { Place } from './pens.ts';

/** With more visible points than this, they are set pixel by pixel. */
const FEW = 2500;
/** From this many points on, each is one pixel of the page; fewer are two pixels wide. */
const MANY = 20_000;
export const DOT_RADIUS = 2.5;
/** The opacity of a pixel by the number of points on it. */
const SHADES = [0, 0.5, 0.7, 0.85, 1];

export type Rgb = readonly [number, number, number];

/**
 * Fills the canvas with the background and the sample.
 *
 * @param ratio canvas pixels per page pixel
 */
export function paintDots(
  paper: CanvasRenderingContext2D,
  points: Points,
  view: View,
  size: Size,
  { ratio, ground, color }: { readonly ratio: number; readonly ground: Rgb; readonly color: Rgb },
): void {
  const dots = dotsInSight(points, view, size);
  if (dots.length <= 2 * FEW) {
    paper.fillStyle = css(ground);
    paper.fillRect(0, 0, size.width, size.height);
    paper.fillStyle = css(color);
    paper.beginPath();
    for (let at = 0; at < dots.length; at += 2) {
      paper.moveTo(dots[at]! + DOT_RADIUS, dots[at + 1]!);
      paper.arc(dots[at]!, dots[at + 1]!, DOT_RADIUS, 0, 2 * Math.PI);
    }
    paper.fill();
    return;
  }
  paper.putImageData(pixels(dots, size, ratio, ground, color), 0, 0);
}

/** The visible points in page coordinates, for a picture other than a canvas. */
export function dotPlaces(points: Points, view: View, size: Size): Place[] {
  const dots = dotsInSight(points, view, size);
  return Array.from({ length: dots.length / 2 }, (_, at) => ({ x: dots[2 * at]!, y: dots[2 * at + 1]! }));
}

/** x and y alternating. */
function dotsInSight({ xs, ys, signs }: Points, view: View, { width, height }: Size): Float32Array {
  const dots = new Float32Array(2 * (xs.length - signs));
  let count = 0;
  for (let at = signs; at < xs.length; at++) {
    const x = (xs[at]! - view.x) * view.scale + width / 2;
    const y = (ys[at]! - view.y) * view.scale + height / 2;
    if (x < 0 || x >= width || y < 0 || y >= height) continue;
    dots[count++] = x;
    dots[count++] = y;
  }
  return dots.subarray(0, count);
}

function pixels(dots: Float32Array, size: Size, ratio: number, ground: Rgb, color: Rgb): ImageData {
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  const hits = new Uint8Array(width * height);
  const reach = Math.max(1, Math.round(dots.length < 2 * MANY ? 2 * ratio : ratio));
  for (let at = 0; at < dots.length; at += 2) {
    const [left, top] = [Math.floor(dots[at]! * ratio), Math.floor(dots[at + 1]! * ratio)];
    for (let y = top; y < Math.min(height, top + reach); y++)
      for (let x = left; x < Math.min(width, left + reach); x++) {
        const place = y * width + x;
        if (hits[place]! < SHADES.length - 1) hits[place]!++;
      }
  }
  const image = new ImageData(width, height);
  const shades = Uint32Array.from(SHADES, (share) => packed(ground, color, share));
  const whole = new Uint32Array(image.data.buffer);
  for (let place = 0; place < whole.length; place++) whole[place] = shades[hits[place]!]!;
  return image;
}

/** In the byte order of every machine that runs the editor. */
function packed(ground: Rgb, color: Rgb, share: number): number {
  const [red, green, blue] = ground.map((value, at) => Math.round(value + (color[at]! - value) * share));
  return ((255 << 24) | (blue! << 16) | (green! << 8) | red!) >>> 0;
}

const css = ([red, green, blue]: Rgb): string => `rgb(${red}, ${green}, ${blue})`;

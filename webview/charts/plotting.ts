/** Helpers of all drawings. Imports the drawing library, so only draw.ts and its drawings may import this module. */
import * as Plot from '@observablehq/plot';
import type { Axis, Look } from './chart.ts';

/** A finished picture, not yet in the document. */
export interface Picture {
  readonly svg: SVGSVGElement;
  /** The clicked cell, in charts with pickable cells. */
  pickedBy?(event: Event): { readonly row: number; readonly column: number } | undefined;
}

export const MUTED = 'var(--muted)';
export const GROUND = 'var(--ground)';
/** Widths of letters at the text size of charts, rounded up. */
export const LETTER = 6.1;
const CAPITAL = 7.8;
export const LINE = 14;
/** The longest label that is not cut, in characters. */
const LONGEST = 24;

export const colour = ({ hue }: Pick<Look, 'hue'>): string => `var(--series-${hue})`;
export const cut = (text: string, longest = LONGEST): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
export const widthOf = (text: string): number =>
  [...text].reduce((sum, sign) => sum + (/[\p{Lu}\p{Lo}mw@%+…]/u.test(sign) ? CAPITAL : LETTER), 4);

export interface Margins {
  readonly marginTop: number;
  readonly marginRight: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The library's style sheet is in charts.css, because the page forbids style elements. */
export function plot(options: Plot.PlotOptions): SVGSVGElement {
  const svg = Plot.plot({
    className: 'plot',
    color: { type: 'identity' },
    opacity: { type: 'identity' },
    figure: false,
    ...options,
  }) as SVGSVGElement;
  for (const style of svg.querySelectorAll('style')) style.remove();
  // The name and the text alternative around the picture describe it.
  for (const named of svg.querySelectorAll('[aria-label]')) named.removeAttribute('aria-label');
  svg.setAttribute('aria-hidden', 'true');
  return svg;
}

export const share = (value: number): string => `${Math.round(value * 100)}%`;

export function axisOptions({ label, share: isShare }: Axis): Plot.ScaleOptions {
  return { label, labelArrow: 'none', ...(isShare ? { tickFormat: share } : {}) };
}

/** A linear or logarithmic axis with known pixel positions. */
export interface PixelAxis {
  readonly type: 'linear' | 'log';
  readonly domain: readonly [number, number];
  toPixel(value: number): number;
  toValue(pixel: number): number;
}

export function pixelAxis(
  type: PixelAxis['type'],
  domain: readonly [number, number],
  range: readonly [number, number],
): PixelAxis {
  const scale = type === 'log' ? Math.log : (value: number): number => value;
  const unscale = type === 'log' ? Math.exp : (value: number): number => value;
  const [from, to] = [scale(domain[0]), scale(domain[1])];
  return {
    type,
    domain,
    toPixel: (value) => range[0] + ((scale(value) - from) / (to - from)) * (range[1] - range[0]),
    toValue: (pixel) => unscale(from + ((pixel - range[0]) / (range[1] - range[0])) * (to - from)),
  };
}

interface Ends {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export function segment(ends: Ends, options: Plot.LinkOptions): Plot.Link {
  return Plot.link([ends], { x1: 'x1', y1: 'y1', x2: 'x2', y2: 'y2', ...options });
}

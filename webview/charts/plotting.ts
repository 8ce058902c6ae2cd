/** Helpers of all drawings. Imports the drawing library, so only draw.ts and its drawings may import this. */
import * as Plot from '@observablehq/plot';
import type { Axis, Look } from './chart.ts';

/** A finished picture, not yet in the document. */
export interface Picture {
  readonly svg: SVGSVGElement;
  /** The cell that was clicked, in charts whose cells can be picked. */
  pickedBy?(event: Event): { readonly row: number; readonly column: number } | undefined;
}

export const MUTED = 'var(--muted)';
export const GROUND = 'var(--ground)';
/** Widths of letters at the size of a chart's text, on the safe side. */
export const LETTER = 6.1;
const CAPITAL = 7.8;
export const LINE = 14;
/** As many letters as a label may have before it is cut. */
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

/** The library's style sheet stands in charts.css: a page may not bring style elements of its own. */
export function plot(options: Plot.PlotOptions): SVGSVGElement {
  const svg = Plot.plot({
    className: 'plot',
    color: { type: 'identity' },
    opacity: { type: 'identity' },
    figure: false,
    ...options,
  }) as SVGSVGElement;
  for (const style of svg.querySelectorAll('style')) style.remove();
  // The words around the picture are its name and its alternative.
  for (const named of svg.querySelectorAll('[aria-label]')) named.removeAttribute('aria-label');
  svg.setAttribute('aria-hidden', 'true');
  return svg;
}

export const share = (value: number): string => `${Math.round(value * 100)}%`;

export function axisOptions({ label, share: isShare }: Axis): Plot.ScaleOptions {
  return { label, labelArrow: 'none', ...(isShare ? { tickFormat: share } : {}) };
}

/** A linear or logarithmic axis whose pixels are known before it is drawn. */
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

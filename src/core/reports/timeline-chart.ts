/** A timeline as a picture that stands in any document: SVG without scripts, readable on light and dark ground. */
import type { Timeline, TimelineSeries } from '../history/timeline.ts';
import { escapeXml } from './escape.ts';

const SIZE = { width: 720, height: 160, left: 40, right: 12, top: 12, bottom: 12, legend: 18 };
const TEXT = '#8a8a8a';
/** Okabe and Ito's palette without its black and yellow: told apart with colour blindness, on light and dark ground. */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9'];
/** Series are not told apart by colour alone. */
const DASHES = ['', '6 3', '2 3', '8 3 2 3'];

/**
 * Runs stand side by side in their order, whatever time passed between them; the vertical axis is from 0 to 100%.
 *
 * @returns an `svg` element
 */
export function timelineChart({ metric, series }: Timeline): string {
  const height = SIZE.height + series.length * SIZE.legend;
  const grid = [0, 0.5, 1].map((value) => {
    const y = yOf(value);
    return (
      `<line x1="${SIZE.left}" x2="${SIZE.width - SIZE.right}" y1="${y}" y2="${y}" stroke="${TEXT}" stroke-opacity="0.4"/>` +
      `<text x="${SIZE.left - 6}" y="${y + 4}" text-anchor="end">${value * 100}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${height}" width="${SIZE.width}" height="${height}" role="img" font-family="sans-serif" font-size="12" fill="${TEXT}">`,
    `<title>${escapeXml(metric)}</title>`,
    ...grid,
    ...series.map(line),
    '</svg>',
  ].join('');
}

function line({ name, values }: TimelineSeries, index: number): string {
  const colour = COLOURS[index % COLOURS.length]!;
  const dash = DASHES[index % DASHES.length]!;
  const points = values.flatMap((value, place) =>
    value === null ? [] : [{ x: xOf(place, values.length), y: yOf(value), value }],
  );
  const path = points.map(({ x, y }) => `${x},${y}`).join(' ');
  const stroke = `stroke="${colour}" stroke-width="2"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}`;
  const y = SIZE.height + index * SIZE.legend + 6;
  const last = points.at(-1)!;
  return [
    `<polyline points="${path}" fill="none" ${stroke}/>`,
    ...points.map((point) => `<circle cx="${point.x}" cy="${point.y}" r="2.5" fill="${colour}"/>`),
    `<line x1="${SIZE.left}" x2="${SIZE.left + 28}" y1="${y}" y2="${y}" ${stroke}/>`,
    `<text x="${SIZE.left + 36}" y="${y + 4}">${escapeXml(name)}: ${(last.value * 100).toFixed(1)}</text>`,
  ].join('');
}

function xOf(place: number, runs: number): number {
  const room = SIZE.width - SIZE.left - SIZE.right;
  return round(SIZE.left + (runs === 1 ? room / 2 : (room * place) / (runs - 1)));
}

function yOf(value: number): number {
  const room = SIZE.height - SIZE.top - SIZE.bottom;
  return round(SIZE.top + room * (1 - value));
}

const round = (number: number): number => Math.round(number * 10) / 10;

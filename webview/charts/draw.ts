/**
 * Pictures of charts, by Observable Plot. Only this module and what it alone imports know the library: they are loaded
 * with the first chart that comes into sight. Elsewhere only types are imported from here.
 *
 * Colours are variables of charts.css, so that a picture follows the theme without being drawn again.
 */
import { drawCurves } from './draw-curves.ts';
import { drawDots } from './draw-dots.ts';
import { drawHeat } from './draw-heat.ts';
import { drawLines } from './draw-lines.ts';
import { drawMovement } from './draw-movement.ts';
import { drawScatter } from './draw-scatter.ts';
import { drawTimeline } from './draw-timeline.ts';
import type { Picture } from './plotting.ts';

/** By the kind of chart. */
const DRAWINGS = {
  curves: drawCurves,
  lines: drawLines,
  scatter: drawScatter,
  dots: drawDots,
  heat: drawHeat,
  movement: drawMovement,
  timeline: drawTimeline,
};

export type Chart = Parameters<(typeof DRAWINGS)[keyof typeof DRAWINGS]>[0];

/** @param width of the space there is, in pixels; a picture may be wider and is scrolled then */
export function drawChart(chart: Chart, width: number): Picture {
  const draw = DRAWINGS[chart.kind] as (chart: Chart, width: number) => Picture | SVGSVGElement;
  const drawn = draw(chart, width);
  return drawn instanceof SVGSVGElement ? { svg: drawn } : drawn;
}

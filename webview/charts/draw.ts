/**
 * Draws charts with Observable Plot. Only this module and the modules that it alone imports use the library; they are
 * loaded with the first visible chart. Other modules import only types from here.
 *
 * Colours are variables of charts.css, so that charts follow the theme without being drawn again.
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

/** @param width of the available space, in pixels; a wider chart is scrolled */
export function drawChart(chart: Chart, width: number): Picture {
  const draw = DRAWINGS[chart.kind] as (chart: Chart, width: number) => Picture | SVGSVGElement;
  const drawn = draw(chart, width);
  return drawn instanceof SVGSVGElement ? { svg: drawn } : drawn;
}

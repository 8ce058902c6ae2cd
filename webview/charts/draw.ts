/**
 * Pictures of charts, by Observable Plot. Only this module and what it alone imports know the library: they are loaded
 * with the first chart that comes into sight.
 *
 * Colours are variables of charts.css, so that a picture follows the theme without being drawn again.
 */
import type { Chart } from './chart.ts';
import { drawCurves } from './draw-curves.ts';
import { drawDots } from './draw-dots.ts';
import { drawHeat } from './draw-heat.ts';
import { drawLines } from './draw-lines.ts';
import { drawMovement } from './draw-movement.ts';
import { drawScatter } from './draw-scatter.ts';
import { drawTimeline } from './draw-timeline.ts';
import type { Picture } from './plotting.ts';

/** @param width of the space there is, in pixels; a picture may be wider and is scrolled then */
export function drawChart(chart: Chart, width: number): Picture {
  switch (chart.kind) {
    case 'curves':
      return { svg: drawCurves(chart, width) };
    case 'lines':
      return { svg: drawLines(chart, width) };
    case 'scatter':
      return { svg: drawScatter(chart, width) };
    case 'dots':
      return { svg: drawDots(chart, width) };
    case 'heat':
      return drawHeat(chart, width);
    case 'movement':
      return { svg: drawMovement(chart, width) };
    case 'timeline':
      return drawTimeline(chart, width);
  }
}

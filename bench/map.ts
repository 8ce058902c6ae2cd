/**
 * The map of the candidates while it is moved, among other passages of the corpus:
 * `node bench/map.ts [--points 100000] [--json]`.
 *
 * A frame is the time of one step until the next one can begin, in the panel's real bundle in Chromium without a
 * graphics card; it is never shorter than the screen's own. The reference, in the same run, draws every point as a
 * separate circle. Exit code 1 if the median frame takes more than 34 ms, which is 30 in a second.
 */
import { parseArgs } from 'node:util';
import { fromMapSchema } from '../src/features/map/contract/panel.ts';
import { PanelPage } from '../test/e2e/support/panel-page.ts';
import { MAP_FIXTURES, sampleOf } from '../test/panels/map-fixtures.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const STEPS = 120;
const REFERENCE_STEPS = 20;
const MAX_MS = 34;

const { values: options } = parseArgs({
  options: { points: { type: 'string', default: '100000' }, json: { type: 'boolean', default: false } },
});
const points = Number(options.points);
const panel = await PanelPage.open('map', (message) => fromMapSchema.parse(message));
try {
  await panel.page.setViewportSize({ width: 1360, height: 900 });
  await panel.show('sampled', 'dark', '.map');
  const { map, ...state } = MAP_FIXTURES.sampled;
  await panel.post({ type: 'state', state: { ...state, map: { ...map!, sample: sampleOf(points) } } });
  const whole = percentiles(await frames(1));
  const near = percentiles(await frames(6));
  const reference = percentiles(await circles());
  const rows = [
    ['whole', whole],
    ['six times as large', near],
    ['a circle for each point (reference)', reference],
  ] as const;
  console.log(
    options.json
      ? JSON.stringify({ points, whole, near, reference })
      : table(
          ['frame', 'p50', 'p99'],
          rows.map(([name, { p50, p99 }]) => [name, milliseconds(p50), milliseconds(p99)]),
        ),
  );
  if (Math.max(whole.p50, near.p50) > MAX_MS) process.exitCode = 1;
} finally {
  await panel.close();
}

/** Drags the map, one step in each frame. @param zoom relative to the whole map */
function frames(zoom: number): Promise<number[]> {
  return panel.page.evaluate(
    async ({ steps, by }) => {
      const element = document.querySelector('parallax-map') as HTMLElement & { zoom(by: number): void };
      element.zoom(by);
      const frame = (): Promise<number> => new Promise(requestAnimationFrame);
      element.setPointerCapture = () => undefined;
      const at = (type: string, step: number): void => {
        const turn = (2 * Math.PI * step) / steps;
        const { left, top } = element.getBoundingClientRect();
        const place = {
          clientX: left + 300 + 150 * Math.cos(turn),
          clientY: top + 250 + 100 * Math.sin(turn),
        };
        element.dispatchEvent(new PointerEvent(type, { ...place, bubbles: true, pointerId: 1 }));
      };
      at('pointerdown', 0);
      const times: number[] = [];
      let last = await frame();
      for (let step = 1; step <= steps; step++) {
        at('pointermove', step);
        const now = await frame();
        times.push(now - last);
        last = now;
      }
      at('pointerup', steps);
      element.zoom(1 / by);
      return times;
    },
    { steps: STEPS, by: zoom },
  );
}

function circles(): Promise<number[]> {
  return panel.page.evaluate(
    async ({ count, steps }) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [900, 560];
      document.body.append(canvas);
      const paper = canvas.getContext('2d')!;
      const frame = (): Promise<number> => new Promise(requestAnimationFrame);
      const times: number[] = [];
      let last = await frame();
      for (let step = 0; step < steps; step++) {
        paper.clearRect(0, 0, canvas.width, canvas.height);
        for (let point = 0; point < count; point++) {
          paper.beginPath();
          paper.arc((point * 7.31 + step) % 900, (point * 3.17) % 560, 2.5, 0, 7);
          paper.fill();
        }
        // Reading a pixel waits for all earlier drawing.
        paper.getImageData(0, 0, 1, 1);
        const now = await frame();
        times.push(now - last);
        last = now;
      }
      canvas.remove();
      return times;
    },
    { count: points, steps: REFERENCE_STEPS },
  );
}

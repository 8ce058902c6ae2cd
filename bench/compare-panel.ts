/**
 * The compare panel while a large comparison is opened, scrolled, sorted and filtered:
 * `npm run bench -- compare-panel [--pipelines 50] [--queries 2000] [--runs 5] [--json]`.
 *
 * A frame is the time of a step until the next one can begin, in the panel's real bundle in Chromium without a graphics
 * card; it is never shorter than the screen's own. The reference, in the same run, is the idle panel. The longest frame
 * of each run counts, including other work of the machine, so the least disturbed run gives the cost of the panel. Exit
 * code 1 if that is more than 100 ms.
 */
import { parseArgs } from 'node:util';
import { fromCompareSchema } from '../src/features/compare/contract/panel.ts';
import { PanelPage } from '../test/e2e/support/panel-page.ts';
import { crowdOf } from '../test/panels/compare-fixtures.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const MAX_MS = 100;
/** Frames after a step in which its work may continue. */
const AFTER = 30;
const SCROLLS = 60;

const { values: options } = parseArgs({
  options: {
    pipelines: { type: 'string', default: '50' },
    queries: { type: 'string', default: '2000' },
    runs: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const { state, comparison } = crowdOf(Number(options.pipelines), Number(options.queries));
const messages: readonly unknown[] = [
  { type: 'comparison', comparison },
  { type: 'state', state },
];
const panel = await PanelPage.open('compare', (message) => fromCompareSchema.parse(message));
try {
  await panel.page.setViewportSize({ width: 1360, height: 900 });
  const longest = new Map<string, number[]>();
  for (let run = 0; run < Number(options.runs); run++)
    for (const [step, frame] of await oneRun()) longest.set(step, [...(longest.get(step) ?? []), frame]);
  const figures = [...longest].map(([step, frames]) => ({
    step,
    least: Math.min(...frames),
    median: percentiles(frames).p50,
    most: Math.max(...frames),
  }));
  console.log(
    options.json
      ? JSON.stringify(figures)
      : table(
          ['longest frame', 'least', 'median', 'most'],
          figures.map(({ step, least, median, most }) => [step, ...[least, median, most].map(milliseconds)]),
        ),
  );
  if (figures.some(({ least }) => least > MAX_MS)) process.exitCode = 1;
} finally {
  await panel.close();
}

/** The longest frame of each step, in milliseconds. */
async function oneRun(): Promise<[step: string, frame: number][]> {
  await panel.show('ready', 'dark', '.setup');
  // Passing the messages to the page is a cost of this program, not of the panel.
  await panel.page.evaluate((sent) => Object.assign(globalThis, { messages: sent }), messages);
  return [
    ['opened', await longestFrame('messages', 1)],
    ['nothing happens (reference)', await longestFrame('nothing', 1)],
    ['page scrolled', await longestFrame('scroll', SCROLLS, 'html')],
    ['list scrolled', await longestFrame('scroll', SCROLLS, '[data-testid=section-queries] .table-scroll')],
    ['pipelines sorted', await longestFrame('click', 1, '[data-testid="sort-name"]')],
    ['queries as in the set', await longestFrame('choose', 1, '[data-testid="query-order"]', 'eval-set')],
    [
      'queries by disagreement',
      await longestFrame('choose', 1, '[data-testid="query-order"]', 'disagreement'),
    ],
    ['filter chosen', await longestFrame('click', 1, '[data-testid="filter-won"]')],
    ['filter left', await longestFrame('click', 1, '[data-testid="filter-all"]')],
    ['keyboard in a cell', await longestFrame('focus', 1, '[data-row="1"][data-column="1"]')],
    ['query unfolded', await longestFrame('click', 1, 'table.queries .twistie')],
  ];
}

type Step = 'messages' | 'nothing' | 'scroll' | 'click' | 'choose' | 'focus';

/** Takes a step in each of several frames, waits for the frames after them, and returns the longest. */
function longestFrame(step: Step, times: number, selector = '', value = ''): Promise<number> {
  return panel.page.evaluate(
    async ({ step: what, times: count, selector: where, value: chosen, after }) => {
      const element = where === '' ? undefined : document.querySelector<HTMLElement>(where);
      if (element === null) throw new Error(`There is no ${where}.`);
      const take = (): void => {
        if (what === 'messages') for (const message of Object(globalThis).messages) preview.post(message);
        if (what === 'scroll') element!.scrollTop += 120;
        if (what === 'click') element!.click();
        if (what === 'focus') element!.focus();
        if (what === 'choose') {
          Object.assign(element!, { value: chosen });
          element!.dispatchEvent(new Event('change', { bubbles: true }));
        }
      };
      const frame = (): Promise<number> => new Promise(requestAnimationFrame);
      let longest = 0;
      let last = await frame();
      for (let at = 0; at < count + after; at++) {
        if (at < count) take();
        const now = await frame();
        longest = Math.max(longest, now - last);
        last = now;
      }
      return longest;
    },
    { step, times, selector, value, after: AFTER },
  );
}

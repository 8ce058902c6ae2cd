/**
 * The history panel's real bundle in Chromium, under the content policy of a webview, with a typed stand-in for the
 * extension host: what the panel shows, what it sends, and whether it is accessible.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EvaluationSummary } from '../../src/shared/evaluation.ts';
import {
  fromHistorySchema,
  type FromHistory,
  type HistoryState,
} from '../../src/features/history/contract/panel.ts';
import { HISTORY_FIXTURES } from '../panels/history-fixtures.ts';
import { THEMES } from '../panels/themes.ts';
import { contrasts, type PaintedText } from './support/contrast.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, page, id, show, choose } = await panelSuite('history', {
  accepts: fromHistorySchema,
  ready: '.setup, .welcome, .starting, .alert',
  widths: [500, 1100],
});

const sent = (): Promise<FromHistory[]> => panel.sent();
const post = (state: HistoryState): Promise<void> => panel.post({ type: 'state', state });
/** Sends runs as the extension host does: before the state that counts them. */
async function tell(runs: readonly EvaluationSummary[], revision: number): Promise<void> {
  await panel.post({ type: 'runs', revision, runs });
  await post({ ...STATE, revision });
}

const STATE: HistoryState = HISTORY_FIXTURES.runs.state;
const RUNS: readonly EvaluationSummary[] = HISTORY_FIXTURES.runs.runs;
const COMPARED: HistoryState = HISTORY_FIXTURES.compared.state;

const shownRuns = (): Promise<(string | undefined)[]> =>
  id('runs')
    .locator('tbody')
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['testid']));

describe('what a judge gets wrong', () => {
  test('is corrected by labels, and marked if the judge made the ranking', async () => {
    await show('doubted');
    assert.match(
      await text(id('doubt-bm25').first()),
      /^As counted: [\d.]+\. Corrected by 80 of your labels: 55\.0, between 49\.0 and 61\.0\. .*28 of 178 questions/u,
    );
    const badge = id('doubt-hybrid').first().locator('.badge');
    assert.equal(await text(badge), 'circular');
    assert.match((await badge.getAttribute('title'))!, /gpt-judge both ranked and judged these passages/u);
  });
});

describe('the table of runs', () => {
  test('marks a figure that may rise by a sign, and writes times as the chart does', async () => {
    const run = RUNS[0]!;
    const row = { ...run.rows[0]!, mayRise: ['MRecall@5'] };
    await show('runs');
    await tell([{ ...run, at: '2026-11-27T15:04:00', rows: [row] }], 7);
    const said = await text(id('runs').locator('tbody').first());
    assert.match(said, /2026, 15:04/);
    assert.equal(said.match(/≥ \d/g)?.length, 1);
  });
});

describe('questions that failed', () => {
  test('are counted beside the figures, and listed when opened', async () => {
    await show('failed-questions');
    const failed = id('query-errors').first();
    assert.match(
      await text(failed.locator('summary')),
      /^hybrid: 2 of 178 questions failed and count as finding nothing \(.+\): .+\.$/u,
    );
    assert.equal(await failed.locator('li').first().isVisible(), false);
    await failed.locator('summary').click();
    assert.equal(await failed.locator('li').count(), 2);
    assert.match(await text(failed.locator('li').first()), /^q007: The retriever/u);
  });
});

for (const theme of Object.keys(THEMES))
  test(`in ${theme}, texts have enough contrast`, async () => {
    await show('compared', theme);
    await id('pick-run-3').check();
    const painted = await page.evaluate(paintedTexts);
    assert.ok(painted.length > 20);
    const poor = (await contrasts(page, painted)).filter(({ ratio }) => ratio < 4.5);
    assert.deepEqual(poor, []);
  });

/** Runs in the page: texts of the tables, with the grounds under them. */
function paintedTexts(): PaintedText[] {
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  const texts = document.querySelectorAll(
    '.muted, .badge, .second, .value, time, td.text, code, .query-text',
  );
  return Array.from(texts, (one) => {
    const cell = one.closest('td, th');
    const under = [{ color: ground }, ...(cell ? [{ color: getComputedStyle(cell).backgroundColor }] : [])];
    return { what: one.textContent?.trim() ?? '', under, color: getComputedStyle(one).color };
  });
}

describe('before there is a run', () => {
  test('the history is explained, the first run offered, and its progress shown', async () => {
    await show('empty');
    assert.match(
      await text(id('no-run')),
      /Every evaluation of the eval sets is kept here.*evaluates bm25, hybrid on eval\/questions\.parallax\.jsonl at k = 5/,
    );
    await id('evaluate').click();
    await post(HISTORY_FIXTURES.evaluating.state);
    assert.equal(await id('evaluate').getAttribute('disabled'), '');
    assert.match(await text(id('history-task')), /Evaluating the workspace bm25, query 71 of 178/);
    await id('cancel').click();
    assert.deepEqual(await sent(), [{ type: 'evaluate' }, { type: 'cancel' }]);
  });

  test('without an eval set, says how to name one', async () => {
    await show('no-eval-set');
    assert.match(await text(id('no-eval-set')), /"evalSets": \["eval\/\*\.parallax\.jsonl"\]/);
    await id('open-config').click();
    await id('build-eval-set').click();
    assert.deepEqual(await sent(), [
      { type: 'remedy', remedy: 'open-config' },
      { type: 'remedy', remedy: 'build-eval-set' },
    ]);
  });

  test('without trust, offers to manage it; while the engine starts, says so', async () => {
    await show('untrusted');
    await id('trust-button').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'manage-trust' }]);
    await show('reading');
    assert.match(await text(page.locator('#root')), /Starting Parallax/);
  });

  test('runs of another version are mentioned, beside other runs and without any', async () => {
    await show('empty');
    await panel.post({ type: 'runs', revision: 2, runs: [], unlisted: 2 });
    await post({ ...STATE, revision: 2 });
    assert.match(await text(id('unlisted')), /^2 evaluations are not shown/);
    await panel.post({ type: 'runs', revision: 3, runs: RUNS, unlisted: 1 });
    await post({ ...STATE, revision: 3 });
    assert.match(await text(id('unlisted')), /^1 evaluation is not shown/);
  });

  test('runs that are invalid or missing are not shown as an empty history', async () => {
    await show('empty');
    await panel.post({ type: 'runs', revision: 2, runs: [{ id: 'odd' }] });
    await post({ ...STATE, revision: 2 });
    assert.match(await text(id('outdated')), /do not fit together/);
    assert.match(panel.takeProblems().join(), /undefined/);
    await panel.post({ type: 'runs', revision: 2, runs: [] });
    await post({ ...STATE, revision: 3 });
    assert.match(await text(id('outdated')), /do not fit together/);
  });
});

describe('the timeline', () => {
  test('draws a line per pipeline, intervals, and marks where things changed', async () => {
    await show('runs');
    const svg = page.locator('parallax-chart svg');
    await svg.waitFor();
    const words = (await svg.textContent()) ?? '';
    for (const word of [
      'bm25',
      'hybrid',
      'baseline',
      'corpus',
      'eval set',
      'pipeline',
      'judge',
      'judgements',
    ])
      assert.ok(words.includes(word), word);
    assert.equal([...words].filter((sign) => sign === '★').length, 2);
    const chart = page.getByRole('img', { name: /^MRecall@5 on questions over 10 runs/ });
    assert.equal(await chart.count(), 1);
  });

  test('follows the chosen eval set, pipeline and metric, and has a table of its figures', async () => {
    await show('two-sets');
    await choose('metric-picker', 'nDCG@5');
    assert.equal(await text(page.locator('#timeline-heading')), 'nDCG@5');
    await choose('pipeline-picker', 'hybrid');
    await page.locator('.chart-caption summary').click();
    const head = await page.locator('.chart-table thead th').allInnerTexts();
    assert.deepEqual(head, ['Run', 'hybrid', 'Changed']);
    assert.equal(await page.locator('.chart-table tbody tr').count(), 10);
    await choose('dataset-picker', 'policies');
    // The other eval set has a single pipeline.
    assert.equal(await id('pipeline-picker').count(), 0);
    assert.match(await text(page.locator('.chart-table thead')), /bm25/);
  });

  test('a click on a point goes to its run', async () => {
    await show('runs');
    const dot = page
      .locator('parallax-chart g[aria-label=dot] path, parallax-chart svg path:has(title)')
      .first();
    await dot.waitFor();
    await dot.click();
    assert.equal(await panel.focusedTestId(), 'pick-run-0');
  });

  test('can be saved', async () => {
    await show('runs');
    await page.locator('parallax-chart svg').waitFor();
    await id('save-csv').click();
    await id('save-svg').click();
    while ((await sent()).length < 2) await page.waitForTimeout(50);
    const [csv, svg] = (await sent()) as Extract<FromHistory, { type: 'save-chart' }>[];
    assert.match(
      csv!.content,
      /^"at","commit","pipeline","MRecall@5","low","high"\r\n"2026-10-01T09:30:00\.000Z","2f0c7a91/,
    );
    assert.match(svg!.content, /^<\?xml .*<svg /s);
  });

  test('draws a hundred runs as bands', async () => {
    await show('many');
    await page.locator('parallax-chart svg').waitFor();
    assert.ok((await page.locator('parallax-chart svg path').count()) > 5);
  });
});

describe('the runs', () => {
  test('each show time, commit, judge, figures with intervals, the judged share, and changes', async () => {
    await show('runs');
    const newest = await text(id('run-run-9'));
    assert.match(newest, /3dca8fcacc · judge gpt-judge bm25 62\.8% \[56\.8, 68\.8\] pipeline ▲/);
    assert.match(
      newest,
      /pipeline ▲\+9\.4 pts \[6\.4, 12\.4\] p \.030 90% 1,846 of 2,044 45\.8% \[39\.8, 51\.8\]/,
    );
    assert.match(await text(id('run-run-8')), /missed/);
    assert.match(await text(id('run-run-6')), /baseline/);
    assert.match(await text(id('run-run-5')), /judge \(was labels\)/);
    assert.match(await text(id('run-run-4')), /judgements may be noise/);
    assert.match(await text(id('run-run-1')), /nothing changed/);
    assert.match(await text(id('run-run-0')), /first run/);
    const low = id('run-run-0').locator('td.low');
    assert.equal(await low.count(), 1);
    assert.match((await low.getAttribute('title')) ?? '', /unjudged passages/);
  });

  test('in a narrow panel, changes since the last run stay visible', async () => {
    await show('runs');
    for (const width of [500, 700, 900]) {
      await page.setViewportSize({ width, height: 900 });
      const end = await id('runs').evaluate((table) => {
        const room = table.parentElement!.getBoundingClientRect().right;
        const cells = Array.from(
          table.querySelectorAll('.since'),
          (cell) => cell.getBoundingClientRect().right,
        );
        return Math.max(...cells) - room;
      });
      assert.ok(end <= 1, `${end} pixels of it are cut at ${width}`);
    }
  });

  test('arrow keys move between runs, one of which is in the tab order, and pick them', async () => {
    await show('runs');
    const inOrder = page.locator('input[data-row][tabindex="0"]');
    assert.equal(await inOrder.count(), 1);
    await id('pick-run-9').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await panel.focusedTestId(), 'pick-run-7');
    assert.equal(await inOrder.count(), 1);
    await page.keyboard.press('Space');
    assert.ok(await id('pick-run-7').isChecked());
    await page.keyboard.press('Control+End');
    assert.equal(await panel.focusedTestId(), 'pick-run-0');
    await page.keyboard.press('ArrowDown');
    assert.equal(await panel.focusedTestId(), 'pick-run-0');
    assert.match((await id('pick-run-0').getAttribute('aria-label')) ?? '', /^Pick the run of Oct 1, 2026/);
  });

  test('a picked run can be the baseline if it has the current pipelines', async () => {
    await show('runs');
    assert.match(await text(id('picks')), /Pick two runs to compare them, or one/);
    await id('pick-run-3').check();
    await id('accept').click();
    assert.deepEqual(await sent(), [{ type: 'accept', id: 'run-3' }]);
    await post({ ...STATE, demands: { ...STATE.demands, pipelines: ['bm25', 'dense'] } });
    assert.equal(await id('accept').getAttribute('disabled'), '');
    assert.match(await text(id('lacks')), /does not have every eval set and pipeline/);
    await post({ ...STATE, demands: { ...STATE.demands, k: 10 } });
    assert.match(await text(id('lacks')), /top 5, and k is now 10/);
    await id('unpick').click();
    assert.equal(await id('accept').count(), 0);
  });

  test('two picked runs are compared, and a third replaces the first', async () => {
    await show('runs');
    await id('pick-run-9').check();
    await id('pick-run-2').check();
    await id('compare').click();
    await id('pick-run-5').check();
    assert.equal(await id('pick-run-9').isChecked(), false);
    await id('compare').click();
    assert.deepEqual(await sent(), [
      { type: 'compare', ids: ['run-2', 'run-9'] },
      { type: 'compare', ids: ['run-2', 'run-5'] },
    ]);
  });

  test('a new run appears at once and is announced, and picked runs stay picked', async () => {
    await show('runs');
    await tell(RUNS.slice(1), 2);
    await id('pick-run-3').check();
    await tell(RUNS, 3);
    assert.equal((await shownRuns())[0], 'run-run-9');
    assert.ok(await id('pick-run-3').isChecked());
    assert.match((await id('announcer').textContent()) ?? '', /10 runs in the history/);
  });

  test('many runs are shown page by page', async () => {
    await show('many');
    assert.equal((await shownRuns()).length, 50);
    await id('show-more').click();
    await id('show-more').click();
    assert.equal((await shownRuns()).length, 120);
    assert.equal(await id('show-more').count(), 0);
  });

  test('are copied as shown as Markdown; their eval set can be opened', async () => {
    await show('runs');
    await id('copy-runs').click();
    await choose('pipeline-picker', 'bm25');
    await id('copy-runs').click();
    await id('open-eval-set').click();
    assert.deepEqual(await sent(), [
      { type: 'copy-runs', dataset: 'questions' },
      { type: 'copy-runs', dataset: 'questions', pipeline: 'bm25' },
      { type: 'open-eval-set', evalSet: 'eval/questions.parallax.jsonl' },
    ]);
    assert.match((await id('announcer').textContent()) ?? '', /Copied/);
  });
});

describe('two runs compared', () => {
  test('scroll into view when the comparison was requested', async () => {
    await show('runs');
    await id('pick-run-7').check();
    await id('pick-run-8').check();
    await id('compare').click();
    await post(COMPARED);
    await page.waitForFunction(() => document.activeElement?.id === 'compared-heading');
    assert.match((await id('announcer').textContent()) ?? '', /6 questions changed/);
  });

  test('show each difference, its size and its cause', async () => {
    await show('compared');
    assert.match(
      await text(id('reasons')),
      /pipeline it is configured otherwise: retriever\.k1 0\.9 → 0 .*rerank\.0\.lambda 0\.75 → – corpus other texts/,
    );
    assert.match(
      await text(id('difference-MRecall@5')),
      /≥ 63\.3% 53\.9% ▼−9\.4 pts \[−15\.2, −3\.7\] p \.001 9 \/ 26 \/ 143 pipeline, corpus$/,
    );
    assert.match(await text(id('difference-Precision@5')), / pts\? \[.*this may be noise$/);
    assert.match(await text(id('difference-StRecall@5')), /no difference$/);
    assert.match(await text(page.locator('.notice')), /Only now: "hybrid \+ mmr"/);
  });

  test('list the changed queries; a click opens one in the side panel', async () => {
    await show('compared');
    const lost = await text(id('changed-school-start'));
    assert.match(lost, /▼ lost: Teenagers get more sleep\. ▼ lost: It upsets the mornings/);
    assert.match(lost, /▼−100\.0 pts 100\.0% → 0\.0%/);
    assert.match(await text(id('changed-daylight')), /▲ gained: Bright evenings/);
    assert.match(await text(id('changed-gone')), /no longer in its eval set/);
    await id('inspect-school-start').focus();
    await page.keyboard.press('ArrowDown');
    assert.equal(await panel.focusedTestId(), 'inspect-daylight');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), [
      {
        type: 'inspect',
        evalSet: 'eval/questions.parallax.jsonl',
        queryId: 'daylight',
        pipeline: 'bm25',
      },
    ]);
  });

  test('show one of several pipelines, are copied, and closed', async () => {
    await show('compared');
    await choose('comparison-picker', 'hybrid on questions');
    assert.equal(await page.locator('.field-change').count(), 0);
    await id('copy-comparison').click();
    await id('close-comparison').click();
    assert.deepEqual(await sent(), [{ type: 'copy-comparison' }, { type: 'close-comparison' }]);
    await post(STATE);
    assert.equal(await id('section-compared').count(), 0);
  });
});

test('a failure is an alert that can be dismissed, and the runs stay', async () => {
  await show('failed');
  assert.equal(await id('error').getAttribute('role'), 'alert');
  assert.equal((await shownRuns()).length, 10);
  await id('dismiss-error').click();
  assert.deepEqual(await sent(), [{ type: 'dismiss-error' }]);
});

test('choices and picked runs survive a reload of the page', async () => {
  await show('two-sets');
  await choose('dataset-picker', 'policies');
  await choose('metric-picker', 'nDCG@5');
  await id('pick-run-4').check();
  await page.reload();
  await id('runs').waitFor();
  assert.equal(await text(page.locator('#timeline-heading')), 'nDCG@5');
  assert.ok(await id('pick-run-4').isChecked());
  assert.match(await text(page.locator('#section-timeline, [data-testid=section-timeline]')), /policies/);
});

/**
 * The compare panel's real bundle in Chromium, under the content policy of a webview, with a typed stand-in for the
 * extension host: what the panel shows, what it sends, and whether it is accessible.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { parseEvalSet } from '../../src/core/formats/queries.ts';
import { configSchema } from '../../src/shared/config.ts';
import {
  evaluationSchema,
  type QueryEvaluation,
  type Evaluation,
  type DatasetEvaluation,
  type MeasureEvaluation,
} from '../../src/evaluation/evaluation.ts';
import { PLACES } from '../../src/core/coverage-states.ts';
import { exactly } from '../../src/core/measured.ts';
import { measuredAt, placeAt, rankAt } from '../../src/evaluation/reading.ts';
import {
  fromCompareSchema,
  type CompareState,
  type FromCompare,
} from '../../src/features/compare/contract/panel.ts';
import { COMPARE_FIXTURES, crowdOf } from '../panels/compare-fixtures.ts';
import { THEMES } from '../panels/themes.ts';
import { contrasts, type PaintedText } from './support/contrast.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, page, id, show, choose } = await panelSuite('compare', {
  accepts: fromCompareSchema,
  ready: '.setup, .welcome, .alert',
  widths: [500, 900, 1400],
  leftFolded: ['crowded'],
});

const sent = (): Promise<FromCompare[]> => panel.sent();
/** Sends a state as the extension host would, and waits until it has arrived. */
const post = (state: CompareState): Promise<void> => panel.post({ type: 'state', state });
/** Shows a comparison as the extension host does: before the state that names it. */
async function compare(comparison: Evaluation, change: Partial<CompareState> = {}): Promise<void> {
  await panel.post({ type: 'comparison', comparison });
  await post({ ...COMPARED, shown: comparison.id, ...change });
}

const COMPARED: CompareState = COMPARE_FIXTURES.compared.state;
const COMPARISON: Evaluation = COMPARE_FIXTURES.compared.comparison;
const SET: DatasetEvaluation = COMPARISON.datasets[0]!;
const mRecalls = (query: QueryEvaluation): (number | undefined)[] =>
  query.results.map((_, place) => measuredAt(query, place, 'MRecall@5')?.value);
const READY: CompareState = COMPARE_FIXTURES.ready.state;
/** The same comparison with another data set. */
const withSet = (change: Partial<DatasetEvaluation>): Evaluation => ({
  ...COMPARISON,
  datasets: [{ ...SET, ...change }],
});
const rowsOf = (table: Locator): Promise<(string | undefined)[]> =>
  table
    .locator('tbody tr:not(.group-head)')
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['testid']));
const queryRows = (): Promise<(string | undefined)[]> => rowsOf(page.locator('table.queries'));

describe('a store that returned fewer candidates than it was asked for', () => {
  test('is named beside the figures, with how few came back', async () => {
    await show('short-store');
    assert.match(
      await text(id('short')),
      /^Dense: for 12 of 40 questions the store returned fewer candidates .*, at worst 40 of 100: either/u,
    );
    assert.match(
      await text(id('certainty')),
      /^Dense: questions whose first 5 are certainly those of the whole store: 31 of 40\. At worst certainty ends at rank 2;/u,
    );
  });
});

describe('questions that failed', () => {
  test('are counted beside the figures, and listed when opened', async () => {
    await show('failed-questions');
    const failed = id('query-errors').first();
    assert.match(
      await text(failed.locator('summary')),
      /^Dense: 2 of 40 questions failed and count as finding nothing \(.+\): .+\.$/u,
    );
    assert.equal(await failed.locator('li').first().isVisible(), false);
    await failed.locator('summary').click();
    assert.equal(await failed.locator('li').count(), 2);
    assert.match(await text(failed.locator('li').first()), /^q007: The retriever/u);
  });

  test('also names the searches that failed for each question', async () => {
    await show('failed-questions');
    const failed = id('search-errors');
    assert.match(await text(failed.locator('summary')), /^Hybrid: 3 searches beyond the questions failed/u);
    await failed.locator('summary').click();
    assert.match(await text(failed.locator('li').nth(1)), /^q021 \(asked from the opposing side\): /u);
  });
});

test('every table has a caption and heads of rows and columns', async () => {
  await show('groups');
  await id('set-picker').click();
  const tables = await page.locator('table').all();
  // Overview, losses, groups, queries, the figures of the chart, and the choice of data sets.
  assert.equal(tables.length, 6);
  for (const table of tables) {
    assert.notEqual((await table.locator('caption').textContent())?.trim(), '');
    const rows = await table.locator('tbody tr').count();
    assert.equal(await table.locator('tbody th[scope=row]').count(), rows);
    assert.ok((await table.locator('thead th[scope=col]').count()) > 2);
  }
});

describe('first use', () => {
  test('without trust, offers to manage it', async () => {
    await show('untrusted');
    await id('trust-button').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'manage-trust' }]);
    assert.equal(await id('compare-run').count(), 0);
  });

  test('without an eval set, says what one is and how to add it', async () => {
    await show('no-eval-set');
    const said = await text(id('no-eval-set'));
    assert.match(said, /questions, each with the perspectives that a complete answer must cover/);
    assert.match(said, /"evalSets": \["eval\/questions\.jsonl"\]/);
    await id('open-config').click();
    await id('build-eval-set').click();
    assert.deepEqual(await sent(), [
      { type: 'remedy', remedy: 'open-config' },
      { type: 'remedy', remedy: 'build-eval-set' },
    ]);
  });

  test('the examples are valid input as shown', async () => {
    await show('no-eval-set');
    const [evalSet, config] = await page.locator('pre').allInnerTexts();
    const { queries, warnings } = parseEvalSet(evalSet!, 'example');
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      queries[0]?.perspectives.map(({ stance }) => stance),
      ['support', 'oppose'],
    );
    assert.equal(configSchema.parse(JSON.parse(`{${config}}`)).evalSets.length, 1);
    await show('too-few');
    const pipelines = await page.locator('pre').innerText();
    assert.equal(Object.keys(configSchema.parse(JSON.parse(`{${pipelines}}`)).pipelines).length, 2);
  });

  test('with fewer than two pipelines, says how to add another', async () => {
    await show('too-few');
    assert.match(await text(id('too-few-pipelines')), /only one pipeline.*at least two.*"rerank"/);
    await id('open-config').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'open-config' }]);
  });

  test('without an index, offers to build it once and shows the progress', async () => {
    await show('not-indexed');
    await id('index-button').click();
    assert.deepEqual(await sent(), [{ type: 'index', corpus: 'debate' }]);
    await post(COMPARE_FIXTURES.indexing.state);
    assert.equal(await id('index-button').getAttribute('disabled'), '');
    await id('cancel').click();
    assert.deepEqual((await sent()).at(-1), { type: 'cancel' });
  });

  test('an earlier comparison stays visible without an index', async () => {
    await show('compared');
    await post({ ...COMPARED, corpora: [{ name: 'debate', indexed: false }] });
    assert.equal(await id('compare-table').count(), 1);
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    await id('index-debate').click();
    assert.deepEqual(await sent(), [{ type: 'index', corpus: 'debate' }]);
  });

  test("before the host's first answer, says that it is starting", async () => {
    await show('starting');
    assert.match(await text(page.locator('#root')), /Starting Parallax/);
  });
});

describe('the set-up', () => {
  test('pickers show the state and send the choice', async () => {
    await show('ready');
    await choose('judge-picker', 'A model: qwen3-8b');
    await choose('baseline-picker', 'Hybrid');
    await id('k').locator('input').fill('10');
    await id('k').locator('input').press('Enter');
    assert.deepEqual(await sent(), [
      { type: 'set-judge', name: 'local' },
      { type: 'set-pipelines', names: ['Hybrid', 'BM25', 'Dense', 'BM25 + MMR'] },
      { type: 'set-k', k: 10 },
    ]);
  });

  test('any number of eval sets and corpora can be paired', async () => {
    await show('ready');
    assert.equal(await text(id('set-picker')), 'eval/debate.jsonl on debate (178 questions)');
    await id('set-picker').click();
    assert.equal(await id('set-picker').getAttribute('aria-expanded'), 'true');
    const debate = id('set-eval/debate.jsonl-debate');
    assert.ok(await debate.isChecked());
    assert.equal(
      await id('set-eval/questions.jsonl-wiki').getAttribute('aria-label'),
      'eval/questions.jsonl on wiki',
    );
    await id('set-eval/questions.jsonl-wiki').click();
    await post(COMPARE_FIXTURES['missing-index'].state);
    assert.ok(await id('set-eval/questions.jsonl-wiki').isChecked());
    assert.equal(await text(id('set-picker')), '2 data sets (190 questions)');
    await debate.press(' ');
    const questions = { evalSet: 'eval/questions.jsonl', corpus: 'wiki' };
    assert.deepEqual(await sent(), [
      { type: 'set-sets', sets: [{ evalSet: 'eval/debate.jsonl', corpus: 'debate' }, questions] },
      { type: 'set-sets', sets: [questions] },
    ]);
    await page.keyboard.press('Escape');
    assert.equal(await id('set-picker-surface').count(), 0);
    assert.equal(await panel.focusedTestId(), 'set-picker');
  });

  test('the choice of data sets closes when the keyboard focus leaves it', async () => {
    await show('ready');
    await id('set-picker').click();
    await id('k').locator('input').focus();
    assert.equal(await id('set-picker-surface').count(), 0);
  });

  test('a corpus without an index is offered for indexing and blocks the run', async () => {
    await show('missing-index');
    assert.match(await text(id('missing-index')), /Chosen, but not indexed yet: wiki\./);
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    await id('index-wiki').click();
    assert.deepEqual(await sent(), [{ type: 'index', corpus: 'wiki' }]);
  });

  test('pipelines are checked in order, and the first is the baseline', async () => {
    await show('ready');
    const chips = page.getByRole('checkbox');
    assert.equal(await chips.count(), 24);
    assert.match(await text(id('pipeline-BM25')), /^BM25 ?baseline$/);
    assert.equal(await page.locator('.pipelines .badge').count(), 1);
    assert.equal(await id('pipeline-Hybrid').getAttribute('aria-checked'), 'true');
    assert.equal(await id('pipeline-Oracle').getAttribute('aria-checked'), 'false');
    await id('pipeline-Oracle').click();
    await id('pipeline-BM25').press(' ');
    assert.deepEqual(await sent(), [
      { type: 'set-pipelines', names: ['BM25', 'Dense', 'Hybrid', 'BM25 + MMR', 'Oracle'] },
      { type: 'set-pipelines', names: ['Dense', 'Hybrid', 'BM25 + MMR'] },
    ]);
  });

  test('the keyboard reorders pipelines, keeps the focus and announces the position', async () => {
    await show('ready');
    await id('pipeline-Dense').press('Alt+ArrowLeft');
    const names = ['Dense', 'BM25', 'Hybrid', 'BM25 + MMR'];
    assert.deepEqual(await sent(), [{ type: 'set-pipelines', names }]);
    await post({ ...READY, chosen: names });
    assert.equal(await panel.focusedTestId(), 'pipeline-Dense');
    assert.equal((await id('announcer').textContent())?.trim(), 'Dense is now number 1.');
    await id('pipeline-Dense').press('Alt+ArrowLeft');
    await id('pipeline-Oracle').press('Alt+ArrowLeft');
    assert.equal((await sent()).length, 1);
    await id('pipeline-Dense').press('Alt+ArrowRight');
    await post(READY);
    assert.equal(await panel.focusedTestId(), 'pipeline-Dense');
  });

  test('the mouse drags a pipeline to another place', async () => {
    await show('ready');
    await id('pipeline-BM25 + MMR').dragTo(id('pipeline-BM25'));
    assert.deepEqual(await sent(), [
      { type: 'set-pipelines', names: ['BM25 + MMR', 'BM25', 'Dense', 'Hybrid'] },
    ]);
  });

  test('a run shows its progress, can be stopped and cannot be started twice', async () => {
    await show('ready');
    assert.match(await text(id('ready')), /4 pipelines will answer the same 178 questions/);
    await id('compare-run').click();
    await post(COMPARE_FIXTURES.running.state);
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    assert.match(await text(id('compare-task')), /Comparing 4 pipelines Hybrid, query 75 of 178/);
    assert.equal(await id('compare-task').getByRole('progressbar').count(), 1);
    await id('cancel').click();
    assert.deepEqual(await sent(), [{ type: 'run' }, { type: 'cancel' }]);
  });

  test('without chosen pipelines, asks for some and does not run', async () => {
    await show('ready');
    await post({ ...READY, chosen: [] });
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    assert.match(await text(id('ready')), /Choose the pipelines to compare/);
    await post({ ...READY, chosenSets: [] });
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    assert.match(await text(id('ready')), /Choose a data set/);
    assert.equal(await text(id('set-picker')), 'Choose…');
  });

  test('an outdated comparison says so and offers another run', async () => {
    await show('stale');
    assert.match(await text(id('stale')), /May be out of date/);
    await id('run-again').click();
    assert.deepEqual(await sent(), [{ type: 'run' }]);
    await post(COMPARED);
    assert.equal(await id('stale').count(), 0);
  });

  test('a comparison of other pipelines than the chosen ones names them', async () => {
    await show('other');
    assert.match(
      await text(id('stale')),
      /^Shown: BM25, .*not the pipelines that are chosen above\. Run the Chosen$/,
    );
  });

  test('a failure is an alert that can be dismissed', async () => {
    await show('errors');
    assert.equal(await id('error').getAttribute('role'), 'alert');
    await id('dismiss-error').click();
    assert.deepEqual(await sent(), [{ type: 'dismiss-error' }]);
  });
});

describe('overview', () => {
  test('its last column is never cut, however narrow the panel is', async () => {
    for (const width of [420, 700, 880, 1360]) {
      await page.setViewportSize({ width, height: 860 });
      await show('corrected');
      const table = id('compare-table');
      const frame = (await page.locator('.table-scroll').first().boundingBox())!;
      for (const cell of await table.locator('tr > :last-child:not([colspan])').all()) {
        const { x, width: own } = (await cell.boundingBox())!;
        assert.ok(x >= frame.x && x + own <= frame.x + frame.width + 0.5, `${width} px: ${await text(cell)}`);
      }
    }
  });

  test('the judge behind the figures is named above the table', async () => {
    await show('partly-judged');
    assert.match(
      await text(id('basis')),
      /Judgements: 3,412 by people, 1,208 imported labels, 902 by word overlap \(heuristic\)/,
    );
    assert.ok((await id('basis').boundingBox())!.y < (await id('compare-table').boundingBox())!.y);
    await show('unjudged');
    assert.match(await text(id('basis')), /Nothing is judged yet: .* ask a judge below the table/);
    assert.equal(await text(id('unjudged')), 'Nothing in the top k is judged.');
  });

  test('columns that fit are shown, others can be ticked; sorting by a hidden column ends', async () => {
    await show('compared');
    const heads = async (): Promise<string[]> =>
      (await id('compare-table').locator('thead .sort').allInnerTexts()).map((each) => each.trim());
    const first = await heads();
    assert.ok(first.includes('MRecall@5') && !first.includes('nDCG@5'), first.join());
    await page.setViewportSize({ width: 1010, height: 860 });
    const [table, room] = await Promise.all(
      ['[data-testid=compare-table]', '.table-scroll'].map((each) =>
        page.locator(each).first().boundingBox(),
      ),
    );
    assert.ok(table!.width <= room!.width, `${table!.width} in ${room!.width}`);
    await id('column-choice').click();
    await id('column-nDCG@5').check();
    await id('column-MRecall@5').uncheck();
    assert.deepEqual(
      (await heads()).filter((each) => /^(?:nDCG|MRecall)/u.test(each)),
      ['nDCG@5'],
    );
    await page.keyboard.press('Escape');
    assert.equal(await id('column-choice-surface').count(), 0);
    await page.reload();
    await id('compare-table').waitFor();
    assert.ok((await heads()).includes('nDCG@5'), 'kept over a reload');
  });

  test('a difference is claimed only if interval and test support it', async () => {
    const measure = (value: number, low: number, high: number, p = 0.031): MeasureEvaluation => ({
      ...exactly(0.4),
      difference: { value, low, high, p, wins: 9, losses: 4, ties: 27 },
    });
    const views = [
      exactly(0.4),
      measure(0.029, 0.011, 0.068),
      measure(0.029, -0.011, 0.068),
      measure(-0.05, -0.09, -0.001),
    ];
    const told = (all: readonly MeasureEvaluation[]): Evaluation => ({
      ...withSet({
        pipelines: SET.pipelines.map((one, index) => ({ ...one, measures: { 'MRecall@5': all[index]! } })),
      }),
      measures: ['MRecall@5'],
    });
    await show('compared');
    await compare(told(views));
    const difference = async (name: string): Promise<string> =>
      text(id(`row-${name}`).locator('.difference'));
    assert.equal(await id('row-BM25').locator('.difference').count(), 0);
    assert.equal(await difference('Dense'), '▲+2.9 pts [1.1, 6.8] p .031');
    assert.equal(await difference('Hybrid'), '+2.9 pts? [−1.1, 6.8] p .031');
    assert.equal(await difference('BM25 + MMR'), '▼−5.0 pts [−9.0, −0.1] p .031');
    assert.equal(
      await id('lead-MRecall@5-Hybrid').getAttribute('title'),
      '+2.9 pts, 95% interval [−1.1, 6.8]; the interval includes 0: this may be noise; p .031, corrected: significant at .05; 9 questions won, 4 lost, 27 tied. Shows the questions that differ',
    );
    const colour = (name: string): Promise<string> =>
      id(`row-${name}`)
        .locator('.interval-bar')
        .evaluate((bar) => getComputedStyle(bar).color);
    const [quiet, clear] = await Promise.all([colour('Hybrid'), colour('Dense')]);
    assert.notEqual(quiet, clear);
    await compare(told(views.with(1, measure(0.029, 0.011, 0.068, 0.2))));
    assert.equal(await difference('Dense'), '+2.9 pts [1.1, 6.8] p .20', 'no sign without significance');
    assert.match(await text(id('disagreement')), /the interval and the p-value disagree/u);
    assert.equal(await colour('Dense'), quiet);
    await compare(told([exactly(0.4), measure(0, 0, 0, 1), ...views.slice(2)]));
    assert.equal(await difference('Dense'), 'no difference');
    await compare(told([views[0]!, views[1]!, measure(0.029, -0.011, 0.068, 0.2), views[3]!]));
    assert.equal(await id('disagreement').count(), 0, 'they say the same');
  });

  test('corrected figures are shown, and the number of labels still needed for the others', async () => {
    await show('corrected');
    assert.equal(await text(id('corrected-MRecall@5-BM25')), 'corrected 55.0%, 49.0% to 61.0%');
    assert.match(
      (await id('lead-MRecall@5-BM25').getAttribute('title'))!,
      /^As counted: [\d.]+\. Corrected by 80 of your labels: 55\.0, between 49\.0 and 61\.0\. /,
    );
    assert.equal(await text(id('corrected-difference-MRecall@5-Hybrid')), 'corrected +3.0 pts, [−1.0, 7.0]');
    assert.match(
      (await id('lead-MRecall@5-Hybrid').getAttribute('title'))!,
      /Without the judge's errors the difference is \+3\.0, between −1\.0 and \+7\.0\./,
    );
    assert.equal(await id('corrected-difference-MRecall@5-BM25').count(), 0, 'others are compared with it');
    assert.equal(await id('corrected-MRecall@5-Dense').count(), 0);
    const notes = await id('correction').allInnerTexts();
    assert.match(notes[0]!, /^BM25, Hybrid: Corrected .* 28 of 40 questions/);
    assert.match(notes[1]!, /^Dense: Not corrected .* 4 more/);
    assert.equal(await id('circular-Dense').count(), 1, 'no figure of it is corrected');
    assert.equal(await id('circular-Hybrid').count(), 0, 'some of its figures are');
    assert.equal(await id('circular-MRecall@5-Hybrid').count(), 0);
    assert.equal(await id('circular-Precision@5-Hybrid').count(), 1);
  });

  test('the intervals of a column share a scale, with zero at the same place', async () => {
    await show('compared');
    const zeros = await page
      .locator('.overview tr td:nth-child(2) .zero')
      .evaluateAll((lines) => lines.map((line) => Math.round(line.getBoundingClientRect().x)));
    assert.equal(zeros.length, 3);
    assert.equal(new Set(zeros).size, 1);
  });

  test('a pipeline that retrieved nothing is marked as such', async () => {
    await show('compared');
    const pipelines = SET.pipelines.map((own) =>
      own.name === 'Dense' ? { ...own, foundNothing: true as const } : own,
    );
    await compare(withSet({ pipelines }));
    assert.equal(await text(id('judged-Dense')), 'nothing retrieved');
  });

  test('a pipeline that was out of requests is named', async () => {
    await show('compared');
    const pipelines = SET.pipelines.map((own) =>
      own.name === 'Dense' ? { ...own, cutShort: ['q1', 'q3'] } : own,
    );
    await compare(withSet({ pipelines }));
    assert.equal(
      await text(id('cut-short')),
      'Dense was out of requests for 2 of 40 questions (q1, q3): with a larger budget it may rank them better.',
    );
  });

  test('values that unjudged passages may change have no difference', async () => {
    await show('compared');
    await compare(
      withSet({
        pipelines: SET.pipelines.map((own) =>
          own.name === 'Dense'
            ? {
                ...own,
                measures: { ...own.measures, 'MRecall@5': { value: 0.5, bound: 'least', most: 0.8 } },
              }
            : own,
        ),
      }),
    );
    assert.match(await text(id('lead-MRecall@5-Dense')), /^≥ 50\.0% difference not known$/u);
  });

  test('too few judgements give a warning in the row and above the table', async () => {
    await show('partly-judged');
    assert.match(await text(id('judged-Dense')), /^38% too little judged$/);
    assert.equal(
      await id('judged-Dense').locator('button').getAttribute('title'),
      '38% judged: too little to compare',
    );
    assert.equal(await id('judged-BM25').locator('.codicon-warning').count(), 0);
    assert.match(await text(id('low-judged')), /Much of the top k of Dense, BM25 \+ MMR is unjudged/);
    // Less than half of the top k of Dense is judged, and no query is fully judged under both.
    const [least, compared] = await Promise.all(['Dense', 'Hybrid'].map((name) => text(id(`row-${name}`))));
    assert.match(least!, /≥ \d+\.\d% difference not known/);
    assert.doesNotMatch(least!, / p /);
    assert.match(compared!, /≥ \d+\.\d% .*on \d+ of 40 questions/);
    assert.match(
      (await id('lead-MRecall@5-Dense').getAttribute('title'))!,
      /^Between \d+\.\d% and \d+\.\d%, depending on what is unjudged\. /,
    );

    await show('compared');
    assert.doesNotMatch(await text(id('row-Hybrid')), /≥/);
    assert.equal(await id('low-judged').count(), 0);
  });

  test('a share just below the threshold is not rounded up to it', async () => {
    await show('partly-judged');
    const pipelines = SET.pipelines.map((own) => ({ ...own, judged: 0.7977 }));
    await compare(withSet({ pipelines }));
    assert.match(await text(id('judged-Dense')), /^79% too little judged$/);
  });

  test('an unknown error rate of the judge is stated before the winner', async () => {
    const judge = { source: 'llm', judge: 'local', count: 9, heuristic: false } as const;
    await show('compared');
    await compare(withSet({ sources: [judge] }));
    assert.match(await text(id('unchecked')), /^How often local errs is not known here/);
    const table = await id('compare-table').boundingBox();
    assert.ok((await id('unchecked').boundingBox())!.y < table!.y);
    await compare({ ...withSet({ sources: [{ ...judge, source: 'human' }] }), id: 'c-people' });
    assert.equal(await id('unchecked').count(), 0);
    const corrected = COMPARE_FIXTURES.corrected.comparison;
    await compare({
      ...corrected,
      datasets: corrected.datasets.map((set) => ({ ...set, sources: [judge] })),
    });
    assert.equal(await id('unchecked').count(), 0, 'where labels say it, that stands there');
  });

  test('a judge without results is reported once, above the table', async () => {
    await show('judged');
    assert.equal(await id('no-result').count(), 0);
    const { state } = COMPARE_FIXTURES.judged;
    const report = {
      ...state.judging!.report!,
      answered: 130,
      unreadable: 41,
      unreadableReason: 'It refused.',
    };
    await post({ ...state, judging: { ...state.judging!, report } });
    assert.match(
      await text(id('no-result')),
      /^41 of 171 answers could not be read.*It refused\..*not usable/,
    );
    const table = await id('compare-table').boundingBox();
    assert.ok((await id('no-result').boundingBox())!.y < table!.y);
    assert.doesNotMatch(await text(id('judging-report')), /could not be read/);
  });

  test('nothing is claimed without judgements', async () => {
    await show('unjudged');
    assert.equal(await page.locator('.difference').count(), 0);
    assert.match(await text(id('row-Dense')), /– nothing judged yet – nothing judged yet .* 0%/);
    assert.equal(await id('section-leaning').count(), 0);
    assert.match(await text(id('loss-Dense')), /Dense ≥ 0 0 0 80 0/);
    assert.equal(await id('loss-union').count(), 0, 'what all cover together is not known either');
    const leftOf = async (testId: string): Promise<number> => (await id(testId).boundingBox())!.x;
    assert.equal(await leftOf('not-shown-set-size'), await leftOf('loss-Dense'));
    assert.match(
      (await id('cell-q002-BM25').getAttribute('aria-label')) ?? '',
      /^nothing judged yet\. A unjudged/,
    );
  });

  test('a pipeline that failed shows the reason, and the others are shown, too', async () => {
    await show('errors');
    assert.match(await text(id('row-Dense')), /Could not be run\. The embedder “minilm” could not be loaded/);
    assert.equal(await id('loss-Dense').count(), 0);
    assert.equal(await page.locator('table.queries thead th').count(), 4);
    assert.match(await text(id('row-Hybrid')), /approximate/);
    assert.match(await text(id('loss-Hybrid')), /Hybrid 62 12 2/);
  });

  test('mouse and keyboard sort the table, and the order is announced', async () => {
    await show('compared');
    const order = (): Promise<(string | undefined)[]> => rowsOf(id('compare-table'));
    const compared = ['row-BM25', 'row-Dense', 'row-Hybrid', 'row-BM25 + MMR'];
    assert.deepEqual(await order(), compared);
    const head = page.locator('th', { has: id('sort-MRecall@5') });
    await id('sort-MRecall@5').click();
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    assert.deepEqual(await order(), ['row-Hybrid', 'row-Dense', 'row-BM25 + MMR', 'row-BM25']);
    await id('sort-MRecall@5').press('Enter');
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    assert.deepEqual(await order(), ['row-BM25', 'row-BM25 + MMR', 'row-Dense', 'row-Hybrid']);
    assert.equal(await panel.focusedTestId(), 'sort-MRecall@5');
    await page.reload();
    await id('compare-table').waitFor();
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    await id('sort-MRecall@5').click();
    assert.equal(await head.getAttribute('aria-sort'), 'none');
    assert.deepEqual(await order(), compared);
    await id('sort-time').click();
    assert.equal((await order())[0], 'row-BM25');
  });

  test('with a single pipeline, there are no differences, and the reason is given', async () => {
    await show('single');
    assert.match(await text(id('basis')), /One pipeline only/);
    assert.equal(await page.locator('.difference').count(), 0);
    assert.equal(await id('sort-tally').count(), 0);
    assert.equal(await id('loss-union').count(), 0);
  });

  test('figures are explained without pointing at them', async () => {
    await show('compared');
    await page.locator('.definitions summary').click();
    const words = await text(page.locator('.definitions dl'));
    assert.match(words, /MRecall@5 Share of questions whose perspectives the top k cover/);
    assert.match(words, /Differences To the baseline.*95% interval of a paired bootstrap.*Holm-corrected/);
  });

  test('the overview is exported in four formats, and its judgements as qrels', async () => {
    await show('compared');
    for (const label of ['Markdown', 'LaTeX', 'CSV', 'JSON', 'judgements (qrels)'])
      await id('export').getByRole('button', { name: label }).click();
    assert.deepEqual(
      await sent(),
      (['markdown', 'latex', 'csv', 'json', 'qrels'] as const).map((format) => ({ type: 'export', format })),
    );
  });
});

describe('where coverage is lost, leaning and groups', () => {
  test('figures are beside the bars, whose parts differ by pattern and by colour', async () => {
    await show('errors');
    const { places } = COMPARE_FIXTURES.errors.comparison.datasets[0]!.pipelines[0]!;
    assert.equal(await text(id('loss-BM25')), `BM25 ${PLACES.map((place) => places[place]).join(' ')}`);
    const looks = await page
      .locator('[data-testid=section-losses] .swatch')
      .evaluateAll((all) =>
        all.map(
          (one) => `${getComputedStyle(one.children[0]!).fill} ${one.children[1]!.getAttribute('fill')}`,
        ),
      );
    assert.equal(new Set(looks).size, 6);
    const patterns = looks.map((one) => one.split(' ').at(-1));
    assert.equal(new Set(patterns).size, 5, 'only covered and not in corpus are plain');
  });

  test('what unjudged passages may cover is pale and counted, and coverage is “at least”', async () => {
    await show('partly-judged');
    const { places, open } = COMPARE_FIXTURES['partly-judged'].comparison.datasets[0]!.pipelines[0]!;
    const [below, elsewhere] = (['below-k', 'not-retrieved'] as const).map(
      (place) => `${places[place]} ${open[place]} open`,
    );
    assert.equal(
      await text(id('loss-BM25')),
      `BM25 ≥ ${places.covered} ${below} ${elsewhere} ${places.unjudged} ${places['not-found']}`,
    );
    assert.equal(await id('loss-BM25').locator('.pale').count(), 2);
  });

  test('segments are as long as their figures', async () => {
    await show('compared');
    const { places } = SET.pipelines[0]!;
    const [bar, covered] = await id('loss-BM25')
      .locator('svg')
      .evaluate((svg) =>
        [svg, svg.querySelector('.part-covered')!].map((one) => one.getBoundingClientRect().width),
      );
    assert.ok(Math.abs(covered! / bar! - places.covered / 80) < 0.01);
  });

  test('the row of all pipelines is the last one', async () => {
    await show('compared');
    const row = page.locator('[data-testid=section-losses] tfoot tr');
    assert.match(
      await text(row),
      /All together cover 90\.0% of the perspectives, and 87\.5% of the questions in full/,
    );
    await show('judgeable');
    assert.match(await text(id('loss-union')), /cover ≥ [\d.]+% of the perspectives/, 'a part is judged');
  });

  test('leaning shows the share of each side', async () => {
    await show('compared');
    const head = id('section-leaning').locator('header');
    assert.match(
      await text(head),
      /Which side of a two-sided question the top k support.*40 two-sided questions/su,
    );
    assert.match((await head.locator('h2').getAttribute('title'))!, /^Which side of a two-sided question/u);
    assert.match(
      (await id('chart-choice-sycophancy').getAttribute('title'))!,
      /take the side of the person who asks/u,
    );
    assert.equal(await text(id('leaning-BM25')), 'BM25 22.5% 37.5% 22.5% 17.5%');
  });

  test('groups are a heat map whose cells contain their figures', async () => {
    await show('groups');
    assert.equal(await text(id('groups-BM25')), 'BM25 41.0% 18.0% 27.0% 9.0% 5.0%');
    const heat = await id('groups-BM25')
      .locator('rect')
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute('fill-opacity'))));
    assert.deepEqual(heat.toSorted(), [heat[4], heat[3], heat[1], heat[2], heat[0]]);
    await show('compared');
    assert.equal(await id('section-groups').count(), 0);
  });
});

describe('queries', () => {
  test('begin with those on which the pipelines disagree', async () => {
    await show('compared');
    const rows = await queryRows();
    assert.equal(rows.length, 40);
    const outcomes = async (testId: string | undefined): Promise<number> =>
      new Set(mRecalls(SET.queries.find(({ id: one }) => `query-${one}` === testId)!)).size;
    assert.equal(await outcomes(rows[0]), 2);
    assert.equal(await outcomes(rows.at(-1)), 1);
    await choose('query-order', 'As in the eval set');
    assert.equal((await queryRows())[0], 'query-q001');
  });

  test('cells show where each perspective is first found, by words, letters and style', async () => {
    await show('compared');
    const query = SET.queries.find(
      ({ perspectives: [first, second] }) =>
        placeAt(first!, 0) === 'below-k' && placeAt(second!, 0) === 'not-retrieved',
    )!;
    const cell = id(`cell-${query.id}-BM25`);
    const rank = rankAt(query.perspectives[0]!, 0)!;
    assert.equal(
      await cell.getAttribute('aria-label'),
      `MRecall@5 0. A rank ${rank}, below k. B not retrieved. Show in the side panel`,
    );
    assert.equal(await text(cell), `– A${rank} B`);
    assert.deepEqual(await cell.locator('.place').evaluateAll((all) => all.map((one) => one.className)), [
      'place below-k',
      'place not-retrieved',
    ]);
  });

  test('a cell opens the query under its pipeline', async () => {
    await show('compared');
    await id('cell-q005-Hybrid').click();
    assert.deepEqual(await sent(), [
      { type: 'inspect', dataset: 'debate', queryId: 'q005', pipeline: 'Hybrid' },
    ]);
  });

  test('won and lost cells are marked by a sign', async () => {
    await show('compared');
    const { queries } = SET;
    const won = queries.find((query) => mRecalls(query)[0] === 0 && mRecalls(query)[2] === 1)!;
    const lost = queries.find((query) => mRecalls(query)[0] === 1 && mRecalls(query)[2] === 0)!;
    assert.equal(await text(id(`cell-${won.id}-Hybrid`).locator('.outcome')), '▲');
    assert.equal(await text(id(`cell-${lost.id}-Hybrid`).locator('.outcome')), '▼');
    assert.match(
      (await id(`cell-${won.id}-Hybrid`).getAttribute('aria-label')) ?? '',
      /won over the baseline/,
    );
  });

  test('filters narrow the list and show how many queries each matches', async () => {
    await show('compared');
    const { queries } = SET;
    const lostByAll = queries.filter((query) => mRecalls(query).every((one) => one === 0)).length;
    assert.equal(await text(id('filter-lost-by-all')), `Lost by all ${lostByAll}`);
    await id('filter-lost-by-all').click();
    assert.equal(await id('filter-lost-by-all').getAttribute('aria-pressed'), 'true');
    assert.equal((await queryRows()).length, lostByAll);
    assert.match(await text(id('section-queries').locator('header')), new RegExp(`${lostByAll} of 40`));
    await page.reload();
    await id('compare-table').waitFor();
    assert.equal((await queryRows()).length, lostByAll);
  });

  test('words and tags narrow the list further, and an empty list can be reset', async () => {
    await show('compared');
    await id('filter-words').locator('input').fill('congestion');
    const found = await queryRows();
    assert.ok(found.length > 0 && found.length < 40);
    assert.equal(await text(id('filter-all')), `All ${found.length}`);
    await choose('filter-tag', 'contested');
    assert.ok((await queryRows()).length < found.length);
    await id('filter-words').locator('input').fill('no such words');
    assert.match(await text(id('no-queries')), /No question matches/);
    await id('show-all-queries').click();
    assert.equal((await queryRows()).length, 40);
    assert.equal(await id('filter-words').locator('input').inputValue(), '');
  });

  test('unfold to show their perspectives', async () => {
    await show('compared');
    await id('expand-q001').click();
    assert.equal(await id('expand-q001').getAttribute('aria-expanded'), 'true');
    assert.match(await text(id('query-q001')), /A It does what its supporters promise/);
  });

  test('have one tab stop; arrow keys, Home and End move; Enter inspects', async () => {
    await show('compared');
    const table = page.locator('table.queries');
    assert.equal(await table.locator('.cell[tabindex="0"]').count(), 1);
    await table.locator('.cell').first().focus();
    for (const key of ['ArrowDown', 'End', 'ArrowLeft', 'ArrowUp', 'ArrowDown'])
      await page.keyboard.press(key);
    const rows = await queryRows();
    const query = rows[1]!.slice('query-'.length);
    assert.equal(await panel.focusedTestId(), `cell-${query}-Hybrid`);
    assert.equal(await table.locator('.cell[tabindex="0"]').count(), 1);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), [
      { type: 'inspect', dataset: 'debate', queryId: query, pipeline: 'Hybrid' },
    ]);
    await page.keyboard.press('Control+End');
    assert.equal(await panel.focusedTestId(), `cell-${rows.at(-1)!.slice('query-'.length)}-BM25 + MMR`);
  });

  test('are rendered near the visible part only, however many there are', async () => {
    const { state, comparison } = crowdOf(50, 400);
    await show('ready');
    await compare(comparison, state);
    const list = page.locator('.table-scroll.tall');
    const rows = page.locator('table.queries tr[data-testid]');
    const drawn = async (...queryIds: string[]): Promise<void> => {
      for (const one of queryIds) await id(`query-${one}`).waitFor();
      assert.ok((await rows.count()) < 60, `${await rows.count()} rows are in the document`);
    };
    await choose('query-order', 'As in the eval set');
    await id('section-queries').evaluate((element) => element.scrollIntoView());
    await drawn('q001', 'q010');
    assert.equal(await page.locator('table.queries').getAttribute('aria-rowcount'), '401');
    assert.equal(await id('query-q001').getAttribute('aria-rowindex'), '2');
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
    await page.waitForFunction(() => {
      const { top, bottom } = document.querySelector('.table-scroll.tall')!.getBoundingClientRect();
      const places = [...document.querySelectorAll('table.queries .gap')].map((gap) =>
        gap.getBoundingClientRect(),
      );
      return places.every((place) => place.bottom <= top || place.top >= bottom);
    });
    assert.ok((await rows.count()) < 60);
    // The focus is still on its row, and can reach the last row and the first one.
    await id('cell-q001-BM25').focus();
    await page.keyboard.press('Control+End');
    assert.match((await panel.focusedTestId()) ?? '', /^cell-q400-/u);
    await drawn('q400', 'q395');
    assert.equal(await id('query-q400').getAttribute('aria-rowindex'), '401');
    await page.keyboard.press('Control+Home');
    assert.equal(await panel.focusedTestId(), 'cell-q001-BM25');
    await drawn('q005', 'q010');
    // The same for columns: the visible ones, and the focused one.
    const cells = id('query-q005').locator('.cell');
    assert.ok((await cells.count()) < 40, `${await cells.count()} of 50 cells are in the document`);
    assert.equal(await page.locator('table.queries').getAttribute('aria-colcount'), '51');
    await page.keyboard.press('End');
    const last = state.pipelines.at(-1)!.name;
    assert.equal(await panel.focusedTestId(), `cell-q001-${last}`);
    await id(`cell-q005-${last}`).waitFor();
    assert.equal(await id(`cell-q005-${last}`).locator('..').getAttribute('aria-colindex'), '51');
    assert.ok((await cells.count()) < 40);
    await page.keyboard.press('Home');
    await id('cell-q005-BM25').waitFor();
    await id('filter-won').click();
    assert.equal(await list.evaluate((element) => element.scrollTop), 0);
  });

  test('are shown as plain text, whatever they contain', async () => {
    await show('compared');
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const comparison = { ...evaluationSchema.parse(COMPARISON), id: hostile };
    const [set] = comparison.datasets;
    for (const query of set!.queries) query.text = hostile;
    comparison.pipelines[0]!.name = hostile;
    set!.pipelines[0]!.name = hostile;
    set!.evalSet = hostile;
    await compare(comparison);
    await id('section-charts').locator('parallax-chart').scrollIntoViewIfNeeded();
    await page.locator('.plot').waitFor();
    assert.equal(await text(page.locator('.query-text').first()), hostile);
    assert.equal(await page.locator('#root img, #root script').count(), 0);
    assert.equal(await page.title(), 'Parallax');
  });
});

describe('several data sets', () => {
  const { comparison } = COMPARE_FIXTURES.several;

  test('have a group of rows each, below their average', async () => {
    await show('several');
    const heads = await page.locator('.group-head .group-name').allInnerTexts();
    assert.deepEqual(heads, ['Average over 3 data sets', 'debate', 'kialo', 'opinions']);
    const { macro } = comparison;
    const [baseline, dense] = macro!.map((values) => values['MRecall@5']!.value);
    const points = ((dense! - baseline!) * 100).toFixed(1);
    assert.ok(
      (await text(id('row-average-Dense'))).includes(`${(dense! * 100).toFixed(1)}% +${points} pts`),
      'the average with its bare difference',
    );
    assert.equal(await id('row-average-Dense').locator('.interval').count(), 0);
    assert.match(await text(id('row-kialo-Hybrid')), /▲\+.* pts \[.*\] p/);
    await id('sort-MRecall@5').click();
    const rows = await rowsOf(id('compare-table'));
    assert.equal(rows.length, 16);
    assert.equal(rows[0], 'row-average-Hybrid');
    assert.ok(rows.slice(4, 8).every((row) => row?.startsWith('row-debate-')));
  });

  test('fold and unfold, and stay so after a reload', async () => {
    await show('several');
    await id('group-kialo').click();
    assert.equal(await id('group-kialo').getAttribute('aria-expanded'), 'false');
    assert.equal(await id('row-kialo-BM25').count(), 0);
    await page.reload();
    await id('compare-table').waitFor();
    assert.equal(await id('row-kialo-BM25').count(), 0);
    await id('group-kialo').press('Enter');
    assert.equal(await id('row-kialo-BM25').count(), 1);
  });

  test('with many rows, only the average and the detailed one are unfolded', async () => {
    await show('crowded');
    assert.equal((await rowsOf(id('compare-table'))).length, 2 * 24);
    assert.equal(await id('group-kialo').getAttribute('aria-expanded'), 'false');
  });

  test('are shown in detail one at a time', async () => {
    await show('several');
    await id('show-set-opinions').click();
    assert.equal(await id('show-set-opinions').getAttribute('aria-pressed'), 'true');
    const { places } = comparison.datasets[2]!.pipelines[0]!;
    const counts = `${places.covered} ${places['below-k']}`;
    assert.match(await text(id('loss-BM25')), new RegExp(`^BM25 (≥ )?${counts}`));
    await page.locator('table.queries .cell').first().click();
    const [message] = await sent();
    assert.equal(message?.type === 'inspect' && message.dataset, 'opinions');
  });

  test('without a pipeline in one of them, the average says so', async () => {
    await show('several');
    const [first, ...others] = comparison.datasets;
    const pipelines = first!.pipelines.map((one) => (one.name === 'Dense' ? { ...one, error: 'No.' } : one));
    await compare({ ...comparison, datasets: [{ ...first!, pipelines }, ...others] });
    assert.match(await text(id('row-average-Dense')), /no figures on debate, so there is no average/);
    assert.match(await text(id('row-kialo-Dense')), /%/);
  });
});

describe('figures lead to their queries', () => {
  test('a difference opens the queries behind it', async () => {
    await show('compared');
    const differing = SET.queries
      .filter((query) => mRecalls(query)[2] !== mRecalls(query)[0])
      .map(({ id: one }) => one);
    await id('lead-MRecall@5-Hybrid').click();
    assert.deepEqual((await queryRows()).toSorted(), differing.map((one) => `query-${one}`).toSorted());
    assert.equal(
      await text(id('lead')),
      'Only questions on which MRecall@5 of Hybrid differs from BM25 Show all',
    );
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'queries-heading');
    await id('end-lead').click();
    assert.equal((await queryRows()).length, 40);
  });

  test('won, lost and tied open as many queries as they count', async () => {
    await show('compared');
    for (const wanted of ['won', 'lost', 'tied']) {
      const figure = Number(await text(id(`${wanted}-Hybrid`)));
      await id(`${wanted}-Hybrid`).press('Enter');
      assert.equal((await queryRows()).length, figure, wanted);
    }
  });

  test('a loss opens the queries with such a perspective', async () => {
    await show('compared');
    await id('lead-not-retrieved-Dense').click();
    assert.match(await text(id('lead')), /Only questions with perspectives in “Not retrieved” of Dense/);
    const shown = await queryRows();
    assert.ok(shown.length > 0 && shown.length < 40);
    assert.equal(await id('lead-unjudged-Dense').count(), 0, 'a zero leads nowhere');
  });

  test('a figure of another data set opens the queries of that one', async () => {
    await show('several');
    await id('row-kialo-Dense').getByTestId('lead-Precision@5-Dense').click();
    assert.equal(await id('show-set-kialo').getAttribute('aria-pressed'), 'true');
    await id('row-average-Dense')
      .getByTestId(/^lead-average-MRecall@5/)
      .click();
    assert.equal(await id('show-set-kialo').getAttribute('aria-pressed'), 'true');
  });
});

describe('earlier comparisons', () => {
  test('are listed, opened and deleted', async () => {
    await show('compared');
    await id('earlier').click();
    assert.match(await text(id('open-c-compared')), /shown debate · 40 questions · k = 5 BM25, Dense/);
    assert.match(await text(id('open-c-earlier')), /3 data sets · 534 questions · k = 10/);
    await id('forget-c-earlier').click();
    assert.equal(await id('earlier-surface').count(), 1);
    await id('open-c-earlier').click();
    assert.equal(await id('earlier-surface').count(), 0);
    assert.deepEqual(await sent(), [
      { type: 'forget-kept', id: 'c-earlier' },
      { type: 'open-kept', id: 'c-earlier' },
    ]);
  });

  test('are hidden if there are none', async () => {
    await show('ready');
    assert.equal(await id('earlier').count(), 0);
  });
});

describe('charts', () => {
  const drawn = async (chart: string): Promise<Locator> => {
    await id(`chart-choice-${chart}`).click();
    // The picture is replaced when its width changes, but its element stays.
    await id('section-charts').locator('parallax-chart').scrollIntoViewIfNeeded();
    const svg = id('section-charts').locator('svg.plot');
    await svg.waitFor();
    return svg;
  };
  const CHARTS = [
    ['compared', ['curves', 'scatter', 'map', 'sycophancy']],
    ['groups', ['curves', 'scatter', 'map', 'heat', 'recall']],
  ] as const;

  for (const [state, names] of CHARTS)
    test(`“${state}” offers the charts with figures, each with a text and a table`, async () => {
      await show(state);
      const offered = await page
        .getByTestId(/^chart-choice-/)
        .evaluateAll((all) =>
          all.map((one) => (one as HTMLElement).dataset['testid']!.slice('chart-choice-'.length)),
        );
      assert.deepEqual(offered, names);
      for (const name of names) {
        await drawn(name);
        const picture = id('section-charts').getByRole('img');
        assert.match((await picture.getAttribute('aria-label')) ?? '', /\w.*\.$/);
        const table = id('section-charts').locator('.chart-table');
        assert.ok((await table.locator('tbody tr').count()) > 0, name);
        await panel.assertFits([500, 1100]);
      }
    });

  test('are drawn only when they become visible, by a file that is loaded then', async () => {
    await page.setViewportSize({ width: 1100, height: 300 });
    const scripts: string[] = [];
    const listen = (request: { url(): string }): void => void scripts.push(request.url());
    page.on('request', listen);
    await show('crowded');
    await page.waitForTimeout(300);
    assert.equal(await page.locator('.plot').count(), 0);
    assert.equal(
      scripts.some((url) => /draw-/.test(url)),
      false,
    );
    await id('section-charts').locator('parallax-chart').scrollIntoViewIfNeeded();
    await page.locator('.plot').waitFor();
    assert.equal(
      scripts.some((url) => /draw-/.test(url)),
      true,
    );
    page.off('request', listen);
  });

  test('are redrawn at another width', async () => {
    await show('compared');
    const svg = await drawn('curves');
    const before = Number(await svg.getAttribute('width'));
    await page.setViewportSize({ width: 700, height: 900 });
    await page.locator(`.plot:not([width="${before}"])`).waitFor();
    assert.ok(Number(await svg.getAttribute('width')) < before);
  });

  test('plot the chosen measures against each other, and single queries with them', async () => {
    await show('compared');
    const svg = await drawn('scatter');
    assert.equal(
      await svg
        .locator('path')
        .filter({ has: page.locator('title') })
        .count(),
      4,
    );
    await choose('scatter-x', 'Time (ms)');
    await page.locator('.plot', { hasText: 'Time (ms)' }).waitFor();
    assert.equal(await id('scatter-queries').count(), 0, 'time is not known of single queries');
    await choose('scatter-x', 'StRecall@5');
    await id('scatter-queries').click();
    await svg.locator('circle').first().waitFor();
    assert.equal(await svg.locator('circle').count(), 160);
    await page.reload();
    // Charts are drawn once they are near the visible part.
    await id('section-charts').locator('parallax-chart').scrollIntoViewIfNeeded();
    await id('section-charts').locator('svg.plot').waitFor();
    assert.ok(await id('scatter-queries').isChecked());
  });

  test('curves show StRecall; those of MRecall explain why they may fall', async () => {
    await show('compared');
    assert.match(await text(id('section-charts')), /StRecall@k: the share of perspectives/u);
    await id('mrecall-curves').check();
    assert.match(await text(id('section-charts')), /It can fall as k grows, because k passages/u);
  });

  test('in a narrow panel, the texts of the curves are side by side', async () => {
    const wide = page.viewportSize()!;
    await page.setViewportSize({ ...wide, width: 300 });
    try {
      await show('judgeable');
      const svg = await drawn('curves');
      const boxes = await svg.locator('text').evaluateAll((all) =>
        all.map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return { said: text.textContent, left, right, top, bottom };
        }),
      );
      assert.ok(boxes.some(({ said }) => said?.startsWith('k = ')));
      const meet = boxes.flatMap((a, place) =>
        boxes
          .slice(place + 1)
          .filter((b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
          .map((b) => `${a.said} / ${b.said}`),
      );
      assert.deepEqual(meet, []);
    } finally {
      await page.setViewportSize(wide);
    }
  });

  test('a cell of the heat map opens its query under its pipeline', async () => {
    await show('compared');
    const svg = await drawn('map');
    const cell = svg.locator('rect', { hasText: /^Hybrid, q005:/ });
    await cell.click();
    assert.deepEqual(await sent(), [
      { type: 'inspect', dataset: 'debate', queryId: 'q005', pipeline: 'Hybrid' },
    ]);
    await id('filter-words').locator('input').fill('congestion');
    await page.locator('.plot rect').nth(4).waitFor();
    assert.equal(await svg.locator('rect').count(), 4 * (await queryRows()).length);
  });

  test('the chart of groups shows the chosen pipeline', async () => {
    await show('groups');
    await drawn('heat');
    await choose('heat-pipeline', 'Hybrid');
    assert.match(
      (await id('section-charts').getByRole('img').getAttribute('aria-label')) ?? '',
      /top k of Hybrid/,
    );
  });

  test('are saved as a standalone picture and as the numbers it draws', async () => {
    await show('compared', 'light');
    await drawn('curves');
    await id('save-svg').click();
    await id('save-csv').click();
    await page.waitForFunction(() => preview.sent.length > 2);
    const [svg, csv] = await sent();
    assert.ok(svg?.type === 'save-chart' && csv?.type === 'save-chart');
    assert.deepEqual([svg.format, svg.name, csv.format], ['svg', 'coverage of perspectives debate', 'csv']);
    assert.doesNotMatch(svg.content, /var\(|color-mix|color\(srgb|class=|currentColor/i);
    assert.match(svg.content, /<rect width="100%" height="100%" fill="rgb\(255, 255, 255\)"/);
    assert.match(svg.content, /font-family="[^"]*sans-serif/);
    assert.match(csv.content, /^"pipeline","k","strecall"\r\n"BM25",1,0\.1125/);
    // As a file, without a page around it.
    const looks = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        error: parsed.querySelector('parsererror')?.textContent,
        lines: parsed.querySelectorAll('[stroke^="rgb"] > path').length,
      };
    }, svg.content);
    assert.equal(looks.error, undefined);
    assert.ok(looks.lines >= 4);
  });

  for (const theme of Object.keys(THEMES))
    test(`${theme}: lines keep a contrast of 3 to the background, and differ without colour`, async () => {
      await show('crowded', theme);
      const svg = await drawn('curves');
      const lines = await svg.locator('g:has(> path > title) > path').evaluateAll((all) =>
        all.map((one) => {
          const { stroke, strokeDasharray } = getComputedStyle(one);
          return { stroke, strokeDasharray };
        }),
      );
      assert.equal(lines.length, 24);
      assert.equal(new Set(lines.slice(0, 5).map(({ strokeDasharray }) => strokeDasharray)).size, 5);
      const ground = await id('section-charts')
        .locator('.chart')
        .evaluate((one) => getComputedStyle(one).backgroundColor);
      const painted = lines.map(({ stroke }, index) => ({
        what: `line ${index}`,
        under: [{ color: ground }],
        color: stroke,
      }));
      for (const { what, ratio } of await contrasts(page, painted))
        assert.ok(ratio >= 3, `${what}: ${ratio.toFixed(2)}`);
    });
});

describe('judging what is missing', () => {
  test('the unjudged share is shown, and judging covers the needed pairs or all of them', async () => {
    await show('judgeable');
    assert.equal(await text(id('unjudged')), '412 of 1,204 pairs in the top k are unjudged.');
    await id('judge-figures').click();
    await id('judge-more').click();
    assert.match(await text(id('judge-more-surface')), /often need only some of the pairs/);
    await id('judge-everything').click();
    assert.equal(await id('judge-more-surface').count(), 0);
    assert.deepEqual(await sent(), [
      { type: 'judge-figures', scope: 'figures' },
      { type: 'judge-figures', scope: 'everything' },
    ]);
  });

  test('is not offered twice, or without a judge, and says why', async () => {
    await show('judgeable');
    const { state } = COMPARE_FIXTURES.judgeable;
    await post({ ...state, task: { title: 'Judging with qwen3-8b', fraction: 0.2 } });
    assert.equal(await id('judge-figures').getAttribute('disabled'), '');
    assert.match(await text(id('compare-task')), /Judging with qwen3-8b/);
    for (const [blocked, reason] of [
      ['people', /Choose a judge that can be asked/],
      ['changed', /compared eval set or corpus is gone/],
      ['untrusted', /before you trust this workspace/],
    ] as const) {
      await post({ ...state, judging: { blocked } });
      assert.equal(await text(id('unjudged')), 'Part of the top k is unjudged.');
      assert.equal(await id('judge-figures').getAttribute('disabled'), '');
      assert.match(await text(id('judging-blocked')), reason);
      assert.equal(await id('measure-pool').getAttribute('disabled'), '');
    }
    await id('judge-figures').click({ force: true });
    assert.deepEqual(await sent(), []);
  });

  test('during a new comparison, the earlier figures are marked as such', async () => {
    await show('judged');
    assert.equal(await id('from-before').count(), 0);
    assert.equal(await id('unjudged').count(), 1);
    await post({ ...COMPARE_FIXTURES.judged.state, task: { title: 'Comparing' } });
    assert.equal(await text(id('from-before')), 'The results below are from before this run.');
    assert.equal(await id('judging-report').count(), 1);
    assert.equal(await id('unjudged').count(), 0, 'the answers that came are not in the figures yet');
  });

  test('its result is reported and announced, with a warning if it is incomplete', async () => {
    await show('judgeable');
    await post(COMPARE_FIXTURES.judged.state);
    const said = await text(id('judging-report'));
    assert.match(said, /^409 pairs judged of 412 asked\. 3 failed: The model did not answer/);
    assert.match(said, /507 pairs did not have to be asked.*budget in your settings ran out/);
    assert.match(said, /settled for 31 of 40 questions/);
    assert.equal(await id('judging-report').locator('.codicon-warning').count(), 1);
    assert.match((await id('announcer').textContent()) ?? '', /409 pairs judged of 412 asked/);
    const counts = { asked: 9, answered: 9, failed: 0, unreadable: 0, saved: 0 };
    const report = { ...counts, settled: 40, queries: 40, stopped: false };
    const judging = { counted: { pairs: 9, known: 9 }, report };
    await post({ ...COMPARE_FIXTURES.judged.state, judging });
    assert.equal(await text(id('judging-report')), '9 pairs were put to the judge.');
    assert.equal(await id('judging-report').locator('.codicon-warning').count(), 0);
    assert.equal(await text(id('all-judged')), 'All 9 pairs in the top k are judged.');
    assert.equal(await id('judge-figures').count(), 0);
  });

  test('is not offered for figures that do not depend on unjudged passages', async () => {
    await show('settled');
    assert.equal(await text(id('unjudged')), 'No figure depends on the 1 pair that is unjudged.');
    assert.equal(await id('judge-figures').count(), 0);
    await id('judge-more').click();
    await id('judge-everything').click();
    assert.deepEqual(await sent(), [{ type: 'judge-figures', scope: 'everything' }]);
    const { state } = COMPARE_FIXTURES.settled;
    const counts = { asked: 9, answered: 9, failed: 0, unreadable: 0, saved: 1_300 };
    const report = { ...counts, settled: 40, queries: 40, stopped: false };
    const judging = { counted: { pairs: 1_309, known: 9 }, report };
    await post({ ...state, judging });
    assert.equal(await text(id('unjudged')), 'No figure depends on the 1,300 pairs that are unjudged.');
    await post({ ...state, judging: { ...judging, report: { ...report, settled: 39 } } });
    assert.equal(await id('judge-figures').count(), 1);
  });

  test('is hidden if nothing is known to be missing', async () => {
    await show('compared');
    assert.equal(await id('judging').count(), 0);
  });
});

describe('the pool', () => {
  const section = (): Locator => id('section-pool');

  test('is measured on request', async () => {
    await show('judgeable');
    assert.match(await text(section()), /It uses the verdicts that are there: no model is asked/);
    await id('measure-pool').click();
    assert.deepEqual(await sent(), [{ type: 'measure-pool' }]);
  });

  test('says whether it is saturated, draws four charts with tables, and saves them', async () => {
    await show('pool');
    assert.match(await text(id('saturation')), /^The pool is saturated/);
    assert.match(await text(id('pool-counts')), /^92 holes by local; 792 of 1,204 pairs/);
    await section().scrollIntoViewIfNeeded();
    const drawn = section().locator('svg.plot');
    await drawn.nth(3).waitFor();
    assert.equal(await drawn.count(), 4);
    assert.deepEqual(await section().locator('.chart-table').first().locator('thead th').allTextContents(), [
      'Pipelines in the pool',
      'Holes found',
    ]);
    // The first pool has grown from nothing, so there is no rate to draw.
    assert.equal(await drawn.nth(1).locator('g > path:has(title)').count(), 3);
    await section().getByTestId('save-csv').nth(2).click();
    const [saved] = await sent();
    assert.ok(saved?.type === 'save-chart');
    assert.equal(saved.name, 'pool marginal debate');
    assert.match(saved.content, /^"series","pool","marginal"\r\n"MRecall",0,0\.0/);
    assert.deepEqual(await section().locator('.chart-table').last().locator('thead th').allTextContents(), [
      'Other pipelines in the pool',
      'Hit',
      'Recall',
      'nDCG',
    ]);
  });

  test('shows every pipeline before and after, and how the ranking changed', async () => {
    await show('pool-open');
    assert.match(await text(id('pool-BM25')), /^BM25 4\.0% 86\.0% → 100\.0% .* rank 1 → 2 ▼/);
    assert.match(await text(id('pool-Hybrid')), /rank 2 → 1 ▲/);
    assert.match(await text(id('pool-Dense')), /could not be run/);
    assert.equal(await id('saturation').locator('.codicon-question').count(), 1);
    await id('judge-pool').click();
    await id('measure-pool').click();
    assert.deepEqual(await sent(), [
      { type: 'judge-figures', scope: 'everything' },
      { type: 'measure-pool' },
    ]);
  });

  test('counts no pairs if nothing was retrieved', async () => {
    const counted = { pairs: 1, known: 1 };
    await show('compared');
    await post({ ...COMPARED, judging: { counted } });
    assert.equal(await id('all-judged').count(), 1);
    await post({ ...COMPARED, judging: { counted: { pairs: 0, known: 0 } } });
    assert.equal(await id('all-judged').count(), 0);
  });

  test('handles a click while the pictures above it change their height', async () => {
    const { promise: drawn, resolve: draw } = Promise.withResolvers<undefined>();
    await page.route('**/draw-*.js', async (route) => {
      await drawn;
      await route.continue();
    });
    await show('pool-open');
    await id('judge-pool').scrollIntoViewIfNeeded();
    // Another height than that of the next picture.
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.chart:empty { min-height: 400px }');
      document.adoptedStyleSheets.push(sheet);
    });
    await id('judge-pool').hover();
    await page.mouse.down();
    draw(undefined);
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    await page.mouse.up();
    assert.deepEqual(await sent(), [{ type: 'judge-figures', scope: 'everything' }]);
    await section().locator('.chart svg').first().waitFor();
    await page.unroute('**/draw-*.js');
  });

  test('of another data set is not shown for this one', async () => {
    await show('several');
    const pool = COMPARE_FIXTURES.pool.state.pool!;
    await post({ ...COMPARE_FIXTURES.several.state, judging: {}, pool });
    await id('show-set-kialo').click();
    assert.equal(await id('saturation').count(), 0);
    assert.match(await text(section()), /not been measured on this data set/);
  });
});

describe('rank movement', () => {
  const { movement } = COMPARE_FIXTURES.movement.state;

  test('is requested from a query, awaited, drawn and closed', async () => {
    await show('compared');
    await id('movement-q001').click();
    assert.deepEqual(await sent(), [{ type: 'show-movement', dataset: 'debate', queryId: 'q001' }]);
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'movement-heading');
    assert.match(await text(id('movement-waiting')), /Reading the rankings/);
    await post({ ...COMPARED, movement });
    const svg = id('section-movement').locator('svg.plot');
    await svg.waitFor();
    assert.deepEqual(await id('section-movement').locator('.chart-table thead th').allTextContents(), [
      'Passage',
      'Supports',
      'BM25',
      'Dense',
      'Hybrid',
      'BM25 + MMR',
    ]);
    await panel.assertNamed();
    await id('close-movement').click();
    assert.equal(await id('section-movement').count(), 0);
    assert.equal(await panel.focusedTestId(), 'movement-q001');
  });

  test('marks only passages that support a perspective, in its colour and with its letter', async () => {
    await show('movement');
    await id('movement-q001').click();
    const svg = id('section-movement').locator('svg.plot');
    await svg.waitFor();
    const letters = await svg.locator('text[font-weight="600"], g[font-weight="600"] text').allTextContents();
    assert.deepEqual(letters.toSorted(), ['A', 'A', 'A', 'A', 'B', 'B', 'B', 'B']);
    await id('section-movement').getByTestId('save-csv').click();
    const saved = (await sent()).at(-1);
    assert.ok(saved?.type === 'save-chart');
    assert.match(saved.content, /^"passage","title","supports","pipeline","rank"\r\n"support-0"/);
  });

  test('of another query is not shown for this one', async () => {
    await show('movement');
    await id('movement-q002').click();
    assert.equal(await id('section-movement').locator('.chart').count(), 0);
    assert.equal(await id('movement-waiting').count(), 1);
  });
});

describe('colours', () => {
  for (const theme of Object.keys(THEMES))
    test(`${theme}: text keeps its contrast on heat, won and lost cells`, async () => {
      await show('groups', theme);
      const ratios = await contrasts(page, await page.evaluate(paintedTexts));
      assert.ok(ratios.length > 10);
      for (const { what, ratio } of ratios) assert.ok(ratio >= 4.5, `${what}: ${ratio.toFixed(2)}`);
    });
});

/** Runs in the page. */
function paintedTexts(): PaintedText[] {
  const ground = { color: getComputedStyle(document.documentElement).backgroundColor };
  const heat = [...document.querySelectorAll('.heat')].map((cell) => {
    const rect = cell.querySelector('rect')!;
    const fill = { color: getComputedStyle(rect).fill, opacity: Number(rect.getAttribute('fill-opacity')) };
    return { what: `heat ${fill.opacity}`, under: [ground, fill], color: getComputedStyle(cell).color };
  });
  const covered = [...document.querySelectorAll('td:is(.won, .lost) .place.covered')].map((place) => {
    const cell = { color: getComputedStyle(place.closest('td')!).backgroundColor };
    const tint = { color: getComputedStyle(place).backgroundColor };
    return { what: 'letter', under: [ground, cell, tint], color: getComputedStyle(place).color };
  });
  return [...heat, ...covered];
}

describe('news', () => {
  test('a run is announced once when it begins and once when it ends', async () => {
    await show('ready');
    const announced = async (): Promise<string> => ((await id('announcer').textContent()) ?? '').trim();
    assert.equal(await id('announcer').getAttribute('aria-live'), 'polite');
    await post(COMPARE_FIXTURES.running.state);
    assert.equal(await announced(), 'Comparing 4 pipelines');
    await compare(COMPARISON);
    assert.equal(await announced(), 'Compared 4 pipelines on 40 questions.');
    const node = await id('announcer').locator('p').elementHandle();
    await post({ ...COMPARED, stale: true });
    assert.ok(await node?.evaluate((one) => one.isConnected), 'the same comparison was announced again');
    await compare({ ...COMPARE_FIXTURES.errors.comparison, id: 'failed' });
    assert.equal(await announced(), 'Compared 3 pipelines on 40 questions. 1 pipeline could not be run.');
  });

  test('a state that cannot be drawn is reported, and the next valid one is shown', async () => {
    await show('compared');
    await panel.post({ type: 'state', state: { ...COMPARED, pipelines: undefined } });
    assert.match(await text(id('outdated')), /do not fit together/);
    assert.match(panel.takeProblems().join(), /undefined/);
    await post(COMPARED);
    assert.equal(await id('compare-table').count(), 1);
  });

  test('a comparison with inconsistent figures is reported and not shown', async () => {
    await show('compared');
    await panel.post({ type: 'comparison', comparison: { ...COMPARISON, id: 'newer', datasets: [] } });
    assert.equal(await id('compare-table').count(), 1, 'until a state asks for it');
    await post({ ...COMPARED, shown: 'newer' });
    assert.match(await text(id('outdated')), /do not fit together/);
    await compare({ ...COMPARISON, id: 'newer' });
    assert.equal(await id('compare-table').count(), 1);
  });

  test('messages of other senders are ignored', async () => {
    await show('compared');
    await panel.post('hello');
    await panel.post({ type: 'focus-query', query: 'x' });
    assert.equal(await id('outdated').count(), 0);
  });
});

/**
 * The compare panel's real bundle in Chromium, under the content policy of a webview, with a typed stand-in for the
 * extension host: what the panel shows, what it sends, and whether everybody can use it.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { parseEvalSet } from '../../src/core/formats/queries.ts';
import { configSchema } from '../../src/shared/config.ts';
import {
  fromCompareSchema,
  type CompareState,
  type FromCompare,
  type MeasureView,
} from '../../src/shared/compare.ts';
import { COMPARE_FIXTURES, type CompareFixtureName } from '../../webview/preview/compare-fixtures.ts';
import { THEMES } from '../../webview/preview/themes.ts';
import { contrasts, type PaintedText } from './support/contrast.ts';
import { PanelPage, text } from './support/panel-page.ts';

let panel: PanelPage<FromCompare>;
let page: Page;

before(async () => {
  panel = await PanelPage.open('compare', (message) => fromCompareSchema.parse(message));
  page = panel.page;
});
after(() => panel?.close());
beforeEach(() => page.setViewportSize({ width: 1100, height: 900 }));
afterEach(() => panel.endTest());

const id = (testId: string): Locator => panel.byId(testId);
const show = (state: CompareFixtureName, theme = 'dark'): Promise<void> =>
  panel.show(state, theme, '.setup, .welcome');
const sent = (): Promise<FromCompare[]> => panel.sent();
/** Sends a state as the extension host would, and waits until it has arrived. */
const post = (state: CompareState): Promise<void> => panel.post({ type: 'state', state });

const COMPARED = COMPARE_FIXTURES.compared;
const STATES = Object.keys(COMPARE_FIXTURES) as CompareFixtureName[];

const choose = async (picker: string, label: string): Promise<void> => {
  await id(picker).click();
  await id(picker).getByRole('option', { name: label, exact: true }).click();
};
const rowsOf = (table: Locator): Promise<(string | undefined)[]> =>
  table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['testid']));
const queryRows = (): Promise<(string | undefined)[]> => rowsOf(page.locator('table.queries'));

describe('every state', () => {
  for (const state of STATES)
    test(`“${state}” fits from 500 to 1600 pixels`, async () => {
      await show(state);
      await panel.assertFits([500, 700, 1100, 1600]);
    });

  for (const state of STATES)
    test(`“${state}” names every control, and its headings and ids are in order`, async () => {
      await show(state);
      if (state !== 'crowded') await panel.unfoldAll();
      await panel.assertNamed();
      await panel.assertOutline();
    });

  test('has a caption and heads of rows and columns in every table', async () => {
    await show('groups');
    const tables = await page.locator('table').all();
    assert.equal(tables.length, 4);
    for (const table of tables) {
      assert.notEqual((await table.locator('caption').textContent())?.trim(), '');
      const rows = await table.locator('tbody tr').count();
      assert.equal(await table.locator('tbody th[scope=row]').count(), rows);
      assert.ok((await table.locator('thead th[scope=col]').count()) > 2);
    }
  });
});

describe('first use', () => {
  test('without trust, offers to manage it', async () => {
    await show('untrusted');
    await id('trust-button').click();
    assert.deepEqual(await sent(), [{ type: 'manage-trust' }]);
    assert.equal(await id('compare-run').count(), 0);
  });

  test('without an eval set, says what one is and how to add it', async () => {
    await show('no-eval-set');
    const said = await text(id('no-eval-set'));
    assert.match(said, /questions, each with the perspectives that a complete answer must cover/);
    assert.match(said, /"evalSets": \["eval\/questions\.jsonl"\]/);
    await id('open-config').click();
    assert.deepEqual(await sent(), [{ type: 'open-config' }]);
  });

  test('the examples are what the product reads, as they stand', async () => {
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

  test('with fewer than two pipelines, says how to name another', async () => {
    await show('too-few');
    assert.match(await text(id('too-few-pipelines')), /only one pipeline.*at least two.*"rerank"/);
    await id('open-config').click();
    assert.deepEqual(await sent(), [{ type: 'open-config' }]);
  });

  test('without an index, offers it once and shows the work', async () => {
    await show('not-indexed');
    await id('index-button').click();
    assert.deepEqual(await sent(), [{ type: 'index' }]);
    await post(COMPARE_FIXTURES.indexing);
    assert.equal(await id('index-button').getAttribute('disabled'), '');
    await id('cancel').click();
    assert.deepEqual((await sent()).at(-1), { type: 'cancel' });
  });

  test('an earlier comparison stays in sight even when the index is gone', async () => {
    await show('compared');
    await post({ ...COMPARED, indexed: false });
    assert.equal(await id('compare-table').count(), 1);
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
  });

  test('before the first answer of the host, says that it is starting', async () => {
    await show('starting');
    assert.match(await text(page.locator('#root')), /Starting Parallax/);
  });
});

describe('the set-up', () => {
  test('pickers show the state and send the choice', async () => {
    await show('ready');
    await choose('eval-set-picker', 'eval/questions.jsonl (12 queries)');
    await choose('judge-picker', 'Shared words (heuristic)');
    await choose('baseline-picker', 'Hybrid');
    await id('k').locator('input').fill('10');
    await id('k').locator('input').press('Enter');
    assert.deepEqual(await sent(), [
      { type: 'set-eval-set', path: 'eval/questions.jsonl' },
      { type: 'set-judge', name: 'lexical' },
      { type: 'set-pipelines', names: ['Hybrid', 'BM25', 'Dense', 'BM25 + MMR'] },
      { type: 'set-k', k: 10 },
    ]);
  });

  test('pipelines are checked in their order, the first marked as the baseline', async () => {
    await show('ready');
    const chips = page.getByRole('checkbox');
    assert.equal(await chips.count(), 12);
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

  test('the keyboard changes the order, keeps the focus on what it moves, and says where it is', async () => {
    await show('ready');
    await id('pipeline-Dense').press('Alt+ArrowLeft');
    const names = ['Dense', 'BM25', 'Hybrid', 'BM25 + MMR'];
    assert.deepEqual(await sent(), [{ type: 'set-pipelines', names }]);
    await post({ ...COMPARE_FIXTURES.ready, chosen: names });
    assert.equal(await panel.focusedTestId(), 'pipeline-Dense');
    assert.equal((await id('announcer').textContent())?.trim(), 'Dense is now number 1.');
    await id('pipeline-Dense').press('Alt+ArrowLeft');
    await id('pipeline-Oracle').press('Alt+ArrowLeft');
    assert.equal((await sent()).length, 1);
    await id('pipeline-Dense').press('Alt+ArrowRight');
    await post(COMPARE_FIXTURES.ready);
    assert.equal(await panel.focusedTestId(), 'pipeline-Dense');
  });

  test('the mouse drags a pipeline to another place', async () => {
    await show('ready');
    await id('pipeline-BM25 + MMR').dragTo(id('pipeline-BM25'));
    assert.deepEqual(await sent(), [
      { type: 'set-pipelines', names: ['BM25 + MMR', 'BM25', 'Dense', 'Hybrid'] },
    ]);
  });

  test('runs, shows the work with a way to stop it, and cannot be run twice', async () => {
    await show('ready');
    assert.match(await text(id('ready')), /4 pipelines will answer the same 178 queries/);
    await id('compare-run').click();
    await post(COMPARE_FIXTURES.running);
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    assert.match(await text(id('compare-task')), /Comparing 4 pipelines Hybrid, query 75 of 178/);
    assert.equal(await id('compare-task').getByRole('progressbar').count(), 1);
    await id('cancel').click();
    assert.deepEqual(await sent(), [{ type: 'run' }, { type: 'cancel' }]);
  });

  test('with nothing chosen, asks for pipelines and does not run', async () => {
    await show('ready');
    await post({ ...COMPARE_FIXTURES.ready, chosen: [] });
    assert.equal(await id('compare-run').getAttribute('disabled'), '');
    assert.match(await text(id('ready')), /Choose the pipelines to compare/);
  });

  test('a comparison that is out of date says so and offers another run', async () => {
    await show('stale');
    assert.match(await text(id('stale')), /Out of date/);
    await id('run-again').click();
    assert.deepEqual(await sent(), [{ type: 'run' }]);
    await post(COMPARED);
    assert.equal(await id('stale').count(), 0);
  });

  test('a failure is an alert that can be dismissed', async () => {
    await show('errors');
    assert.equal(await id('error').getAttribute('role'), 'alert');
    await id('dismiss-error').click();
    assert.deepEqual(await sent(), [{ type: 'dismiss-error' }]);
  });
});

describe('overview', () => {
  test('says whose judgements the figures rest on, above the table', async () => {
    await show('partly-judged');
    assert.match(
      await text(id('basis')),
      /Rests on 3,412 human labels, 1,208 imported labels, 902 lexical heuristic/,
    );
    assert.ok((await id('basis').boundingBox())!.y < (await id('compare-table').boundingBox())!.y);
    await show('unjudged');
    assert.match(await text(id('basis')), /Rests on no judgements yet/);
  });

  test('claims a difference only where the interval excludes zero', async () => {
    const measure = (value: number, low: number, high: number): MeasureView => ({
      value: 0.4,
      difference: { value, low, high, p: 0.031 },
    });
    const { comparison } = COMPARE_FIXTURES.compared;
    const [baseline, better, unclear, worse] = comparison.pipelines;
    await show('compared');
    await post({
      ...COMPARED,
      comparison: {
        ...comparison,
        measures: ['MRecall@5'],
        pipelines: [
          baseline!,
          { ...better!, measures: { 'MRecall@5': measure(0.029, 0.011, 0.068) } },
          { ...unclear!, measures: { 'MRecall@5': measure(0.029, -0.011, 0.068) } },
          { ...worse!, measures: { 'MRecall@5': measure(-0.05, -0.09, -0.001) } },
        ],
      },
    });
    const difference = async (name: string): Promise<string> =>
      text(id(`row-${name}`).locator('.difference'));
    assert.equal(await id('row-BM25').locator('.difference').count(), 0);
    assert.equal(await difference('Dense'), '▲+2.9 pts [1.1, 6.8]');
    assert.equal(await difference('Hybrid'), '≈0 [−1.1, 6.8]');
    assert.equal(await difference('BM25 + MMR'), '▼−5.0 pts [−9.0, −0.1]');
    const hint = await id('row-Hybrid').locator('.difference').getAttribute('title');
    assert.equal(
      hint,
      '+2.9 pts, 95% interval [−1.1, 6.8]; the interval includes zero: no difference can be told; p = 0.031 (corrected)',
    );
    const colour = (name: string): Promise<string> =>
      id(`row-${name}`)
        .locator('.interval-bar')
        .evaluate((bar) => getComputedStyle(bar).color);
    const [quiet, told] = await Promise.all([colour('Hybrid'), colour('Dense')]);
    assert.notEqual(quiet, told);
    assert.equal(
      quiet,
      await id('row-Hybrid')
        .locator('.interval')
        .evaluate((one) => getComputedStyle(one).color),
    );
  });

  test('draws the intervals of a column on one scale, zero at the same place', async () => {
    await show('compared');
    const zeros = await page
      .locator('.overview tr td:nth-child(2) .zero')
      .evaluateAll((lines) => lines.map((line) => Math.round(line.getBoundingClientRect().x)));
    assert.equal(zeros.length, 3);
    assert.equal(new Set(zeros).size, 1);
  });

  test('warns where too little is judged, in the row and above the table', async () => {
    await show('partly-judged');
    assert.match(await text(id('judged-Dense')), /^39% may be holes$/);
    assert.equal(await id('judged-Dense').getAttribute('title'), '39% judged: differences may be holes');
    assert.equal(await id('judged-BM25').locator('.codicon-warning').count(), 0);
    assert.match(await text(id('low-judged')), /Much of the top k of Dense, BM25 \+ MMR is unjudged/);
    await show('compared');
    assert.equal(await id('low-judged').count(), 0);
  });

  test('claims nothing while nothing is judged', async () => {
    await show('unjudged');
    assert.equal(await page.locator('.difference').count(), 0);
    assert.match(await text(id('row-Dense')), /– nothing judged – nothing judged – 0%/);
    assert.equal(await id('section-leaning').count(), 0);
    assert.match(await text(id('loss-Dense')), /Dense 0 0 0 80 0/);
    assert.match(
      (await id('cell-q002-BM25').getAttribute('aria-label')) ?? '',
      /^nothing judged\. A not found/,
    );
  });

  test('shows why a pipeline could not be run, and the others all the same', async () => {
    await show('errors');
    assert.match(await text(id('row-Dense')), /Could not be run\. The embedder “minilm” could not be loaded/);
    assert.equal(await id('loss-Dense').count(), 0);
    assert.equal(await page.locator('table.queries thead th').count(), 4);
    assert.match(await text(id('row-Hybrid')), /approximate/);
    assert.match(await text(id('loss-Hybrid')), /Hybrid 62 12 2/);
  });

  test('sorts by mouse and keyboard, and says so', async () => {
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

  test('with one pipeline only, has no differences and says why', async () => {
    await show('single');
    assert.match(await text(id('basis')), /One pipeline only/);
    assert.equal(await page.locator('.difference').count(), 0);
    assert.equal(await id('sort-tally').count(), 0);
    assert.equal(await id('loss-union').count(), 0);
  });

  test('explains its figures without pointing at them', async () => {
    await show('compared');
    await page.locator('.definitions summary').click();
    const words = await text(page.locator('.definitions dl'));
    assert.match(words, /MRecall@5 Share of queries whose perspectives the top k cover/);
    assert.match(words, /Differences To the baseline.*95% interval of a paired bootstrap/);
  });

  test('is exported in three formats', async () => {
    await show('compared');
    for (const label of ['Markdown', 'CSV', 'JSON'])
      await id('export').getByRole('button', { name: label }).click();
    assert.deepEqual(
      await sent(),
      (['markdown', 'csv', 'json'] as const).map((format) => ({ type: 'export', format })),
    );
  });
});

describe('where coverage is lost, leaning and groups', () => {
  test('figures stand beside the bars, and parts differ by pattern as well as by colour', async () => {
    await show('errors');
    const { losses } = COMPARE_FIXTURES.errors.comparison.pipelines[0]!;
    assert.equal(
      await text(id('loss-BM25')),
      `BM25 ${losses.covered} ${losses.belowK} 0 ${losses.notRetrieved} ${losses.unjudged} ${losses.notInCorpus}`,
    );
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

  test('segments are as long as their figures', async () => {
    await show('compared');
    const { losses } = COMPARE_FIXTURES.compared.comparison.pipelines[0]!;
    const [bar, covered] = await id('loss-BM25')
      .locator('svg')
      .evaluate((svg) =>
        [svg, svg.querySelector('.part-covered')!].map((one) => one.getBoundingClientRect().width),
      );
    assert.ok(Math.abs(covered! / bar! - losses.covered / 80) < 0.01);
  });

  test('all pipelines together come last', async () => {
    await show('compared');
    const row = page.locator('[data-testid=section-losses] tfoot tr');
    assert.match(
      await text(row),
      /All together cover 90\.0% of the perspectives, and 87\.5% of the queries whole/,
    );
  });

  test('leaning gives the share of each side', async () => {
    await show('compared');
    assert.match(await text(id('section-leaning').locator('header')), /40 two-sided queries/);
    assert.equal(await text(id('leaning-BM25')), 'BM25 22.5% 37.5% 22.5% 17.5%');
  });

  test('groups are a heat map whose cells hold their figures', async () => {
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
      new Set(COMPARED.comparison.queries.find(({ id: one }) => `query-${one}` === testId)!.mrecall).size;
    assert.equal(await outcomes(rows[0]), 2);
    assert.equal(await outcomes(rows.at(-1)), 1);
    await choose('query-order', 'As in the eval set');
    assert.equal((await queryRows())[0], 'query-q001');
  });

  test('cells say where each perspective is first found, in words, letters and looks', async () => {
    await show('compared');
    const query = COMPARED.comparison.queries.find(
      ({ perspectives, mrecall }) =>
        mrecall[0] === 0 && perspectives[0]!.ranks[0]! > 5 && perspectives[1]!.ranks[0] === null,
    )!;
    const cell = id(`cell-${query.id}-BM25`);
    const rank = query.perspectives[0]!.ranks[0]!;
    assert.equal(
      await cell.getAttribute('aria-label'),
      `MRecall@5 0. A first at rank ${rank}, below k. B nowhere among the candidates. Show in the side panel`,
    );
    assert.equal(await text(cell), `– A ${rank} B`);
    assert.deepEqual(await cell.locator('.place').evaluateAll((all) => all.map((one) => one.className)), [
      'place below-k',
      'place lost',
    ]);
  });

  test('a cell leads to the query under its pipeline', async () => {
    await show('compared');
    await id('cell-q005-Hybrid').click();
    assert.deepEqual(await sent(), [{ type: 'inspect', queryId: 'q005', pipeline: 'Hybrid' }]);
  });

  test('won and lost cells are marked by a sign', async () => {
    await show('compared');
    const { queries } = COMPARED.comparison;
    const won = queries.find(({ mrecall }) => mrecall[0] === 0 && mrecall[2] === 1)!;
    const lost = queries.find(({ mrecall }) => mrecall[0] === 1 && mrecall[2] === 0)!;
    assert.equal(await text(id(`cell-${won.id}-Hybrid`).locator('.outcome')), '▲');
    assert.equal(await text(id(`cell-${lost.id}-Hybrid`).locator('.outcome')), '▼');
    assert.match(
      (await id(`cell-${won.id}-Hybrid`).getAttribute('aria-label')) ?? '',
      /won over the baseline/,
    );
  });

  test('filters narrow the list and show how many each lets through', async () => {
    await show('compared');
    const { queries } = COMPARED.comparison;
    const lostByAll = queries.filter(({ mrecall }) => mrecall.every((one) => one === 0)).length;
    assert.equal(await text(id('filter-lost-by-all')), `Lost by all ${lostByAll}`);
    await id('filter-lost-by-all').click();
    assert.equal(await id('filter-lost-by-all').getAttribute('aria-pressed'), 'true');
    assert.equal((await queryRows()).length, lostByAll);
    assert.match(await text(id('section-queries').locator('header')), new RegExp(`${lostByAll} of 40`));
    await page.reload();
    await id('compare-table').waitFor();
    assert.equal((await queryRows()).length, lostByAll);
  });

  test('words and tags narrow it further; nothing left offers the way back', async () => {
    await show('compared');
    await id('filter-words').locator('input').fill('congestion');
    const found = await queryRows();
    assert.ok(found.length > 0 && found.length < 40);
    assert.equal(await text(id('filter-all')), `All ${found.length}`);
    await choose('filter-tag', 'contested');
    assert.ok((await queryRows()).length < found.length);
    await id('filter-words').locator('input').fill('no such words');
    assert.match(await text(id('no-queries')), /No query matches/);
    await id('show-all-queries').click();
    assert.equal((await queryRows()).length, 40);
    assert.equal(await id('filter-words').locator('input').inputValue(), '');
  });

  test('unfold to their perspectives', async () => {
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
    assert.deepEqual(await sent(), [{ type: 'inspect', queryId: query, pipeline: 'Hybrid' }]);
    await page.keyboard.press('Control+End');
    assert.equal(await panel.focusedTestId(), `cell-${rows.at(-1)!.slice('query-'.length)}-BM25 + MMR`);
  });

  test('beyond two hundred come on request', async () => {
    await show('crowded');
    assert.equal((await queryRows()).length, 178);
    const { comparison } = COMPARE_FIXTURES.crowded;
    const queries = Array.from({ length: 450 }, (_, index) => ({
      ...comparison.queries[index % 178]!,
      id: `n${index}`,
    }));
    await post({ ...COMPARE_FIXTURES.crowded, comparison: { ...comparison, queries } });
    assert.equal((await queryRows()).length, 200);
    assert.equal(await text(id('show-more')), 'Show 200 More');
    await id('show-more').click();
    assert.equal(await text(id('show-more')), 'Show 50 More');
    assert.equal((await queryRows()).length, 400);
  });

  test('are shown as text, whatever they contain', async () => {
    await show('compared');
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const comparison = structuredClone(COMPARED.comparison);
    for (const query of comparison.queries) query.text = hostile;
    comparison.pipelines[0]!.name = hostile;
    comparison.evalSet = hostile;
    await post({ ...COMPARED, comparison });
    assert.equal(await text(page.locator('.query-text').first()), hostile);
    assert.equal(await page.locator('#root img, #root script').count(), 0);
    assert.equal(await page.title(), 'Parallax');
  });
});

describe('colours', () => {
  for (const theme of Object.keys(THEMES))
    test(`${theme}: text keeps its contrast on heat, on won and on lost`, async () => {
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
  test('a run is announced when it begins and when it ends, once', async () => {
    await show('ready');
    const announced = async (): Promise<string> => ((await id('announcer').textContent()) ?? '').trim();
    assert.equal(await id('announcer').getAttribute('aria-live'), 'polite');
    await post(COMPARE_FIXTURES.running);
    assert.equal(await announced(), 'Comparing 4 pipelines');
    await post(COMPARED);
    assert.equal(await announced(), 'Compared 4 pipelines on 40 queries.');
    const node = await id('announcer').locator('p').elementHandle();
    await post({ ...COMPARED, stale: true });
    assert.ok(await node?.evaluate((one) => one.isConnected), 'the same comparison was announced again');
    const failed = { ...COMPARE_FIXTURES.errors.comparison, at: '2026-03-15T00:00:00Z' };
    await post({ ...COMPARED, comparison: failed });
    assert.equal(await announced(), 'Compared 3 pipelines on 40 queries. 1 pipeline could not be run.');
  });

  test('a state that the panel does not understand is said, and the next good one shown', async () => {
    await show('compared');
    await panel.post({ type: 'state', state: { ...COMPARED, pipelines: undefined } });
    assert.match(await text(id('outdated')), /do not fit together/);
    await post(COMPARED);
    assert.equal(await id('compare-table').count(), 1);
  });

  test('messages of others are ignored', async () => {
    await show('compared');
    await panel.post('hello');
    await panel.post({ type: 'focus-query', query: 'x' });
    assert.equal(await id('outdated').count(), 0);
  });
});

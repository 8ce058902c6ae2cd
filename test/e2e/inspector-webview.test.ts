/**
 * The side panel's real bundle in Chromium, under the content policy of a webview, with a typed stand-in for the
 * extension host: what the panel shows, what it sends, and whether it is accessible.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { BUILT_IN_PIPELINES, pipelineSchema } from '../../src/core/pipeline.ts';
import {
  fromInspectorSchema,
  type FromInspector,
  type InspectorState,
} from '../../src/features/inspector/contract/panel.ts';
import { FIXTURES } from '../panels/fixtures.ts';
import { THEMES } from '../panels/themes.ts';
import { contrasts, type PaintedText } from './support/contrast.ts';
import { text } from './support/panel-page.ts';
import { panelSuite } from './support/panel-suite.ts';

const { panel, page, id, show, choose } = await panelSuite('inspector', {
  accepts: fromInspectorSchema,
  ready: '.top, .welcome, .alert',
  width: 360,
  height: 800,
  widths: [240, 300, 420, 699, 700, 900],
});

const sent = (): Promise<FromInspector[]> => panel.sent();
/** Sends a state as the extension host would, and waits until it has arrived. */
const post = (state: InspectorState): Promise<void> => panel.post({ type: 'state', state });
const postRaw = (message: unknown): Promise<void> => panel.post(message);
const focusedTestId = (): Promise<string | undefined> => panel.focusedTestId();
const more = id('more').locator('> summary');
/** Shows a state with its fold about the passages open. */
async function showMore(state: keyof typeof FIXTURES, theme?: string): Promise<void> {
  await show(state, theme);
  // It stays open after a reload.
  if ((await id('search-kind').count()) === 0) await more.click();
  await id('search-kind').waitFor();
}

describe('a corpus that lives in a store', () => {
  test('is searched at once: the store is named, no documents are counted, and no indexing is offered', async () => {
    await show('store');
    assert.equal(await id('query').isVisible(), true);
    assert.match(
      await text(page.locator('.corpus-line')),
      /^articles · 1,204,318 passages in pgvector \(articles\)/u,
    );
    assert.doesNotMatch(await text(page.locator('body')), /document|indexing/iu);
    assert.equal(await id('index-button').count(), 0);
    assert.equal(await id('reindex').getAttribute('title'), 'Ask pgvector (articles) whether it answers');
  });

  test('says when it returned fewer candidates than requested', async () => {
    await show('store-answered');
    assert.match(
      await text(id('short')),
      /^The store returned 40 of the 100 candidates it was asked for: either no more pass its filter, or its index stopped early\.$/u,
    );
    await show('answered');
    assert.equal(await id('short').count(), 0);
  });
});

describe('what the passages are like', () => {
  test('is in the fold: places, repeats and fields, each with its meaning', async () => {
    await showMore('no-perspectives');
    assert.match(await text(id('from-documents')), /^From 5 documents The 100 candidates come from 41\.$/u);
    assert.match(
      await text(id('from-field-0')),
      /^3 values of “author” The candidates have 17 values\. 1 passage has none\.$/u,
    );
    assert.match(await text(id('more-fields')), /also have: title, status\.\s+Choose Fields…$/u);
  });

  test('makes no claims from noise: no variety by spelling alone, no themes from overlapping groups', async () => {
    await showMore('no-perspectives');
    assert.equal(await id('variety').count(), 0);
    assert.equal(await id('themes').count(), 0);
    assert.doesNotMatch(await text(page.locator('body')), /varied|unrelated|Vendi/iu);
  });

  test('names themes that are distinct, and variety by the vectors of an embedder', async () => {
    await showMore('trying');
    assert.match(await text(id('themes')), /2 of 5 themes in these passages .*They are not perspectives/u);
    assert.match(await text(id('theme-1')), /bus · timetable · drivers none of 22/u);
    assert.match(
      await text(id('variety')),
      /^Variety: Vendi score 3\.4 of 5 1 if all say the same, 5 if .* “minilm”\.$/u,
    );
  });

  test('without repeats, says what was compared', async () => {
    await showMore('trying');
    const { results, ...rest } = FIXTURES.trying;
    await post({ ...rest, results: { ...results!, likeness: { ...results!.likeness!, repeats: [] } } });
    assert.equal(
      await text(id('repeats')),
      'No passage repeats another A passage repeats another if they share 80% of their three-word sequences.',
    );
    assert.equal(await text(id('summary')), '5 passages from 5 documents');
  });

  test('a theme opens its nearest passage, and a repeat its original', async () => {
    await showMore('trying');
    await id('theme-0').getByRole('button').click();
    assert.deepEqual((await sent()).at(-1), {
      type: 'open',
      passageId: 'docs/school-start/trial-report.md#1',
    });
    await id('repeat-5').getByRole('button').click();
    assert.equal(await focusedTestId(), 'result-4');
  });

  test('passages that repeat others are folded, and can be shown', async () => {
    await showMore('no-perspectives');
    const repeated = id('result-5').locator('.passage');
    assert.equal(await repeated.count(), 1);
    await id('fold-repeats').click();
    assert.equal(await repeated.count(), 0);
    assert.equal(await id('result-4').locator('.passage').count(), 1);
    await id('expand-5').click();
    assert.equal(await repeated.count(), 1, 'one that is opened is shown');
    await id('expand-5').click();
    await id('fold-repeats').click();
    assert.equal(await repeated.count(), 1);
  });

  test('the answer stays if likeness could not be computed', async () => {
    await showMore('no-perspectives');
    const { results, ...rest } = FIXTURES['no-perspectives'];
    await post({
      ...rest,
      results: { ...results, likeness: undefined, likenessProblem: 'The key is missing.' },
    });
    assert.match(await text(id('likeness')), /could not be compared: The key is missing\./u);
    assert.equal(await id('result-5').count(), 1);
  });
});

test('pickers are named by what they choose, not by the chosen entry', async () => {
  await show('crowded');
  await panel.unfoldAll();
  for (const name of ['Pipeline', 'Judge', 'Corpus', 'Retriever', 'Embedder', 'Question'])
    assert.equal(await page.getByRole('combobox', { name, exact: true }).count(), 1, name);
  for (const name of ['k', 'Candidates'])
    assert.equal(await page.getByRole('textbox', { name, exact: true }).count(), 1, name);
});

describe('colours', () => {
  for (const theme of Object.keys(THEMES))
    test(`${theme}: marks, letters and text keep their contrast for all eight perspectives`, async () => {
      await show('palette', theme);
      await id('expand-1').click();
      const ratios = await contrasts(page, await page.evaluate(paintedTexts));
      assert.equal(ratios.length, 3 * 8);
      for (const { what, ratio } of ratios) assert.ok(ratio >= 4.5, `${what}: ${ratio.toFixed(2)}`);
    });

  test('are never the only sign: chips, matrix rows and evidence have letters', async () => {
    await showMore('answered');
    assert.match(await text(id('perspective-p2')), /^B /);
    assert.match(await text(id('chip-3-p2')), /^B /);
    assert.deepEqual(await page.locator('[data-testid=result-3] .evidence-letter').allInnerTexts(), ['B']);
    assert.deepEqual(await id('coverage-matrix').locator('tbody .letter').allInnerTexts(), ['A', 'B', 'C']);
  });
});

/** Runs in the page. */
function paintedTexts(): PaintedText[] {
  const ground = { color: getComputedStyle(document.documentElement).backgroundColor };
  const style = (selector: string, index: number): CSSStyleDeclaration =>
    getComputedStyle(document.querySelectorAll(selector)[index]!);
  const onItself = ({ backgroundColor, color }: CSSStyleDeclaration): Omit<PaintedText, 'what'> => ({
    under: [ground, { color: backgroundColor }],
    color,
  });
  return [...document.querySelectorAll('.evidence-letter')].flatMap((letter, index) => [
    { what: `evidence letter ${index}`, under: [ground], color: getComputedStyle(letter).color },
    { what: `text on tint ${index}`, ...onItself(style('mark', index)) },
    { what: `letter in chip ${index}`, ...onItself(style('.perspectives .letter', index)) },
  ]);
}

describe('first use', () => {
  test('without a folder, offers to open one', async () => {
    await show('no-folder');
    await id('open-folder').click();
    assert.deepEqual(await sent(), [{ type: 'open-folder' }]);
    assert.equal(await id('query').count(), 0);
  });

  test('without trust, offers to manage it', async () => {
    await show('untrusted');
    await id('trust-button').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'manage-trust' }]);
  });

  test('without an index, says what indexing reads and that it stays local, and offers it once', async () => {
    await show('not-indexed');
    const words = await text(id('not-indexed'));
    assert.match(words, /What to index docs 640 files/);
    assert.match(words, /kept on this machine/);
    assert.equal(
      await text(id('unread')),
      'Not read: 1,204 png, 77 svg, 3 epub, 2 pptx, 2 mp4 and 1 more file. These kinds cannot be read.',
    );
    assert.match(
      await text(id('ignored')),
      /^Left out by \.gitignore: app\/data\/, exports-.* To index them, add them to "roots" in parallax\.json\.$/,
    );
    await id('index-button').click();
    assert.deepEqual(await sent(), [{ type: 'index' }]);
    await post(FIXTURES.indexing);
    assert.equal(await id('index-button').getAttribute('disabled'), '');
    assert.match(await text(id('task-index')), /Indexing sample 41 of 64 documents/);
    await id('cancel-index').click();
    assert.deepEqual((await sent()).at(-1), { type: 'cancel', kind: 'index' });
  });

  test('without readable files, says what could be read instead of offering folders', async () => {
    await show('nothing-to-read');
    assert.match(await text(id('nothing-to-read')), /Markdown, plain text, HTML, PDF and Word/);
    assert.equal(await text(id('unread')), 'Not read: 1 epub. These kinds cannot be read.');
    assert.equal(await id('choose-corpus').count(), 0);
  });

  test('with pipelines that search a store, says that nothing needs to be indexed', async () => {
    await show('store-not-named');
    assert.match(await text(id('store-offer')), /Your pipelines search pgvector \(articles\)\. .*"store"/);
    await id('open-config').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'open-config' }]);
  });

  test('folders, code and other workspace folders can be ticked for indexing', async () => {
    await show('not-indexed');
    await id('folder-docs').uncheck();
    await id('with-code').check();
    assert.match(await text(id('choose-others')), /Also in this workspace handbook 212 files \(adoc, md\)/);
    await id('corpus-handbook').check();
    await id('index-button').click();
    assert.deepEqual(await sent(), [
      {
        type: 'index',
        choice: { folders: ['a-folder-with-a-name-that-is-longer-than-the-panel', 'app', ''], code: true },
        others: ['handbook'],
      },
    ]);
  });

  test('asks where a document is, and says why it is missing and what would bring it in', async () => {
    await show('missing');
    assert.equal(
      await text(id('cause')),
      'It is not among the 100 candidates: its best passage has rank 412.',
    );
    assert.match(await text(id('change')), /BM25 → Words and meaning \(rank 4\)\.$/);
    assert.equal(await id('explanation-evidence').getAttribute('open'), null);
    await id('other-passages').locator('summary').click();
    assert.match(
      await text(id('other-passages')),
      /^2 other passages of the document .* rank 160 .* beyond rank 1204$/,
    );
    await id('other-passages').locator('button').last().click();
    assert.match(
      await text(id('change-price')),
      /24 questions .* MRecall 41\.7% → 50\.0%; \+8\.3 pts \(95% interval −4\.2 to \+20\.8\), 4 won, 2 lost/,
    );
    assert.match(
      await text(id('program')),
      /^Your program \(collection\.query, app\.py:14\) returns 4 passages/,
    );
    for (const button of [
      'ask-program',
      'adopt-change',
      'compare-change',
      'save-change',
      'expect-document',
      'hand-over',
      'end-explanation',
    ])
      await id(button).click();
    await id('missing-document').locator('input').fill('docs/other.md');
    await id('missing-document').locator('input').press('Enter');
    assert.deepEqual(await sent(), [
      { type: 'explain', document: 'docs/remote/home-office.md#p2' },
      { type: 'ask-program', id: 'r1' },
      { type: 'adopt-change' },
      { type: 'compare-change' },
      { type: 'save-change' },
      { type: 'expect-document' },
      { type: 'hand-over' },
      { type: 'end-explanation' },
      { type: 'complete-document', text: 'docs/other.md' },
      { type: 'explain', document: 'docs/other.md' },
    ]);
  });

  describe('the list of all passages', () => {
    const list = id('ranking-list');
    const open = async (): Promise<void> => {
      await show('ranking');
      await id('ranking').locator('> summary').click();
      await list.waitFor();
    };

    test('is requested once it is opened, and renders only the visible rows', async () => {
      await open();
      assert.equal(await text(id('ranking-count')), '1,204 passages');
      assert.ok((await list.getByRole('listitem').count()) < 40);
      assert.match(await text(id('ranked-0')), /^1 home-office 0 .* Returned/);
      assert.match(await text(id('ranked-5')), /Repeats rank 2/);
      assert.match(await text(id('ranked-6')), /Moved down from 4/);
      assert.equal(await id('ranked-6').getAttribute('aria-setsize'), '1204');
      await id('ranking').locator('> summary').click();
      // A details element fires its toggle event in a separate task.
      await page.waitForFunction(() => (preview.sent.at(-1) as { type: string }).type === 'end-ranking');
      assert.deepEqual(await sent(), [{ type: 'list-ranking', words: '', from: 0 }, { type: 'end-ranking' }]);
    });

    test('requests the rows that are scrolled to', async () => {
      await open();
      await list.evaluate((box) => (box.scrollTop = 100 * 44));
      await id('ranked-100').waitFor();
      assert.match(await text(id('ranked-100')), /Outside the candidates/);
      await list.evaluate((box) => (box.scrollTop = 900 * 44));
      await id('ranked-900').waitFor();
      assert.match(await text(id('ranked-900')), /^…$/);
      assert.deepEqual((await sent()).at(-1), { type: 'list-ranking', words: '', from: 850 });
    });

    test('is filtered by words and by decision', async () => {
      await open();
      await id('ranking-words').locator('input').fill('desk');
      await choose('ranking-decision', 'Below k (90)');
      assert.deepEqual((await sent()).at(-1), {
        type: 'list-ranking',
        words: 'desk',
        decision: 'below-k',
        from: 0,
      });
    });

    test('is navigated with the arrow keys', async () => {
      await open();
      await id('ranked-0').locator('.title').focus();
      for (let row = 0; row < 30; row++) await page.keyboard.press('ArrowDown');
      const at = (): Promise<unknown> =>
        page.evaluate(() => [
          document.activeElement?.getAttribute('data-row'),
          document.activeElement?.className,
        ]);
      assert.deepEqual(await at(), ['30', 'title']);
      await page.keyboard.press('ArrowRight');
      assert.deepEqual(await at(), ['30', 'link']);
      await page.keyboard.press('Enter');
      assert.deepEqual((await sent()).at(-1), {
        type: 'explain',
        document: 'docs/remote/home-office.md#p30',
      });
      const inOrder = await list.locator('[tabindex="0"]').count();
      assert.equal(inOrder, 1);
    });
  });

  test('other splitters are tried for a text that is split, and the rank is provisional until then', async () => {
    await show('missing-cut');
    assert.match(await text(id('cause')), /The rank is provisional: 640 of 1,204 passages are read/);
    assert.equal(await id('cut-parts').locator('li').count(), 2);
    assert.equal(await id('adopt-change').count(), 0);
    assert.ok(await id('try-splitters').locator('button').isDisabled());
    await id('missing').getByTestId('cancel-explain').click();
    assert.deepEqual(await sent(), [{ type: 'cancel', kind: 'explain' }]);
  });

  test('offers documents for the typed text until one is chosen', async () => {
    await show('missing');
    assert.equal(await id('offered').count(), 0);
    await id('missing-document').locator('input').fill('home');
    assert.equal(await id('offered').locator('button').count(), 2);
    await id('offered').locator('button').first().click();
    assert.equal(await id('offered').count(), 0);
    assert.deepEqual((await sent()).at(-1), { type: 'explain', document: 'docs/remote/home-office.md' });
  });

  test('asks why a passage has its rank, and why a supporting passage is not retrieved', async () => {
    await show('answered');
    await id('expand-1').click();
    await id('why-rank-1').click();
    const [first] = await sent();
    assert.equal((first as { type: string }).type, 'explain');
  });

  test('without a question, three of the eval sets are offered', async () => {
    await show('no-query');
    assert.equal(await page.locator('.questions button').count(), 3);
    await id('question-remote').click();
    assert.deepEqual(await sent(), [{ type: 'search', query: 'Is remote work good for young engineers?' }]);
  });

  test('without results, says so', async () => {
    await show('no-results');
    assert.match(await text(id('no-results')), /Nothing was retrieved/);
    assert.equal(await id('results').count(), 0);
  });

  test("before the host's first answer, says that it is starting", async () => {
    await show('starting');
    assert.match(await text(page.locator('#root')), /Starting Parallax/);
  });
});

describe('the question', () => {
  test('is sent by Enter and by the button, trimmed, and never empty', async () => {
    await show('no-query');
    assert.equal(await id('search').getAttribute('disabled'), '');
    await id('query').press('Enter');
    await id('query').fill('  Is tea healthy?  ');
    await id('query').press('Enter');
    await id('search').click();
    const search = { type: 'search', query: 'Is tea healthy?' };
    assert.deepEqual(await sent(), [search, search]);
  });

  test('grows with Shift+Enter instead of being sent', async () => {
    await show('no-query');
    const height = (await id('query').boundingBox())!.height;
    await id('query').pressSequentially('one');
    await id('query').press('Shift+Enter');
    await id('query').pressSequentially('two');
    assert.equal(await id('query').inputValue(), 'one\ntwo');
    assert.ok((await id('query').boundingBox())!.height > height);
    assert.deepEqual(await sent(), []);
  });

  test('keeps the typed text, the cursor and the focus while states arrive', async () => {
    await show('answered');
    await id('query').fill('half a question');
    await id('query').press('Home');
    await id('query').press('ArrowRight');
    await post(FIXTURES.judging);
    await post(FIXTURES.crowded);
    assert.equal(await id('query').inputValue(), 'half a question');
    assert.equal(await focusedTestId(), 'query');
    assert.equal(await id('query').evaluate((box: HTMLTextAreaElement) => box.selectionStart), 1);
  });

  test('follows the host after it was sent', async () => {
    await show('no-query');
    await id('query').fill(FIXTURES.answered.query);
    await id('query').press('Enter');
    await post(FIXTURES.answered);
    await post(FIXTURES.crowded);
    assert.equal(await id('query').inputValue(), FIXTURES.crowded.query);
  });

  test('is restored after the view was hidden', async () => {
    await show('answered');
    await id('query').fill('half a question');
    await id('expand-2').click();
    await page.reload();
    await id('query').waitFor();
    assert.equal(await id('query').inputValue(), 'half a question');
    assert.equal(await id('expand-2').getAttribute('aria-expanded'), 'true');
  });

  test('takes the focus and a text when a command asks for it', async () => {
    await show('answered');
    await postRaw({ type: 'focus-query', query: 'from the selection' });
    assert.equal(await focusedTestId(), 'query');
    assert.equal(await id('query').inputValue(), 'from the selection');
    assert.equal(await page.evaluate(() => getSelection()?.toString()), 'from the selection');
  });

  test('offers suggestions as a list with arrow keys, which Escape closes', async () => {
    await show('no-query');
    await id('query').pressSequentially('young');
    const options = page.getByRole('option');
    assert.equal(await options.count(), 1);
    assert.equal(await id('query').getAttribute('aria-expanded'), 'true');
    assert.equal(await id('query').getAttribute('aria-activedescendant'), null);
    await id('query').press('ArrowDown');
    const active = await id('query').getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
    await id('query').press('Escape');
    assert.equal(await id('query').getAttribute('aria-expanded'), 'false');
    await id('query').press('End');
    await id('query').press('ArrowDown');
    await id('query').press('ArrowDown');
    await id('query').press('Enter');
    assert.deepEqual(await sent(), [{ type: 'search', query: 'Is remote work good for young engineers?' }]);
  });

  test('accepts a suggestion by the mouse', async () => {
    await show('no-query');
    await id('query').pressSequentially('fasting');
    await page.getByRole('option').first().click();
    assert.deepEqual(await sent(), [
      { type: 'search', query: 'Is intermittent fasting healthy for most adults?' },
    ]);
    assert.equal(await page.getByRole('option').count(), 0);
  });

  test('moves through the history with ↑ and ↓ and back to the draft', async () => {
    await show('no-query');
    const [newest, older] = FIXTURES['no-query'].history;
    await id('query').fill('draft');
    await id('query').press('Escape');
    await id('query').press('Home');
    await id('query').press('ArrowUp');
    assert.equal(await id('query').inputValue(), newest);
    await id('query').press('ArrowUp');
    assert.equal(await id('query').inputValue(), older);
    await id('query').press('ArrowUp');
    assert.equal(await id('query').inputValue(), older);
    await id('query').press('ArrowDown');
    await id('query').press('ArrowDown');
    assert.equal(await id('query').inputValue(), 'draft');
  });

  test('clears the history on request', async () => {
    await show('no-query');
    await id('query').press('ArrowDown');
    await id('clear-history').click();
    assert.deepEqual(await sent(), [{ type: 'clear-history' }]);
  });

  test('shows a running search and cancels it', async () => {
    await show('searching');
    assert.equal(await id('task-search').getByRole('progressbar').count(), 1);
    await id('cancel-search').click();
    await id('cancel-generate').click();
    assert.deepEqual(await sent(), [
      { type: 'cancel', kind: 'search' },
      { type: 'cancel', kind: 'generate' },
    ]);
  });
});

describe('pipeline, judge and corpus', () => {
  /** The control library draws in a separate frame, so this waits. */
  const shows = (picker: string, label: string): Promise<void> =>
    id(picker).locator('[slot=selected-value]', { hasText: label }).waitFor();

  test('the pickers show the state and send the choice', async () => {
    await show('crowded');
    await shows('pipeline-picker', 'Custom (not saved)');
    await choose('pipeline-picker', 'Dense');
    await choose('judge-picker', 'A model: qwen3-8b');
    await choose('corpus-picker', 'handbook');
    const [pipeline, ...rest] = await sent();
    assert.equal(pipeline?.type === 'set-pipeline' && pipeline.pipeline.name, 'Dense');
    assert.deepEqual(rest, [
      { type: 'set-judge', name: 'local' },
      { type: 'set-corpus', name: 'handbook' },
    ]);
  });

  test('a picker reverts if the host does not follow', async () => {
    await show('answered');
    await choose('judge-picker', 'People');
    await post(FIXTURES.answered);
    await shows('judge-picker', 'qwen3-8b');
  });

  test('a judge that guesses is not offered', async () => {
    await show('answered');
    await id('judge-picker').click();
    const options = id('judge-picker').getByRole('option');
    await options.last().waitFor();
    assert.deepEqual(await options.allInnerTexts(), ['People', 'A model: qwen3-8b', 'Set Up a Model…']);
  });

  test('the certainty of a judge can be chosen if it has several ways to ask', async () => {
    await show('surer');
    await shows('judge-picker', 'qwen3-8b');
    await shows('sureness-picker', 'After a debate');
    await choose('sureness-picker', 'One answer is enough');
    await choose('sureness-picker', 'You decide if it is unsure');
    await choose('judge-picker', 'People');
    assert.deepEqual(await sent(), [
      { type: 'set-judge', name: 'local' },
      { type: 'set-judge', name: 'unsure' },
      { type: 'set-judge', name: 'labels' },
    ]);
    await show('answered');
    assert.equal(await id('sureness-picker').count(), 0);
  });

  test('a model is set up from the list of judges, which keeps its choice', async () => {
    await show('answered');
    await choose('judge-picker', 'Set Up a Model…');
    await shows('judge-picker', 'qwen3-8b');
    await choose('judge-picker', 'Set Up a Model…');
    const remedy = { type: 'remedy', remedy: 'set-up-model' };
    assert.deepEqual(await sent(), [remedy, remedy]);
  });

  test('the settings change retriever, embedder and depth, and refuse invalid values', async () => {
    await show('answered');
    await id('pipeline-details').locator('summary').click();
    assert.equal(await id('embedder').count(), 0);
    await choose('retriever-type', 'Words and meaning');
    await post({ ...FIXTURES.answered, pipeline: FIXTURES.crowded.pipeline });
    await choose('embedder', 'minilm');
    await id('k').locator('input').fill('7');
    await id('k').locator('input').press('Enter');
    await id('candidates').locator('input').fill('-1');
    await id('candidates').locator('input').press('Enter');
    await page.waitForFunction(() => {
      const field = document.querySelector('[data-testid=candidates]');
      return field?.shadowRoot?.querySelector('input')?.value === '250';
    });
    const pipelines = (await sent()).map((message) =>
      message.type === 'set-pipeline' ? message.pipeline : undefined,
    );
    assert.equal(pipelines.length, 3);
    assert.deepEqual(
      pipelines[0],
      pipelineSchema.parse({
        ...BUILT_IN_PIPELINES.hybrid,
        k: 5,
        candidates: 100,
      }),
    );
    assert.match(JSON.stringify(pipelines[1]), /"embedder":"minilm"/);
    assert.equal(pipelines[2]?.k, 7);
  });

  test('the pipeline can be copied as JSON', async () => {
    await show('answered');
    await id('pipeline-details').locator('summary').click();
    await id('copy-pipeline').click();
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=announcer]')?.textContent?.includes('Copied'),
    );
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as unknown;
    assert.deepEqual(copied, FIXTURES.answered.pipeline);
  });

  test('the corpus can be indexed again, and skipped or missing files are named', async () => {
    await show('crowded');
    await id('show-skipped').click();
    await id('reindex').click();
    assert.deepEqual(await sent(), [{ type: 'show-skipped' }, { type: 'index' }]);
    assert.match(await text(page.locator('.notice').first()), /hnswlib-node did not load/);
  });
});

describe('perspectives', () => {
  test('show where each is covered or lost, with a link to the passage', async () => {
    await show('crowded');
    assert.match(await text(id('perspective-p1')), /Covered at rank 1$/);
    assert.match(await text(id('perspective-p2')), /Not found yet: 20 of 412 passages are judged for it/);
    assert.match(
      await text(id('perspective-p3')),
      /Supported by docs\/congestion-charge.*, which is not among the 250 candidates/,
    );
    await id('open-lost-p3').click();
    assert.deepEqual(await sent(), [{ type: 'open', passageId: 'x', perspectiveId: 'p3' }]);
    await show('answered');
    assert.match(await text(id('perspective-p3')), /Supported at rank 23, below 5; 18 above it are unjudged/);
    await show('unjudged');
    assert.match(await text(id('perspective-p1')), /Unjudged: no passage is judged for it/);
  });

  test('name their source', async () => {
    for (const [state, source] of [
      ['answered', 'those of the eval set'],
      ['crowded', 'not in an eval set'],
    ] as const) {
      await showMore(state);
      assert.match(await text(page.locator('.metrics-section')), new RegExp(source));
    }
  });

  test('can be added if there are none, or suggested by the model', async () => {
    await show('no-perspectives');
    await id('suggest-perspectives').click();
    await id('add-perspectives').click();
    assert.equal(await focusedTestId(), 'perspective-text-0');
    await page.keyboard.type('Tea calms.');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Tea keeps one awake.');
    await id('save-perspectives').click();
    assert.deepEqual(await sent(), [
      { type: 'generate-perspectives', query: FIXTURES['no-perspectives'].query },
      { type: 'set-perspectives', texts: ['Tea calms.', 'Tea keeps one awake.'] },
    ]);
  });

  test('are edited, removed and pasted as lines, and nothing typed is lost to a new state', async () => {
    await show('answered');
    await id('edit-perspectives').click();
    await id('remove-perspective-1').click();
    await id('add-perspective').click();
    await page.evaluate(() =>
      navigator.clipboard.writeText('- first line\n\n2. second line\n• third line\n'),
    );
    await page.keyboard.press('ControlOrMeta+V');
    assert.equal(await focusedTestId(), 'perspective-text-4');
    await page.keyboard.type('!');
    await post(FIXTURES.judging);
    assert.equal(await focusedTestId(), 'perspective-text-4');
    await id('save-perspectives').click();
    const [first, , third] = FIXTURES.answered.perspectives;
    assert.deepEqual(await sent(), [
      {
        type: 'set-perspectives',
        texts: [first?.text, third?.text, 'first line', 'second line', 'third line!'],
      },
    ]);
    assert.equal(await id('perspective-editor').count(), 0);
  });

  test('stay unchanged when editing is cancelled', async () => {
    await show('answered');
    await id('edit-perspectives').click();
    await id('perspective-text-0').locator('textarea').fill('other');
    await page.keyboard.press('Escape');
    assert.match(await text(id('perspective-p1')), /^A A later start lets/);
    assert.deepEqual(await sent(), []);
  });

  test('an unfinished edit belongs to its question', async () => {
    await show('answered');
    await id('edit-perspectives').click();
    await post(FIXTURES.crowded);
    assert.equal(await id('perspective-editor').count(), 0);
    await post(FIXTURES.answered);
    assert.equal(await id('perspective-editor').count(), 1);
  });
});

describe('stances', () => {
  const perspectiveId = 'p2';

  test('proposed by a model are marked, and accepted, corrected or rejected one by one', async () => {
    await showMore('stances');
    assert.match(await text(id('proposal-p2')), /Opposes\? Proposed by qwen3-8b/);
    assert.match(await text(id('proposal-p3')), /Neither side\?/);
    assert.equal(await id('accept-stance-p3').count(), 0, 'taking no side is nothing to accept');
    const border = await id('proposal-p2').evaluate((node) => getComputedStyle(node).borderTopStyle);
    assert.equal(border, 'dashed');
    await id('accept-stance-p2').click();
    await id('correct-stance-p2-support').click();
    await id('reject-stance-p2').click();
    assert.deepEqual(await sent(), [
      { type: 'accept-stance', perspectiveId },
      { type: 'set-stance', perspectiveId, stance: 'support' },
      { type: 'reject-stance', perspectiveId },
    ]);
  });

  test('show their source and can be changed, by the keyboard too', async () => {
    await showMore('stances');
    assert.match(
      (await id('stance-p1').getAttribute('title')) ?? '',
      /a model proposed it, somebody accepted it/,
    );
    await id('stance-p1').focus();
    await page.keyboard.press('Enter');
    assert.equal(await focusedTestId(), 'choose-stance-p1-support');
    assert.equal(await id('choose-stance-p1-support').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('Escape');
    assert.equal(await focusedTestId(), 'stance-p1');
    await id('stance-p1').click();
    await id('choose-stance-p1-none').click();
    assert.deepEqual(await sent(), [{ type: 'set-stance', perspectiveId: 'p1' }]);
    assert.equal(await focusedTestId(), 'stance-p1');
  });

  test('are proposed by the model if there is one, and otherwise set by hand', async () => {
    const [first, ...others] = FIXTURES.answered.perspectives;
    const missing = { ...FIXTURES.answered, perspectives: [{ ...first!, stance: undefined }, ...others] };
    await showMore('answered');
    assert.equal(await id('propose-stances').count(), 0, 'nothing is missing');
    await post(missing);
    await id('propose-stances').click();
    await id('stance-p1').click();
    await id('choose-stance-p1-oppose').click();
    assert.deepEqual(await sent(), [
      { type: 'propose-stances' },
      { type: 'set-stance', perspectiveId: 'p1', stance: 'oppose' },
    ]);
    await post({ ...missing, judge: FIXTURES.crowded.judge });
    assert.equal(await id('propose-stances').count(), 0);
    await showMore('palette');
    assert.equal(await page.locator('.stance').count(), 0, 'no word of sides where nobody spoke of any');
  });

  test('are announced once they are proposed', async () => {
    await show('answered');
    await post({ ...FIXTURES.answered, tasks: [{ kind: 'stances', title: 'Asking' }] });
    await post(FIXTURES.stances);
    assert.match(await text(id('announcer')), /2 stances proposed/);
  });
});

describe('what if', () => {
  const drag = (slider: string, value: string): Promise<void> =>
    id(slider).evaluate((node, to) => {
      (node as HTMLInputElement).value = to;
      node.dispatchEvent(new Event('input', { bubbles: true }));
    }, value);

  test('MMR is always offered, a projection if it can work, and each slider moves alone', async () => {
    await showMore('answered');
    assert.equal(await id('what-if-weight').count(), 0);
    assert.equal(await id('what-if-fusion').count(), 0);
    // While it is off, no part of its track is filled.
    assert.equal(await id('what-if-diversity').inputValue(), '0');
    await drag('what-if-diversity', '0.4');
    assert.deepEqual(await sent(), [{ type: 'what-if', lambda: 0.6 }]);
    await showMore('trying');
    await drag('what-if-weight', '1.25');
    assert.deepEqual(await sent(), [{ type: 'what-if', weight: 1.25 }]);
  });

  test('shows why a judge moved a passage up, and how its answers count', async () => {
    await showMore('ordered');
    assert.equal(await text(id('raised-1')), 'Moved up: likely the only one for A');
    assert.match(
      (await id('raised-1').getAttribute('title'))!,
      /^By the verdicts so far, this passage supports “.*”, and no other .* does\. The judge may be wrong\.$/,
    );
    assert.equal(await text(id('raised-2')), 'Moved up: likely for B');
    assert.equal(await id('raised-3').count(), 0);
    assert.equal(
      await text(id('taken-errors')),
      'Ordered by the verdicts of “local”, assuming that it says yes to 84% of the passages that support a perspective and to 6% of the others. That was measured on 212 labels of people; 14 about this question’s own perspectives are left out. The two judges make joint errors: their two answers carry the information of 1.3 independent ones. That was measured on 180 labels of people.',
    );
    assert.match(
      await text(id('validated')),
      /^On 212 labels .* 84% .* 6% .* those of one question are as counted\.$/,
    );
    await showMore('trying');
    assert.equal(await id('taken-errors').count(), 0);
    assert.equal(await id('validated').count(), 0);
  });

  test('shows the sliders’ values, how far passages moved, and what is unknown', async () => {
    await showMore('trying');
    assert.equal(await id('what-if-weight').inputValue(), '0.64');
    assert.equal(await id('what-if-weight').getAttribute('aria-valuetext'), 'weight 0.64');
    assert.match(await text(id('what-if')), /What if: perspectives projected out \(PAP\) weight 0\.64/);
    assert.equal(await id('what-if-diversity').inputValue(), '0.15');
    assert.match(await text(id('what-if')), /What if: more variety \(MMR\) relevance 0\.85, diversity 0\.15/);
    assert.match(
      await text(id('what-if-note')),
      /Only the 100 candidates .* may find others\. The rerankers/,
    );
    assert.match(await text(id('result-2')), /▲7/);
    assert.match(await text(id('split')), /root “Should schools start later\?”, perspective “secondary/);
    assert.equal(
      await text(id('matches')),
      'Your retriever: 4 of 5 results recognised (3 by id, 1 by similar text); 1 not in the index, judged apart.',
    );
    await id('what-if-adopt').click();
    await id('what-if-end').click();
    assert.deepEqual(await sent(), [{ type: 'adopt-what-if' }, { type: 'end-what-if' }]);
  });

  test('an untouched slider shows the pipeline’s value, and there is nothing to adopt', async () => {
    await showMore('trying');
    await post({ ...FIXTURES.trying, results: { ...FIXTURES.trying.results!, whatIf: undefined } });
    assert.equal(await id('what-if-weight').inputValue(), '1');
    assert.match(await text(id('what-if')), / off/);
    for (const absent of ['what-if-adopt', 'what-if-end', 'what-if-note'])
      assert.equal(await id(absent).count(), 0, absent);
  });

  test('one slider weighs words against meaning, and says when passages are missing', async () => {
    await showMore('answered');
    const results = FIXTURES.answered.results!;
    await post({ ...FIXTURES.answered, results: { ...results, fusionSlider: 0.35 } });
    assert.match(await text(id('what-if')), /words ↔ meaning words 0\.65, meaning 0\.35/);
    assert.equal(await id('what-if-fusion').inputValue(), '0.35');
    await drag('what-if-fusion', '0.8');
    assert.deepEqual(await sent(), [{ type: 'what-if', fusion: 0.8 }]);
    const whatIf = { fusion: 0.8, isIncomplete: true };
    await post({ ...FIXTURES.answered, results: { ...results, fusionSlider: 0.35, whatIf } });
    assert.equal(await id('what-if-fusion').getAttribute('aria-valuetext'), 'words 0.20, meaning 0.80');
    assert.match(await text(id('what-if-note')), /a search with this weight may find others\.$/);
  });
});

describe('looking deeper', () => {
  test('is offered if a perspective is not found, and shows its progress', async () => {
    await show('deeper');
    assert.match(
      await text(id('perspective-p2')),
      /Not found yet: 26 of 412 passages are judged for it; .*4 searches found 61 passages for it, and the first 8 of them are judged/,
    );
    await id('look-deeper-p2').click();
    assert.deepEqual(await sent(), [{ type: 'look-deeper', perspectiveId: 'p2' }]);
    assert.equal(await id('look-deeper-p1').count(), 0, 'it is covered');
    await id('hand-over-p2').click();
    assert.deepEqual((await sent()).at(-1), { type: 'hand-over', perspectiveId: 'p2' });
    assert.equal(await id('hand-over-p1').count(), 0, 'it is covered');
    assert.equal(await id('look-deeper-p3').count(), 0, 'it is known where it is');
  });

  test('is not offered for an expected document, which is explained and has no labels', async () => {
    const document = 'docs/remote/home-office.md';
    await show('deeper');
    await post({
      ...FIXTURES.deeper,
      perspectives: FIXTURES.deeper.perspectives.map((perspective) =>
        perspective.id === 'p2' ? { ...perspective, text: document, document } : perspective,
      ),
    });
    assert.equal(await id('look-deeper-p2').count(), 0);
    await id('why-p2').click();
    await id('expand-1').click();
    assert.match(await text(id('expected-1-p2')), /^The eval set expects docs\/remote\/home-office\.md here/);
    assert.equal(await id('label-1-p2-yes').count(), 0);
    assert.ok((await id('label-1-p1-yes').count()) > 0);
    await id('verdicts-1')
      .locator('[data-perspective="p2"]')
      .evaluate((row) => {
        (row as HTMLElement).tabIndex = -1;
        (row as HTMLElement).focus();
      });
    await page.keyboard.press('y');
    assert.deepEqual(await sent(), [{ type: 'explain', document }]);
  });

  test('shows each found passage and why it was missed, to open and label', async () => {
    await show('deeper');
    assert.match(
      await text(id('deeper-p2-0')),
      /opening-hours\.md:30–36 .*Takings rose a little.*unjudged · rank 41 for the question · rank 4 for the question with the perspective \(BM25\)/s,
    );
    assert.match(
      await text(id('deeper-p2')),
      /Looked deeper: 8 of 61 passages judged.* 52 more are unjudged\. 8 do not support it\./s,
      'what is not listed is counted',
    );
    await id('deeper-p2-0').getByText('opening-hours ›').click();
    await id('deeper-label-p2-0-yes').click();
    assert.deepEqual(await sent(), [
      { type: 'open', passageId: 'hours', perspectiveId: 'p2' },
      { type: 'label', passageId: 'hours', perspectiveId: 'p2', verdict: 'yes' },
    ]);
  });

  test('names three of many supporting passages and counts the others', async () => {
    const state: InspectorState = FIXTURES.deeper;
    const [found] = state.results!.deeper;
    const [refused, open] = found!.passages;
    const supporting = [1, 2, 3, 4, 5].map((n) => ({
      ...open!,
      passageId: `yes-${n}`,
      verdict: 'yes' as const,
      evidence: [{ start: open!.text.indexOf('Takings'), end: open!.text.indexOf(', and two') }],
    }));
    const deeper = [
      { ...found!, found: 7, unjudged: 1, refused: 1, passages: [refused!, open!, ...supporting] },
    ];
    await show('deeper');
    await post({ ...state, results: { ...state.results!, deeper } });
    assert.equal(await page.getByTestId(/^deeper-p2-\d+$/u).count(), 3);
    assert.equal(await id('deeper-p2-0').locator('mark').innerText(), 'Takings rose a little');
    assert.match(
      await text(id('deeper-p2')),
      /2 more support it\. 1 more is unjudged\. 1 does not support it\./u,
    );
  });
});

describe('what a model proposes', () => {
  test('is chosen with ticks beside the question’s perspectives, or dismissed', async () => {
    await show('proposed');
    assert.match(
      await text(id('proposed')),
      /from the question and passages found for it\. Nothing is judged until you accept it/,
    );
    assert.match(await text(id('perspective-p1')), /^A /);
    assert.match(await text(id('proposed')), /From: parents › Mornings.*Expected, but not in/su);
    await id('proposed').getByText('parents › Mornings').click();
    assert.deepEqual(await sent(), [{ type: 'open', passageId: 'parents' }]);
    await id('proposed-0').uncheck();
    await id('take-proposed').getByText('Add 1 Perspective').click();
    const message = (await sent()).at(-1);
    assert.ok(message?.type === 'set-perspectives');
    assert.equal(message.texts.length, FIXTURES.answered.perspectives.length + 1);
    assert.equal(message.texts.at(-1), 'Buses are cheaper when hours differ.');
    await show('proposed');
    await id('dismiss-proposed').click();
    assert.deepEqual(await sent(), [{ type: 'dismiss-proposed' }]);
  });
});

/** The concepts that a user needs to understand in order to read the panel, by the words that show them. */
const CONCEPTS: Record<string, RegExp> = {
  pipeline: /\bpipeline/iu,
  judge: /\bjudge\b|\bjudged by/iu,
  model: /\bmodel/iu,
  retriever: /\bretriever/iu,
  embedder: /\bembedder|\bvectors?\b/iu,
  k: /\bk \d|@\d|\bk\b/u,
  candidates: /\bcandidate/iu,
  corpus: /\bcorpus/iu,
  document: /\bdocument/iu,
  folder: /\bfolder/iu,
  section: /\bsection/iu,
  passage: /\bpassage/iu,
  perspective: /\bperspective/iu,
  'eval set': /\beval set/iu,
  'unjudged pair': /\bpairs?\b|\bunjudged/iu,
  rank: /\brank \d/iu,
  figures: /\bMRecall|\bPrecision|\bStRecall/u,
  search: /\b(?:exact|approximate) search/iu,
  theme: /\bthemes?\b/iu,
  variety: /\bvariety|\bvaried|\bvendi/iu,
  'what if': /\bwhat if|\bMMR\b/iu,
  score: /\bscore/iu,
  stance: /\bstance|\bsupports\b|\bopposes\b/iu,
  evidence: /\bevidence/iu,
  agent: /\bagent/iu,
};

/** Words of the panel that are visible before scrolling, without words of documents and of the user. */
function wordsBeforeFold(): string {
  const quoted = '.title, .path, .passage, .chip-text, .perspectives li p, textarea, .sr-only';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const seen: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    range.selectNodeContents(node);
    const { top, width, height } = range.getBoundingClientRect();
    const isSeen = width > 1 && height > 1 && top < innerHeight && node.parentElement?.checkVisibility();
    if (isSeen && !node.parentElement?.closest(quoted)) seen.push(node.textContent ?? '');
  }
  return seen.join(' ');
}

describe('the first screen', () => {
  const conceptsOf = async (state: keyof typeof FIXTURES): Promise<string[]> => {
    await page.setViewportSize({ width: 300, height: 860 });
    await show(state);
    const words = await page.evaluate(wordsBeforeFold);
    return Object.keys(CONCEPTS).filter((name) => CONCEPTS[name]!.test(words));
  };

  test('of a question without perspectives needs five concepts, and begins with one sentence', async () => {
    assert.deepEqual(await conceptsOf('no-perspectives'), [
      'pipeline',
      'judge',
      'document',
      'passage',
      'perspective',
    ]);
    assert.equal(await text(id('summary')), '5 passages from 5 documents · 1 of 5 repeats another');
    const { y, height } = (await id('result-2').boundingBox())!;
    assert.ok(y + height < 860, `the second passage ends at ${y + height} px`);
    await id('add-perspectives').waitFor();
  });

  test('of a judged question needs at most eight, and says what is missing, why, and what to do', async () => {
    for (const state of ['answered', 'unjudged', 'surer', 'ordered', 'palette'] as const) {
      const concepts = await conceptsOf(state);
      assert.ok(concepts.length <= 8, `${state}: ${concepts.join(', ')}`);
    }
    assert.deepEqual(await conceptsOf('answered'), [
      ...['pipeline', 'judge', 'document', 'passage', 'perspective', 'unjudged pair', 'rank'],
    ]);
    assert.match(await text(id('metric-covered')), /^≥ 2 of 3 perspectives covered$/u);
    assert.equal(
      await text(id('judged-by')),
      '14 of 15 pairs judged: 10 by people, 3 by qwen3-8b, 1 by deberta (NLI)',
    );
    assert.match(
      await text(id('perspective-p3')),
      /^C When the day ends later, .* for others\. Supported at rank 23, below 5; 18 above it are unjudged/u,
    );
    assert.equal(await page.locator('.perspectives-section > .buttons > *').count(), 1);
    assert.equal(await text(id('judge-button')), 'Judge 1 Unjudged Pair');
  });

  test('offers human labels at the first pair if there is no judge', async () => {
    await page.setViewportSize({ width: 300, height: 860 });
    await show('crowded');
    await id('label-button').click();
    assert.match(await text(id('labelling')), /^C .*Rank 2 /u);
    await page.keyboard.press('y');
    assert.deepEqual(
      (await sent()).map(({ type }) => type),
      ['label'],
    );
    for (const part of ['.labelled-passage', '.labelling .segmented kbd'])
      assert.ok(await isWhollyInSight(part), part);
  });
});

const isWhollyInSight = (selector: string): Promise<boolean> =>
  page
    .locator(selector)
    .last()
    .evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });

test('statements with the same beginning differ in chips and in narrow lines', async () => {
  await page.setViewportSize({ width: 300, height: 860 });
  const { results, perspectives, ...rest } = FIXTURES.answered;
  const beginning = 'A later start of all secondary schools';
  const alike = perspectives.map((one, place) => ({
    ...one,
    text: `${beginning} ${['helps', 'hurts', 'costs'][place]} families.`,
  }));
  await show('answered');
  await post({ ...rest, perspectives: alike, results: results! });
  assert.equal(await text(id('chip-1-p1').locator('.chip-text')), '… helps families.');
  assert.match(await text(id('perspective-p1')), /^A … helps families\. .*Covered at rank 1/u);
  assert.match(
    (await id('chip-1-p1').getAttribute('title'))!,
    /A later start of all secondary schools helps/u,
  );
});

test('a name that is shown in full has no gap in its middle', async () => {
  await show('answered');
  const [first, ...others] = FIXTURES.answered.pipelines;
  const name = 'Words and meaning';
  await post({
    ...FIXTURES.answered,
    pipelines: [{ ...first!, name }, ...others],
    pipeline: { ...first!.pipeline, name },
  });
  const gap = await id('pipeline-picker')
    .locator('.cut-start')
    .evaluate((start) => {
      const range = document.createRange();
      range.selectNodeContents(start);
      return start.getBoundingClientRect().width - range.getBoundingClientRect().width;
    });
  assert.ok(gap < 1, `${gap} px`);
});

describe('what is wrong in the code', () => {
  for (const state of ['not-indexed', 'answered'] as const)
    test(`leads the view that is ${state}, and opens at its line`, async () => {
      await show(state);
      const message = 'as_retriever ignores k: it is read from search_kwargs only, so k stays 4.';
      await post({ ...FIXTURES[state], code: [{ file: 'app/rag.py', line: 16, message }] });
      assert.equal(await text(id('code-faults')), `${message} app/rag.py:16`);
      const { y } = (await id('code-faults').boundingBox())!;
      const next = (await id(state === 'answered' ? 'query' : 'not-indexed').boundingBox())!;
      assert.ok(y < next.y);
      await id('fault-0').click();
      assert.deepEqual((await panel.sent()).at(-1), { type: 'open-code', file: 'app/rag.py', line: 16 });
    });

  test('is not mentioned if nothing is known', async () => {
    await show('answered');
    assert.equal(await id('code-faults').count(), 0);
  });
});

describe('a narrow side bar', () => {
  test('shows whole names of pipeline and judge', async () => {
    await page.setViewportSize({ width: 300, height: 800 });
    await show('answered');
    const [first] = FIXTURES.answered.pipelines;
    const name = 'Words and meaning';
    const judge = { ...FIXTURES.answered.judge, label: 'documents-judge' };
    const choices = judge.choices.map((each) =>
      each.name === judge.name ? { ...each, label: judge.label } : each,
    );
    await post({
      ...FIXTURES.answered,
      pipelines: [{ ...first!, name }],
      pipeline: { ...first!.pipeline, name },
      judge: { ...judge, choices },
    });
    for (const picker of ['pipeline-picker', 'judge-picker']) {
      const cut = await id(picker)
        .locator('.cut-start')
        .evaluate((start) => start.scrollWidth - start.clientWidth);
      assert.ok(cut <= 0, `${picker} lacks ${cut} px`);
    }
  });

  test('has one line for each covered perspective', async () => {
    await page.setViewportSize({ width: 300, height: 800 });
    await show('answered');
    const { height } = (await page.locator('.perspectives > li').first().boundingBox())!;
    assert.ok(height < 32, `${height} px`);
    assert.match(await text(id('perspective-p1')), /Covered at rank 1/);
  });

  test('has room for the reason of a missing perspective and for looking deeper', async () => {
    await page.setViewportSize({ width: 300, height: 800 });
    await show('deeper');
    assert.equal(await text(id('look-deeper-p2')), 'Look Deeper');
    const icon = (await id('look-deeper-p2').locator('.codicon').boundingBox())!;
    assert.ok(icon.width > 10, `${icon.width} px`);
  });
});

describe('figures', () => {
  test('have an explanation, sources and the unjudged share', async () => {
    await showMore('answered');
    assert.match(await text(id('metric-mrecall')), /MRecall@5 ≥ 0 — all or nothing/);
    assert.match(await text(id('metric-precision')), /Precision@5 ≥ 60% — ≥ 3 of 5 passages/);
    assert.match(await text(id('metric-judged')), /14 of 15 — pairs/);
    assert.match(await text(id('basis')), /Judgements: 10 by people, 3 by qwen3-8b, 1 by deberta \(NLI\)/);
    assert.match(
      await text(id('basis')),
      /1 pair is unjudged, so the figures can still rise\..*1 unsure verdict counts as no support\./s,
    );
    assert.match(
      (await id('metric-mrecall').getAttribute('title')) ?? '',
      /1 when the first 5 passages cover all/,
    );
    await id('judge-button').click();
    assert.deepEqual(await sent(), [{ type: 'judge' }]);
  });

  test('are marked, like cell, chip and verdict, if a quotation is not in its passage', async () => {
    await showMore('unfounded');
    assert.match(
      await text(id('basis')),
      /1 "yes" verdict quotes words that are not in the passage, but counts\./,
    );
    const said = /quotes words that are not in the passage$/;
    const chip = id('chip-2-p1');
    assert.match((await chip.getAttribute('title')) ?? '', said);
    assert.match((await chip.getAttribute('aria-label')) ?? '', said);
    const cell = page.locator('.cell[data-row="0"][data-column="1"]');
    assert.match(
      (await cell.getAttribute('title')) ?? '',
      /^A · 2 · yes · quotes words that are not in the passage$/,
    );
    assert.equal(await cell.evaluate((one) => getComputedStyle(one).outlineStyle), 'dashed');
    assert.match((await cell.getAttribute('aria-label')) ?? '', /quotes words that are not in the passage/);
    const other = page.locator('.cell[data-row="0"][data-column="0"]');
    assert.doesNotMatch((await other.getAttribute('title')) ?? '', said);
    await id('expand-2').click();
    assert.match(await text(id('verdicts-2')), /quotes words that are not in the passage/);
  });

  test('claim nothing without judgements', async () => {
    await showMore('unjudged');
    assert.equal(await id('metric-covered').count(), 0);
    assert.match(await text(page.locator('#perspectives-heading')), /^Nothing judged yet$/);
    assert.match(await text(id('metric-mrecall')), /– — nothing judged yet/);
    assert.match(await text(id('metric-precision')), /– — nothing judged yet/);
    assert.match(await text(id('judge-button')), /Judge 15 Unjudged Pairs/);
  });

  test('cannot be judged with human labels alone', async () => {
    await showMore('palette');
    assert.equal(await id('judge-button').count(), 0);
    assert.match(await text(id('metric-covered')), /^8 of 8 perspectives covered$/);
    assert.match(await text(id('metric-mrecall')), /MRecall@5 1/);
  });

  test('say when they are outdated and offer the search again', async () => {
    await showMore('crowded');
    await id('search-again').click();
    assert.deepEqual(await sent(), [{ type: 'search', query: FIXTURES.crowded.query }]);
    assert.match(await text(id('search-kind')), /^approximate search, 1,234 ms · 100 candidates/);
  });
});

describe('coverage matrix', () => {
  test('is a table with a caption and headers for rows and columns', async () => {
    await showMore('answered');
    const table = id('coverage-matrix');
    assert.match(
      (await table.locator('caption').textContent()) ?? '',
      /Verdict for every perspective and rank/,
    );
    assert.equal(await table.getByRole('columnheader').count(), 6);
    assert.equal(await table.getByRole('rowheader').count(), 3);
    const marks = await table
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) =>
          Array.from(row.querySelectorAll('td'), (cell) => cell.textContent?.trim()).join(''),
        ),
      );
    assert.deepEqual(marks, ['●●○○○', '○○●○○', '○○?·○']);
    await post(FIXTURES.judging);
    assert.match((await table.locator('tbody tr').first().textContent())?.replace(/\s/g, '') ?? '', /●●…··/);
  });

  test('has one tab stop; arrow keys move; Enter shows the pair for labelling', async () => {
    await showMore('answered');
    const cells = id('coverage-matrix').locator('button');
    assert.equal(await id('coverage-matrix').locator('button[tabindex="0"]').count(), 1);
    await cells.first().focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowDown'])
      await page.keyboard.press(key);
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'B at rank 3: yes. Label',
    );
    assert.equal(await id('coverage-matrix').locator('button[tabindex="0"]').count(), 1);
    await page.keyboard.press('Enter');
    assert.match(await text(id('labelling')), /^B .*Rank 3 /u);
    await id('labelling-passage').click();
    assert.equal(await focusedTestId(), 'result-3');
  });

  test('a click on a cell shows its pair; an answer is sent, and the next unjudged pair follows', async () => {
    await showMore('answered');
    const cell = (row: number, column: number): Locator =>
      id('coverage-matrix').locator(`[data-row="${row}"][data-column="${column}"]`);
    await cell(2, 0).click();
    const { perspectives, results } = FIXTURES.answered;
    const passage = (place: number): string => results!.items[place]!.passageId;
    const labelOf = (place: number, verdict: 'yes' | 'no' | 'unsure'): FromInspector => ({
      type: 'label',
      passageId: passage(place),
      perspectiveId: perspectives[2]!.id,
      verdict,
    });
    await id('labelling').getByRole('button', { name: 'No' }).click();
    // The only unjudged pair of this state.
    assert.match(await text(id('labelling')), /^C .*Rank 4 /u);
    await page.keyboard.press('u');
    assert.deepEqual(await sent(), [labelOf(0, 'no'), labelOf(3, 'unsure')]);
    await page.keyboard.press('Escape');
    assert.equal(await id('labelling').count(), 0);
    await cell(2, 3).focus();
    await page.keyboard.press('Control+n');
    await page.keyboard.press('y');
    assert.deepEqual((await sent()).at(-1), labelOf(3, 'yes'));
    assert.equal((await sent()).length, 3);
    // With the focus on a passage, the keys answer its unjudged pairs.
    await id('open-4').focus();
    await page.keyboard.press('N');
    assert.deepEqual((await sent()).at(-1), labelOf(3, 'no'));
    await id('open-5').focus();
    await page.keyboard.press('n');
    assert.equal((await sent()).length, 4, 'every pair of this passage is judged');
  });

  test('a verdict is announced with its effect and the next pair', async () => {
    await showMore('answered');
    await id('coverage-matrix').locator('[data-row="2"][data-column="0"]').click();
    const { results } = FIXTURES.answered;
    const items = results!.items.map((item, place) =>
      place === 0
        ? {
            ...item,
            judgements: item.judgements.map((judgement, row) =>
              row === 2 ? { ...judgement, verdict: 'yes' as const } : judgement,
            ),
          }
        : item,
    );
    const metrics = { ...results!.metrics, covered: { value: 3, bound: 'exact' as const } };
    await post({ ...FIXTURES.answered, results: { ...results!, items, metrics } });
    assert.equal(
      await text(page.getByRole('status').first()),
      'C at rank 1: yes. 3 of 3 perspectives covered, 14 of 15 pairs judged. Next: C at rank 1.',
    );
  });
});

describe('passages', () => {
  test('are in rank order with title, place and score', async () => {
    await show('answered');
    assert.equal(await id('results').locator('> li').count(), 5);
    const first = await text(id('result-1'));
    assert.match(first, /1 What we learned from a term of later starts/);
    assert.match(first, /docs\/school-start ?\/trial-report\.md:12–18/);
    assert.doesNotMatch(first, /13\.06/, 'a score says nothing at first sight');
    await id('expand-1').click();
    assert.match(await text(id('result-1')), /Score 13\.06/);
    await id('open-1').click();
    assert.deepEqual(await sent(), [{ type: 'open', passageId: 'docs/school-start/trial-report.md#1' }]);
  });

  test('show their evidence without opening them, and open at it', async () => {
    await show('answered');
    const marks = page.locator('[data-testid=result-2] mark');
    assert.equal(await text(marks), 'lets young people get the sleep their bodies need');
    assert.ok(await marks.isVisible());
    await id('chip-2-p1').click();
    const passageId = 'docs/school-start/clinic-leaflet.html#2';
    assert.deepEqual(await sent(), [{ type: 'open', passageId, perspectiveId: 'p1' }]);
  });

  test('mark overlapping evidence for both perspectives and keep all text', async () => {
    await show('crowded');
    await id('expand-1').click();
    const passage = page.locator('[data-testid=result-1] .passage');
    assert.equal(await passage.locator('mark mark').first().innerText(), 'keep customers away');
    const plain = await passage.evaluate((node) => {
      const copy = node.cloneNode(true) as HTMLElement;
      for (const letter of copy.querySelectorAll('.evidence-letter')) letter.remove();
      return copy.textContent;
    });
    assert.equal(plain, FIXTURES.crowded.results?.items[0]?.text);
  });

  test('distinguish unjudged and unsure from no', async () => {
    await show('answered');
    assert.match(await text(page.locator('[data-testid=result-4] .letter-group.unjudged')), /C unjudged/);
    assert.match(await text(page.locator('[data-testid=result-3] .letter-group.unsure')), /C unsure/);
    assert.match(await text(page.locator('[data-testid=result-5] .chips')), /supports none/);
    const border = (selector: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((node) => getComputedStyle(node).borderTopStyle);
    assert.equal(await border('.letter-group.unjudged .letter'), 'dashed');
    assert.equal(await border('.letter-group.unsure .letter'), 'solid');
  });

  test('unfold to verdicts with judge and reason, and accept labels', async () => {
    await show('answered');
    await id('expand-2').click();
    assert.equal(await id('expand-2').getAttribute('aria-expanded'), 'true');
    const verdicts = await text(id('verdicts-2'));
    assert.match(verdicts, /yes · judged by qwen3-8b · 94% likely to support/);
    assert.match(verdicts, /Says outright that a later start/);
    await id('label-2-p3-unsure').click();
    assert.deepEqual(await sent(), [
      {
        type: 'label',
        passageId: 'docs/school-start/clinic-leaflet.html#2',
        perspectiveId: 'p3',
        verdict: 'unsure',
      },
    ]);
    assert.equal(await id('label-2-p1-yes').getAttribute('aria-pressed'), 'false');
    await id('expand-1').click();
    assert.equal(await id('label-1-p1-yes').getAttribute('aria-pressed'), 'true');
  });

  test('beyond fifty are shown on request, or when a figure leads to them', async () => {
    await show('answered');
    const item = FIXTURES.answered.results!.items[0]!;
    const items = Array.from({ length: 120 }, (_, index) => ({
      ...item,
      rank: index + 1,
      passageId: `p${index}`,
    }));
    const results = { ...FIXTURES.answered.results!, items };
    const coverage = [{ where: 'covered', perspectiveId: 'p3', rank: 110 }] as const;
    await post({ ...FIXTURES.answered, results: { ...results, coverage: [...coverage] } });
    assert.equal(await id('results').locator('> li').count(), 50);
    await id('show-more').click();
    assert.equal(await id('results').locator('> li').count(), 100);
    await id('perspective-p3').getByRole('button', { name: 'Covered at rank 110' }).click();
    assert.equal(await focusedTestId(), 'result-110');
  });

  test('are shown as plain text, whatever they contain', async () => {
    await show('answered');
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const { results } = FIXTURES.answered;
    const items = results!.items.map((item) => ({ ...item, title: hostile, text: hostile, path: hostile }));
    await post({ ...FIXTURES.answered, query: hostile, results: { ...results!, items } });
    assert.equal(await text(id('open-1')), hostile);
    assert.equal(await page.locator('#root img, #root script').count(), 0);
    assert.equal(await page.title(), 'Parallax');
  });

  test('written from right to left are set so', async () => {
    await show('right-to-left');
    const direction = (locator: Locator): Promise<string> =>
      locator.evaluate((node) => getComputedStyle(node).direction);
    assert.equal(await direction(id('query')), 'rtl');
    assert.equal(await direction(page.locator('[data-testid=result-1] .passage')), 'rtl');
    assert.equal(await direction(page.locator('[data-testid=result-1] .path bdi.cut-end')), 'ltr');
  });
});

describe('news', () => {
  test('an answer is announced once, in one sentence', async () => {
    await show('no-query');
    const announcer = id('announcer');
    assert.equal(await announcer.getAttribute('aria-live'), 'polite');
    assert.equal(await text(announcer), '');
    await post(FIXTURES.answered);
    assert.equal(
      await announcer.textContent().then((words) => words?.trim()),
      '5 passages, ≥ 2 of 3 perspectives covered',
    );
    const node = await announcer.locator('p').elementHandle();
    await post({ ...FIXTURES.answered, tasks: [] });
    assert.ok(
      await node?.evaluate((paragraph) => paragraph.isConnected),
      'the same answer was announced again',
    );
  });

  test('work is announced when it begins, judging also when it ends, progress never', async () => {
    await show('unjudged');
    const words = async (): Promise<string> => ((await id('announcer').textContent()) ?? '').trim();
    const judging = { kind: 'judge' as const, title: 'Judging 15 pairs' };
    await post({ ...FIXTURES.unjudged, tasks: [judging] });
    assert.equal(await words(), 'Judging 15 pairs');
    await post({ ...FIXTURES.unjudged, tasks: [{ ...judging, fraction: 0.5, detail: '7 of 15' }] });
    assert.equal(await words(), 'Judging 15 pairs');
    await post(FIXTURES.answered);
    assert.equal(await words(), '5 passages, ≥ 2 of 3 perspectives covered');
  });

  test('announced work without a result is announced as ended', async () => {
    await show('answered');
    const words = async (): Promise<string> => ((await id('announcer').textContent()) ?? '').trim();
    await post({ ...FIXTURES.answered, tasks: [{ kind: 'deeper', title: 'Looking deeper' }] });
    assert.equal(await words(), 'Looking deeper');
    await post({ ...FIXTURES.answered, tasks: [] });
    assert.equal(await words(), 'Looking deeper: ended.');
  });

  test('the size of the index is announced when it is up to date', async () => {
    await show('indexing');
    await post(FIXTURES['no-query']);
    assert.match((await id('announcer').textContent()) ?? '', /: \d+ documents, \d+ passages/);
  });

  test('a retried request is shown beside the work at any width, only while it is retried', async () => {
    await page.setViewportSize({ width: 300, height: 800 });
    await show('unjudged');
    const judging = { kind: 'judge' as const, title: 'Judging 15 pairs', fraction: 0.2 };
    const detail = 'The model is busy; trying again in 13 s (2 of 5).';
    await post({ ...FIXTURES.unjudged, tasks: [{ ...judging, detail }] });
    const task = page.locator('.tasks li', { hasText: judging.title });
    const notice = task.getByText(detail);
    assert.ok(await notice.isVisible());
    await panel.assertFits([300, 360]);
    await post({ ...FIXTURES.unjudged, tasks: [{ ...judging, fraction: 0.4 }] });
    assert.ok(await task.isVisible());
    assert.equal(await notice.count(), 0);
    await post({ ...FIXTURES.unjudged, tasks: [{ ...judging, detail }] });
    await post(FIXTURES.answered);
    assert.equal(await page.getByText(detail).count(), 0);
  });

  test('a failure is an alert with a way out', async () => {
    await show('failed');
    assert.equal(await id('error').getAttribute('role'), 'alert');
    await id('remedy-set-key').click();
    await id('dismiss-error').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'set-key' }, { type: 'dismiss-error' }]);
    await post(FIXTURES['no-query']);
    assert.equal(await id('error').count(), 0);
  });

  test('an invalid parallax.json is reported beside an answer, and instead of an offer to index', async () => {
    await show('bad-config');
    assert.match(await text(id('config-problem')), /pipelines\.bm25\.k: must be a number/);
    assert.equal(await id('results').count(), 1);
    await show('bad-config-first');
    assert.equal(await id('index-button').count(), 0);
    await id('open-bad-config').click();
    assert.deepEqual(await sent(), [{ type: 'remedy', remedy: 'open-config' }]);
    await post({ ...FIXTURES['bad-config-first'], configProblem: undefined });
    assert.match(await text(id('not-indexed')), /the documents of this folder once/);
  });

  test('a state that cannot be drawn is reported, and the next valid one is shown', async () => {
    await show('answered');
    await postRaw({ type: 'state', state: { ...FIXTURES.answered, perspectives: undefined } });
    assert.match(await text(id('outdated')), /do not fit together/);
    assert.match(panel.takeProblems().join(), /undefined/);
    await post(FIXTURES.answered);
    assert.equal(await id('results').count(), 1);
  });

  test('messages of other senders are ignored', async () => {
    await show('answered');
    await postRaw('hello');
    await postRaw({ type: 'other', state: 1 });
    assert.equal(await id('outdated').count(), 0);
  });
});

/**
 * The first hour with new documents: a workspace without any Parallax files, from opening it to a test that fails when
 * retrieval gets worse, and back after a restart. Nothing here comes from the sample.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { startModelServer, type ModelServer } from '../fixtures/model-server.ts';
import type { Editor, Theme } from './support/editor.ts';
import { withEditor } from './support/editor.ts';
import { colleaguesQuestions, PROGRAM, QUESTION, writeHandbook } from './support/handbook.ts';
import { step, takePicture, waitForCount } from './support/journey.ts';
import { handbookModel } from './support/scripted-judge.ts';

const SET = 'questions.parallax.jsonl';
/** The default pipeline in a new configuration file. */
const PLAIN = '"weight": 0.35 }, "k": 5 }';
/** The same with fewer passages that repeat each other. */
const DIVERSE =
  '"weight": 0.35 }, "rerank": [{ "type": "mmr", "lambda": 0.5, "embedder": "hashing" }], "k": 5 }';
/** If PARALLAX_LOOKS is set, each station is also pictured in these themes at these widths of the side bar. */
const LOOKS: readonly (readonly [Theme, number])[] = [
  ['light', 420],
  ['high-contrast', 420],
  ['high-contrast-light', 300],
  ['dark', 300],
];
/** The default look. */
const LOOK = ['dark', 420] as const;

test('the first hour with new documents', async (t) => {
  const server = await startModelServer({ chat: handbookModel, models: ['handbook-judge'] });
  const home = mkdtempSync(join(tmpdir(), 'parallax-first-hour-'));
  const workspace = join(home, 'handbook');
  try {
    writeHandbook(workspace);
    mkdirSync(join(workspace, 'attic'));
    writeFileSync(join(workspace, 'attic', 'old.md'), `# Old\n\n${QUESTION} Nobody knows any more.\n`);
    await withEditor('first-hour', { workspace, theme: 'dark' }, (editor) => journey(t, editor, server));
  } finally {
    await server.close();
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor, server: ModelServer): Promise<void> {
  const { workbench, inspector, compare, testing, page } = editor;
  const seconds = stopwatch();

  await step(t, 'the panel lists what would be indexed, without the program', async () => {
    await workbench.openView('Ask');
    await workbench.widenSideBar(420);
    await inspector.getByTestId('index-button').waitFor();
    await inspector.frame.getByText('38 files (md)').waitFor();
    await look(editor, '1-opened');
  });

  await step(t, 'a folder that is not ticked is not indexed', async () => {
    await inspector.getByTestId('folder-attic').uncheck();
    await inspector.index();
    await inspector.getByTestId('corpus-size').getByText('78 documents').waitFor();
  });

  await step(t, 'a question is answered, and nothing unjudged is claimed', async () => {
    await inspector.ask(QUESTION);
    await waitForCount(inspector.getByTestId(/^result-\d+$/), 5);
    assert.match(
      await inspector.getByTestId('open-1').innerText(),
      /timeouts-and-retries › .*What clients do/u,
    );
    await waitForCount(inspector.getByTestId('metric-covered'), 0);
    await waitForCount(inspector.frame.getByText(/nowhere|not in the corpus/iu), 0);
  });

  await step(t, 'one sentence about the passages needs no judge, and the fold has more', async () => {
    await inspector
      .getByTestId('summary')
      .getByText(/^5 passages from 5 documents/u)
      .waitFor();
    seconds('first true statement');
    await look(editor, '2-asked');
    await inspector.showMore();
    await inspector.getByTestId('from-documents').waitFor();
    await look(editor, '3-likeness');
    await inspector.getByTestId('more').locator('> summary').click();
    await inspector.getByTestId('query').scrollIntoViewIfNeeded();
  });

  await step(t, 'a model is set up: found, tried with one request, and chosen', async () => {
    await workbench.runCommand('Parallax: Set Up a Model…');
    await workbench.chooseEntry('Another endpoint…');
    await workbench.answerInput('Where is the endpoint?', server.url);
    await workbench.answerInput('API key', '');
    await workbench.chooseEntry('handbook-judge');
    await workbench.notification(/handbook-judge is your judge now/u).waitFor();
    assert.match(readFileSync(join(editor.folder, 'parallax.json'), 'utf8'), /"handbook-judge"/u);
    await workbench.runCommand('Notifications: Clear All Notifications');
    await look(editor, '4-model');
  });

  await step(t, 'the model proposes perspectives, which do not count before they are accepted', async () => {
    await inspector.getByTestId('suggest-perspectives').click();
    await inspector.getByTestId('proposed').waitFor();
    await waitForCount(inspector.getByTestId('metric-covered'), 0);
    await look(editor, '5-proposed');
    await inspector.getByTestId('take-proposed').click();
  });

  await step(t, 'accepted perspectives are judged, and the first figure names its judge', async () => {
    await inspector.coverageBecomes(/^1 of 3$/u);
    seconds('first judged figure');
    assert.match(await inspector.getByTestId('judged-by').innerText(), /handbook-judge/u);
    await waitForCount(inspector.frame.getByText(/nowhere|not in the corpus/iu), 0);
    await look(editor, '6-judged');
  });

  await step(
    t,
    'looking deeper finds a passage for a perspective without supporting candidates',
    async () => {
      await inspector
        .getByTestId(/^look-deeper-/u)
        .last()
        .click();
      const found = inspector.getByTestId(/^deeper-.*-\d+$/u).filter({ hasText: 'supports it' });
      await found.getByText(/2024-03-ledger › What happened/u).waitFor();
      assert.match(await found.innerText(), /rank \d+ for the question/u);
      await found.getByRole('button').first().click();
      await workbench.tab('2024-03-ledger.md').waitFor();
      await look(editor, '7-found', 'hour-found');
    },
  );

  await step(t, 'the map shows the candidates by theme, with the question and the top k', async () => {
    await workbench.chooseInTitle('Ask', 'Analyse…');
    await workbench.chooseEntry('Show Map of the Candidates');
    await editor.map.getByTestId('map-hint').waitFor();
    await look(editor, '8-map');
    await workbench.runCommand('View: Close All Editors');
  });

  await step(t, 'more diverse passages cover a second perspective', async () => {
    changePipeline(editor, PLAIN, DIVERSE);
    await inspector.getByRole('button', { name: 'Search Again' }).click();
    await inspector.coverageBecomes(/^2 of 3$/u);
  });

  await step(t, 'the question becomes a test', async () => {
    await inspector.getByTestId('add-to-eval-set').click();
    await workbench.chooseEntry(`eval/${SET}`);
    await workbench.notification(/is a test now/u).waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.runCommand('Testing: Focus on Test Explorer View');
    await testing.unfold(SET);
    await testing.item(/retry failed requests/u).waitFor();
  });

  await step(t, 'a test without a baseline is skipped with a reason; once accepted, it passes', async () => {
    await testing.runAll();
    await testing.outcome(SET, 'skipped').waitFor();
    await workbench.runCommand('Parallax: Accept as Baseline');
    await workbench.notification('.parallax/baselines/main.json').waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await testing.runAll();
    await testing.outcome(SET, 'passed').waitFor();
    seconds('first test');
    await look(editor, '9-tested');
  });

  await step(t, 'with less diverse passages the test fails and names what was lost', async () => {
    changePipeline(editor, DIVERSE, PLAIN);
    await testing.outdated().first().waitFor();
    await testing.runAll();
    await testing.outcome(SET, 'failed').waitFor();
    await testing.failed().nth(1).click();
    await page
      .getByText(/Words and meaning lost a perspective: Repeating a request/u)
      .first()
      .waitFor();
    await look(editor, '10-failed', 'hour-failed');
  });

  await step(t, 'files that changed while the window was closed are noticed', async () => {
    await workbench.openView('Ask');
    writeFileSync(join(editor.folder, 'eval', 'data.parallax.jsonl'), colleaguesQuestions());
    writeFileSync(
      join(editor.folder, 'guides', 'new-page.md'),
      '# Bicycles\n\nThe quokka courier of Porto takes parcels by bicycle.\n',
    );
    await editor.reload();
    await inspector.getByTestId('query').waitFor();
    await inspector.ask('quokka courier by bicycle');
    await inspector
      .getByTestId('result-1')
      .getByText(/quokka/u)
      .first()
      .waitFor();
    await look(editor, '11-restarted');
  });

  await step(
    t,
    'questions that a colleague added are found, and pipelines are compared on them',
    async () => {
      const varied =
        '"bm25 + MMR": { "retriever": { "type": "bm25" }, "rerank": [{ "type": "mmr" }], "k": 5 }';
      changePipeline(editor, '"bm25": {', `${varied},\n    "bm25": {`);
      await workbench.runCommand('View: Close All Editors');
      await workbench.runCommand('View: Hide Panel');
      await workbench.runCommand('Parallax: Compare Pipelines');
      await compare.run();
      await compare.getByTestId('judge-figures').click();
      await workbench.answerDialog(/Ask handbook-judge about up to \d+ pairs/u, 'Judge');
      await compare.getByTestId('judging-report').waitFor();
      await compare.getByTestId('compare-task').waitFor({ state: 'detached' });
      assert.doesNotMatch(await compare.row('Words'), /nothing judged/u);
      await look(editor, '12-compared');
    },
  );

  await step(t, 'the call in the program beside the pages has its figures', async () => {
    await workbench.runCommand('View: Close All Editors');
    await workbench.openFile(basename(PROGRAM));
    await workbench.lens(/^Try a stand-in$/u).click();
    await workbench.lens(/^MRecall@5 (?:≥ )?\d+%/u).waitFor();
    await look(editor, '13-code', 'hour-code');
  });
}

/** Prints the time that each station took, without its pictures. */
function stopwatch(): (station: string) => void {
  const begun = performance.now();
  return (station) =>
    console.log(`${station}: ${((performance.now() - begun - forPictures) / 1000).toFixed(0)} s`);
}

let forPictures = 0;

/**
 * Takes pictures of a station in several looks. @param readme the name of the last one in the README, if it is there
 */
async function look(editor: Editor, station: string, readme?: string): Promise<void> {
  const begun = performance.now();
  const others = process.env['PARALLAX_LOOKS'] ? LOOKS : [];
  for (const [theme, width] of others) {
    await changeLook(editor, theme, width);
    await picture(editor, station, theme, width);
  }
  if (others.length > 0) await changeLook(editor, ...LOOK);
  await picture(editor, station, ...LOOK);
  if (readme !== undefined) await takePicture(editor, readme);
  forPictures += performance.now() - begun;
}

async function changeLook({ workbench }: Editor, theme: Theme, width: number): Promise<void> {
  await workbench.changeTheme(theme);
  await workbench.widenSideBar(width);
}

async function picture(editor: Editor, station: string, theme: Theme, width: number): Promise<void> {
  await editor.workbench.atRest();
  await editor.screenshot(`first-hour-${station}-${theme}-${width}`);
}

/** Edits parallax.json as a user does. */
function changePipeline({ folder }: Editor, from: string, to: string): void {
  const file = join(folder, 'parallax.json');
  const config = readFileSync(file, 'utf8');
  assert.ok(config.includes(from), `There is no ${from} in:\n${config}`);
  writeFileSync(file, config.replace(from, to));
}

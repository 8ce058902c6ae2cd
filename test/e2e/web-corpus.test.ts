/**
 * "Fetch Web Corpus…" in a real editor, with a search provider on loopback that speaks SearXNG's JSON. The product
 * refuses pages on loopback, so the stored pages were fetched before, by the same code with a wider reach.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { searchSettingsSchema } from '../../src/features/web-corpus/core/search.ts';
import { fetchWebCorpus } from '../../src/features/web-corpus/engine/fetch-corpus.ts';
import { found, html, webFor, type Page, type Web } from '../engine/web-corpus/support.ts';
import { withEditor, type Editor } from './support/editor.ts';
import { step, takePicture } from './support/journey.ts';

const COMMAND = 'Fetch Web Corpus…';
const EVAL_SET = 'eval/towns.parallax.jsonl';
const QUESTIONS = [
  { id: 'wind', text: 'Do wind turbines disturb their neighbours?' },
  { id: 'trams', text: 'Are trams worth their price?' },
] as const;
const PAGES = {
  'wind.test/noise': 'At night the turbines can be heard a kilometre away, say neighbours of the wind farm.',
  'wind.test/survey': 'Most neighbours of the turbines say in a survey that they do not mind them.',
  'trams.test/costs': 'Trams cost three times as much as buses, and are worth their price where many ride.',
};

test('a corpus of pages for each question, from the command to an answer', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'parallax-web-'));
  try {
    const web = await scriptedWeb(t);
    const workspace = await workspaceWithSnapshot(home, web);
    web.requests.length = 0;
    await withEditor('web-corpus', { workspace, theme: 'dark' }, (editor) => journey(t, editor, web));
  } finally {
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor, web: Web): Promise<void> {
  const { workbench, inspector, page } = editor;

  await step(t, 'query, provider and number of results are asked one after the other', async () => {
    await workbench.openView('Ask');
    await workbench.widenSideBar(420);
    await begin(editor, web);
    await takePicture(editor, 'web-corpus-dialog-dark');
    assert.deepEqual(web.requests, [], 'nothing is sent before the user agrees');
  });

  await step(
    t,
    'the search goes out, no page on this machine is asked for, and what came of it is said',
    async () => {
      await workbench.answerDialog(/Send 2 questions to SearXNG, and fetch up to 40 pages\?/u, 'Fetch');
      const told = workbench.notification(
        /0 pages fetched, 3 kept from earlier\. 2 left out: 2 at addresses that Parallax does not fetch\./u,
      );
      await told.waitFor();
      // Wait for its animation.
      await page.waitForTimeout(1_000);
      await takePicture(editor, 'web-corpus-fetched-dark');
      assert.ok(web.requests.length > 0 && web.requests.every((place) => place.includes('/search?')));
      await told.getByRole('button', { name: 'Index per Question' }).click();
    },
  );

  await step(t, 'the snapshot is a corpus in which every question has its own pages', async () => {
    await inspector.getByTestId('query').waitFor();
    await inspector.ask(QUESTIONS[0].text);
    await inspector.getByTestId('result-2').waitFor();
    assert.equal(await inspector.getByTestId('result-3').count(), 0);
    await takePicture(editor, 'web-corpus-asked-dark');
    const config = JSON.parse(readFileSync(join(editor.folder, 'parallax.json'), 'utf8')) as {
      corpora: Record<string, { roots: string[]; perQuery?: boolean }>;
    };
    const { roots, perQuery } = config.corpora['towns']!;
    assert.deepEqual([roots, perQuery], [['.parallax/web/towns'], true]);
  });

  await step(t, 'a question without a search is reported as such', async () => {
    const query = inspector.getByTestId('query');
    await query.fill('Is rain wet?');
    await query.press('Enter');
    await inspector.frame.getByText(/The web has not been searched for “?"?Is rain wet\?/u).waitFor();
    await takePicture(editor, 'web-corpus-unknown-dark');
  });

  await step(t, 'in a light window and at high contrast, too', async () => {
    await inspector.ask(QUESTIONS[1].text);
    for (const theme of ['light', 'high-contrast'] as const) {
      await workbench.changeTheme(theme);
      await takePicture(editor, `web-corpus-asked-${theme}`);
      await begin(editor, web);
      await takePicture(editor, `web-corpus-dialog-${theme}`);
      await page.keyboard.press('Escape');
      await page.locator('.monaco-dialog-box').waitFor({ state: 'hidden' });
    }
  });
}

/** Answers every prompt up to the last one before a request is sent. */
async function begin({ workbench, page }: Editor, web: Web): Promise<void> {
  const answer = async (title: string, text?: string): Promise<void> => {
    const widget = page.locator('.quick-input-widget').filter({ hasText: title });
    await widget.waitFor();
    const input = widget.locator('input[type="text"]');
    if (text !== undefined) await input.fill(text);
    await input.press('Enter');
  };
  await workbench.chooseInTitle('Ask', COMMAND);
  await workbench.chooseEntry(EVAL_SET);
  await workbench.chooseEntry('SearXNG');
  await answer('Where does SearXNG run?', `http://127.0.0.1:${web.port}`);
  await answer('How many pages for each question?', '20');
  await answer('What should the corpus be called?');
  await page.locator('.monaco-dialog-box').waitFor();
}

/** The web, and a provider that finds pages in it and addresses that must not be requested. */
async function scriptedWeb(t: TestContext): Promise<Web> {
  const page = (place: string, text: string): Page =>
    html(`<html><head><title>${place}</title></head><body><main><p>${text}</p></main></body></html>`);
  const web = await webFor(
    t,
    Object.fromEntries(Object.entries(PAGES).map(([place, text]) => [place, page(place, text)])),
  );
  web.pages['127.0.0.1/search'] = finding(web);
  return web;
}

/** @param more results beside the pages of a topic */
function finding(
  web: Web,
  more: { readonly wind: string[]; readonly trams: string[] } = { wind: [], trams: [] },
): Page {
  return (response, request) => {
    const topic = request.url?.includes('wind') ? 'wind' : 'trams';
    const own = Object.keys(PAGES).filter((place) => place.startsWith(topic));
    found(...own.map(web.url), ...more[topic])(response, request);
  };
}

/** An eval set of two questions, and the pages that an earlier search with fewer results found. */
async function workspaceWithSnapshot(home: string, web: Web): Promise<string> {
  const workspace = join(home, 'towns');
  mkdirSync(join(workspace, 'eval'), { recursive: true });
  const config = { corpora: { notes: { roots: ['eval'] } }, evalSets: ['eval/*.parallax.jsonl'] };
  writeFileSync(join(workspace, 'parallax.json'), JSON.stringify(config, null, 2));
  const lines = QUESTIONS.map(({ id, text }) =>
    JSON.stringify({ id, text, perspectives: [{ id: 'yes', text: `Yes: ${text}` }] }),
  );
  writeFileSync(join(workspace, EVAL_SET), `${lines.join('\n')}\n`);
  const baseUrl = `http://127.0.0.1:${web.port}`;
  const search = searchSettingsSchema.parse({ provider: 'searxng', baseUrl, results: 2 });
  const folder = join(workspace, '.parallax', 'web', 'towns');
  const request = { queries: QUESTIONS, search, folder, apiKey: undefined };
  const report = await fetchWebCorpus(request, {}, web.options);
  assert.equal(report.fetched, 3, JSON.stringify(report.skipped));
  const hidden = { wind: ['http://10.0.0.1/admin'], trams: [`${baseUrl}/secret`] };
  web.pages['127.0.0.1/search'] = finding(web, hidden);
  return workspace;
}

/**
 * A workspace whose passages are in PostgreSQL only: asked, judged, compared and gated in the editor, without any
 * document on this machine.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Embedders } from '../../src/engine/embedders/embedders.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { loadChroma, withPostgres, type Loaded } from '../fixtures/stores/loading.ts';
import { orReason, startChroma, startPostgres } from '../fixtures/stores/real-servers.ts';
import { withEditor, type Editor } from './support/editor.ts';
import { PERSPECTIVES, QUESTION, writeHandbook } from './support/handbook.ts';
import { step, takePicture, waitForCount } from './support/journey.ts';
import { handbookModel } from './support/scripted-judge.ts';

const SET = 'questions.parallax.jsonl';
const PASSAGES = 77;

test('a corpus in PostgreSQL', async (t) => {
  const { server, skip } = await orReason(startPostgres);
  if (!server) return t.skip(skip);
  const chroma = await startChroma();
  const model = await startModelServer({ chat: handbookModel });
  const home = mkdtempSync(join(tmpdir(), 'parallax-store-'));
  try {
    const pages = await handbookPages(join(home, 'documents'));
    await fillTable(server.port, pages);
    await loadChroma(chroma.port, 'pages', pages);
    const workspace = writeWorkspace(join(home, 'articles'), server.port, model.url);
    await withEditor('store-corpus', { workspace, theme: 'dark' }, (editor) =>
      journey(t, editor, `http://127.0.0.1:${chroma.port}`),
    );
  } finally {
    await model.close();
    await chroma.stop();
    await server.stop();
    rmSync(home, { recursive: true });
  }
});

async function journey(t: TestContext, editor: Editor, chroma: string): Promise<void> {
  const { workbench, inspector, compare, testing } = editor;

  await step(t, 'a question is answered at once, and passages have the store’s names', async () => {
    await workbench.openView('Ask');
    await workbench.widenSideBar(420);
    await inspector.frame.getByText('pgvector (articles)').waitFor();
    await inspector.ask(QUESTION);
    await waitForCount(inspector.getByTestId(/^result-\d+$/u), 5);
    assert.match(await inspector.getByTestId('open-1').innerText(), /timeouts-and-retries/u);
    await inspector.getByTestId('reindex').click();
    await inspector
      .getByTestId('corpus-size')
      .filter({ hasText: `${PASSAGES} passages in pgvector (articles)` })
      .waitFor();
  });

  await step(t, 'its passages are judged for the perspectives of the eval set', async () => {
    await inspector.coverageBecomes(/^1 of 3$/u);
    assert.match(await inspector.getByTestId('judged-by').innerText(), /scripted/u);
  });

  await step(t, 'looking deeper asks the store for passages that no candidate supports', async () => {
    await inspector
      .getByTestId(/^look-deeper-/u)
      .last()
      .click();
    await inspector
      .getByTestId(/^deeper-.*-\d+$/u)
      .filter({ hasText: 'supports it' })
      .getByText(/2024-03-ledger/u)
      .waitFor();
    await takePicture(editor, 'store-corpus-inspected');
  });

  await step(t, 'pipelines over the table are compared', async () => {
    await workbench.runCommand('Parallax: Compare Pipelines');
    await compare.run();
    assert.match(await compare.row('articles'), /%/u);
    assert.match(await compare.row('references'), /%/u);
    await compare
      .getByTestId('short')
      .getByText(/references: .* at worst 19 of 50/u)
      .waitFor();
    await takePicture(editor, 'store-corpus-compared');
  });

  await step(t, 'the call of a program that searches the table is measured on the table', async () => {
    await workbench.openFile('search.py');
    await workbench.goToLine(PROGRAM.split('\n').findIndex((line) => line.includes('execute')) + 1);
    await workbench.runCommand('Parallax: Bind Call Site to Pipeline…');
    await workbench.chooseEntry('Measure my retriever…');
    await workbench.chooseEntry('Ask pgvector (articles) itself');
    // The program's environment provides the address.
    await workbench.answerInput('Measure My Retriever (2 of 3)', undefined);
    await workbench.chooseEntry('hashing');
    await workbench.lens(/^MRecall@5 (?:≥ )?\d+% measured$/u).waitFor();
    await takePicture(editor, 'store-corpus-measured');
    const config = readFileSync(join(editor.folder, 'parallax.json'), 'utf8');
    assert.match(config, /"search":[^}]*"key":\s*"search"/u);
    assert.doesNotMatch(config, /of-nobody/u);
    await workbench.waitForText('# parallax: retriever=search');
  });

  await step(t, 'the call of a program that searches Chroma is measured on the server', async () => {
    await workbench.openFile('find.py');
    await workbench.goToLine(
      CHROMA_PROGRAM.split('\n').findIndex((line) => line.includes('query_texts')) + 1,
    );
    await workbench.runCommand('Parallax: Bind Call Site to Pipeline…');
    await workbench.chooseEntry('Measure my retriever…');
    await workbench.chooseEntry('Ask Chroma (pages) itself');
    await workbench.answerInput('Measure My Retriever (2 of 3)', chroma);
    await workbench.chooseEntry('hashing');
    await workbench.lens(/^MRecall@5 (?:≥ )?\d+% measured$/u).waitFor();
    await workbench.waitForText('# parallax: retriever=find');
  });

  await step(
    t,
    'after the baseline is accepted, a pipeline that loses a perspective does not pass',
    async () => {
      await workbench.runCommand('Testing: Focus on Test Explorer View');
      await testing.unfold(SET);
      await testing.runAll();
      await testing.outcome(SET, 'skipped').waitFor();
      await workbench.runCommand('Parallax: Accept as Baseline');
      await workbench.notification('.parallax/baselines/main.json').waitFor();
      await workbench.runCommand('Notifications: Clear All Notifications');
      await testing.runAll();
      await testing.outcome(SET, 'passed').waitFor();

      searchDecisionsOnly(join(editor.folder, 'parallax.json'));
      await testing.outdated().first().waitFor();
      await testing.runAll();
      // It now retrieves unjudged passages, so the test is undecided and does not pass.
      await testing.outcome(SET, 'skipped').waitFor();
      await testing
        .outcome(/retry failed requests/u, 'skipped')
        .getByText(/undecided/u)
        .waitFor();
      await takePicture(editor, 'store-corpus-gated');
    },
  );
}

/** Edits parallax.json as a user does. */
function searchDecisionsOnly(file: string): void {
  const config = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof configOf>;
  config.pipelines.articles.retriever.where = { kind: 'decisions' };
  writeFileSync(file, JSON.stringify(config));
}

interface Page extends Loaded {
  /** Of its file. */
  readonly name: string;
}

/** Every page of the handbook, with its vector. */
async function handbookPages(folder: string): Promise<readonly Page[]> {
  writeHandbook(folder);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name.includes('/'))
    .sort();
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  const embedder = await new Embedders({ embedders: {}, keys: {}, base: '.' }).get('hashing');
  const vectors = await embedder.embedPassages(texts);
  const dimensions = vectors.length / texts.length;
  return names.map((name, index) => ({
    id: String(1000 + index),
    name,
    text: texts[index]!,
    vector: vectors.subarray(index * dimensions, (index + 1) * dimensions),
  }));
}

/** Every page as a row, with the kind of page, its title and its address. */
async function fillTable(port: number, pages: readonly Page[]): Promise<void> {
  await withPostgres(port, async (client) => {
    await client.query(
      `CREATE TABLE articles (id bigint PRIMARY KEY, text text, kind text, metadata jsonb, embedding vector(${pages[0]!.vector.length}))`,
    );
    for (const { id, name, text, vector } of pages)
      await client.query('INSERT INTO articles VALUES ($1, $2, $3, $4, $5)', [
        id,
        text,
        name.split('/')[0],
        { source: `https://handbook.example.org/${name}` },
        `[${vector.join(',')}]`,
      ]);
  });
}

/** A program as people write it; its caller provides the vector. */
const PROGRAM = `import os
import psycopg


def search(vector):
    with psycopg.connect(os.environ["ARTICLES_URL"]) as db:
        return db.execute("SELECT id, text FROM articles ORDER BY embedding <=> %s LIMIT 5", (vector,)).fetchall()
`;

const CHROMA_PROGRAM = `import chromadb

pages = chromadb.HttpClient().get_collection("pages")


def find(question):
    return pages.query(query_texts=[question], n_results=5)
`;

/** A configuration, one question, and programs that search. */
function writeWorkspace(folder: string, port: number, baseUrl: string): string {
  const perspectives = PERSPECTIVES.map(({ text }, index) => ({ id: `p${index}`, text }));
  mkdirSync(join(folder, 'eval'), { recursive: true });
  writeFileSync(join(folder, 'parallax.json'), JSON.stringify(configOf(port, baseUrl)));
  writeFileSync(join(folder, 'search.py'), PROGRAM);
  writeFileSync(join(folder, 'find.py'), CHROMA_PROGRAM);
  const address = `postgresql+psycopg://postgres:of-nobody@127.0.0.1:${port}/postgres`;
  writeFileSync(join(folder, '.env'), `ARTICLES_URL=${address}\n`);
  writeFileSync(
    join(folder, 'eval', SET),
    `${JSON.stringify({ _id: 'retries', text: QUESTION, perspectives })}\n`,
  );
  return folder;
}

function configOf(port: number, baseUrl: string) {
  const store = {
    ...{ type: 'postgres', port, database: 'postgres', user: 'postgres', table: 'articles' },
    embedder: 'hashing',
    where: {} as Readonly<Record<string, string>>,
  };
  return {
    version: 2,
    corpora: { articles: { store } },
    pipelines: {
      articles: { retriever: { ...store }, k: 5 },
      references: { retriever: { ...store, where: { kind: 'reference' } }, candidates: 50, k: 5 },
    },
    judge: 'scripted',
    judges: { scripted: { type: 'openai', baseUrl, model: 'scripted' } },
    evalSets: [`eval/${SET}`],
    gate: { pipelines: ['articles'] },
  };
}

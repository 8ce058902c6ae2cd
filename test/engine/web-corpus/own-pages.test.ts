/** A corpus that keeps the pages of questions apart: each is answered as if its pages were all there is. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import type { ManifestLine } from '../../../src/features/web-corpus/core/snapshot.ts';
import { SNAPSHOT_MANIFEST, SNAPSHOT_PAGES } from '../../../src/features/web-corpus/core/snapshot.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import type { CorpusConfig } from '../../../src/shared/config.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { poolReportSchema } from '../../../src/shared/pool.ts';
import { engineMethods } from '../../../src/shared/rpc.ts';
import { run } from '../cli/support.ts';
import { BM25, context, evalQuery, only, refuses, Workspace } from '../compare/compare-support.ts';

const AT = '2026-01-01T00:00:00.000Z';
const QUESTIONS = ['Is wind power worth it?', 'Is the sun too hot?'] as const;
/** Words that the questions share with pages of either, so that rareness of a word differs with the pages. */
const VOCABULARY = 'wind power sun hot worth panel turbine town price noise shade roof grid night day'.split(
  ' ',
);

/** A page of some words; the same for the same number. */
function page(number: number): string {
  let state = number + 1;
  return Array.from({ length: 30 + (number % 7) * 10 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return VOCABULARY[state % VOCABULARY.length]!;
  }).join(' ');
}

const url = (number: number): string => `http://p.test/${number}`;
/** The last two are pages of both questions. */
const PAGES_OF = [
  [0, 1, 2, 3, 4, 5, 12, 13],
  [6, 7, 8, 9, 10, 11, 12, 13],
] as const;

function searchLine(query: string, pages: readonly number[], provider = 'searxng'): ManifestLine {
  const results = pages.map((number, index) => ({ rank: index + 1, url: url(number), title: '' }));
  return { type: 'search', queryId: query, query, provider, wanted: 20, results, at: AT };
}

function pageLine(number: number): ManifestLine {
  const [status, contentType, bytes, hash] = [200, 'text/html', 1, ''];
  return { type: 'page', url: url(number), finalUrl: url(number), status, contentType, bytes, hash, at: AT };
}

function addLines(folder: string, ...lines: readonly ManifestLine[]): void {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  appendFileSync(path.join(folder, SNAPSHOT_MANIFEST), text);
}

function addPages(folder: string, numbers: readonly number[]): void {
  mkdirSync(folder, { recursive: true });
  const records = numbers.map((number) => ({ _id: url(number), title: '', text: page(number) }));
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  appendFileSync(path.join(folder, SNAPSHOT_PAGES), text);
  addLines(folder, ...numbers.map(pageLine));
}

/** Pages of two questions in one snapshot. */
function snapshot(folder: string): string {
  // In the order in which either question has them: ties go to the passage that was stored first.
  addPages(
    folder,
    [...new Set(PAGES_OF.flat())].sort((a, b) => a - b),
  );
  addLines(folder, ...QUESTIONS.map((question, index) => searchLine(question, PAGES_OF[index]!)));
  return folder;
}

async function addCorpus(workspace: Workspace, name: string, more: Partial<CorpusConfig>): Promise<void> {
  const config = corpusSchema.parse({ split: { type: 'words', size: 20 }, ...more });
  const store = path.join(workspace.folder, 'storage', name);
  const ref = { name, base: workspace.folder, config, excludeGlobs: [], store };
  await workspace.configure({ corpora: [...workspace.config.corpora, ref] });
}

/** The corpus `corpus` of two questions, whose pages are kept apart. */
async function apart(t: TestContext): Promise<{ workspace: Workspace; folder: string }> {
  const workspace = new Workspace(t);
  const folder = snapshot(path.join(workspace.folder, 'web'));
  await addCorpus(workspace, 'corpus', { roots: ['web'], perQuery: true });
  await workspace.index('corpus');
  return { workspace, folder };
}

interface Found {
  readonly id: string;
  readonly score: number;
}

async function search(
  { engine }: Workspace,
  corpus: string,
  text: string,
  input: PipelineInput = BM25,
): Promise<Found[]> {
  const pipeline = { ...parsePipeline(input), k: 40 };
  const perspectives = [{ id: 'p', text: 'turbine noise at night' }];
  const { candidates } = await engine.search({ corpus, query: { text }, perspectives, pipeline }, context);
  return candidates.map(({ id, score }) => ({ id, score }));
}

const documents = (found: readonly Found[]): string[] =>
  [...new Set(found.map(({ id }) => id.replace(/#.*$|:.*(?<=\d):\d+$/u, '')))].sort();

const PIPELINES: Readonly<Record<string, PipelineInput>> = {
  bm25: BM25,
  okapi: { retriever: { type: 'bm25', variant: 'okapi', analyzer: 'simple' } },
  dense: { retriever: { type: 'dense' } },
  int8: { retriever: { type: 'dense', search: 'int8' } },
  hybrid: { retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense' }] } },
  projected: { retriever: { type: 'dense' }, projection: { method: 'pap+' } },
  expanded: { retriever: { type: 'bm25' }, expansion: { type: 'perspectives', perspectives: 'given' } },
  mmr: { retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.7 }] },
  xquad: { retriever: { type: 'bm25' }, rerank: [{ type: 'xquad', perspectives: 'given' }] },
};

test('rankings and scores equal those of a corpus of these pages alone', async (t) => {
  const { workspace } = await apart(t);
  for (const [index, question] of QUESTIONS.entries()) {
    const name = `alone${index}`;
    addPages(path.join(workspace.folder, name), PAGES_OF[index]!);
    await addCorpus(workspace, name, { roots: [name] });
    await workspace.index(name);
    for (const [pipeline, input] of Object.entries(PIPELINES)) {
      const own = await search(workspace, 'corpus', question, input);
      const alone = await search(workspace, name, question, input);
      assert.ok(own.length > 10, pipeline);
      const rounded = (found: readonly Found[]) => found.map(({ id, score }) => [score.toFixed(9), id]);
      if (pipeline === 'int8') assert.deepEqual(documents(own), documents(alone));
      else assert.deepEqual(rounded(own), rounded(alone), `${pipeline} on ${question}`);
    }
  }
});

test('without perQuery every question has all pages', async (t) => {
  const { workspace } = await apart(t);
  await addCorpus(workspace, 'union', { roots: ['web'] });
  await workspace.index('union');
  const all = await search(workspace, 'union', QUESTIONS[0]);
  const own = await search(workspace, 'corpus', QUESTIONS[0]);
  assert.ok(all.some(({ id }) => id.includes('/6')) && !own.some(({ id }) => id.includes('p.test/6')));
});

test('a question without pages is reported with advice', async (t) => {
  const { workspace, folder } = await apart(t);
  const ask = (question: string) => search(workspace, 'corpus', question);
  await refuses(ask('Is rain wet?'), /The web has not been searched for "Is rain wet\?" yet/u, 'not-found');
  addLines(folder, searchLine('Is rain wet?', [70, 71]));
  await refuses(ask('Is rain wet?'), /None of the pages .* could be fetched/u, 'not-found');
  addPages(folder, [70]);
  await refuses(ask('Is rain wet?'), /not indexed yet\. Update the index/u, 'not-found');
  await workspace.index('corpus');
  assert.deepEqual(
    documents(await search(workspace, 'corpus', ' Is rain wet? ', { retriever: { type: 'dense' } })).length,
    1,
  );
});

test('a page with the text of another replaces it, and providers are merged', async (t) => {
  const { workspace, folder } = await apart(t);
  const twin: ManifestLine = {
    type: 'skipped',
    url: url(80),
    reason: 'duplicate',
    message: '',
    at: AT,
    twin: url(6),
    passing: false,
  };
  addLines(folder, twin, searchLine('Twins?', [80]), searchLine('Twins?', [7], 'brave'));
  const found = await search(workspace, 'corpus', 'Twins?', { retriever: { type: 'dense' } });
  assert.deepEqual(documents(found), [url(6), url(7)]);
});

test('a corpus that is no snapshot cannot have separate pages', async (t) => {
  const { workspace } = await apart(t);
  mkdirSync(path.join(workspace.folder, 'notes'));
  writeFileSync(path.join(workspace.folder, 'notes', 'a.md'), 'wind power');
  for (const [name, roots] of Object.entries({ notes: ['notes'], two: ['web', 'notes'] })) {
    await addCorpus(workspace, name, { roots, perQuery: true });
    await workspace.index(name);
    await refuses(
      search(workspace, name, QUESTIONS[0]),
      /perQuery needs a single root: the folder of a snapshot/u,
      'bad-config',
    );
  }
});

test('a comparison asks questions with pages, names the rest, and notices new pages', async (t) => {
  const { workspace, folder } = await apart(t);
  const [first, second] = QUESTIONS.map((text, index) =>
    evalQuery(
      `q${index}`,
      text,
      { id: 'yes', text: 'turbine at night', stance: 'support' },
      { id: 'no', text: 'panel on a roof', stance: 'oppose' },
    ),
  );
  const queries = [first!, evalQuery('rain', 'Is rain wet?', 'p'), second!];
  const compared = () =>
    workspace.compare({ words: BM25, near: { retriever: { type: 'dense' } } }, [{ queries }]);
  const before = only(await compared());
  assert.deepEqual(before.leftOut, ['rain']);
  assert.deepEqual(
    before.queries.map(({ id }) => id),
    ['q0', 'q1'],
  );
  // Also asked from either side, which is another unjudged text with the pages of the same question.
  assert.deepEqual(
    before.pipelines.map(({ error, tooLittleJudged = [] }) => [
      error,
      tooLittleJudged.some(({ view }) => view === 'sycophancy'),
    ]),
    [
      [undefined, true],
      [undefined, true],
    ],
  );
  addLines(folder, searchLine('Is rain wet?', [13]), searchLine(QUESTIONS[0], [2]));
  const after = await compared();
  assert.deepEqual([only(after).leftOut, only(after).queries.length], [[], 3]);
  const { passages } = await workspace.engine.movement({
    id: after.id,
    dataset: 'set',
    queryId: 'q0',
    depth: 40,
  });
  assert.ok(passages.length > 0 && passages.every(({ id }) => id.startsWith(url(2))));
  const nothing = workspace.compare({ words: BM25 }, [{ queries: [evalQuery('x', 'Unheard of?', 'p')] }]);
  await refuses(nothing, /No page of the snapshot was found for the question: /u, 'not-found');
});

test('a pool names the queries without pages, and none if all have some', async (t) => {
  const { workspace } = await apart(t);
  const pooled = async (
    ...queries: ReturnType<typeof evalQuery>[]
  ): Promise<readonly string[] | undefined> => {
    const report = await workspace.engine.pool(
      {
        judge: 'labels',
        k: 5,
        pipelines: [{ name: 'words', pipeline: parsePipeline(BM25) }],
        datasets: [{ name: 'set', corpus: 'corpus', evalSet: 'set.jsonl', queries }],
      },
      context,
    );
    return poolReportSchema.parse(report).datasets[0]!.leftOut;
  };
  const known = evalQuery('known', QUESTIONS[0], 'p');
  assert.deepEqual(await pooled(known, evalQuery('rain', 'Is rain wet?', 'p')), ['rain']);
  assert.equal(await pooled(known), undefined);
});

test('unreached passages omit the queries without pages, which are named', async (t) => {
  const { workspace } = await apart(t);
  const queries = [evalQuery('known', QUESTIONS[0], 'p'), evalQuery('rain', 'Is rain wet?', 'p')];
  const pipelines = [{ name: 'words', pipeline: parsePipeline(BM25) }];
  const report = await workspace.engine.unreached({ corpus: 'corpus', queries, pipelines, k: 5 }, context);
  const { leftOut, reachedDocuments } = engineMethods.unreached.result.parse(report);
  assert.deepEqual(leftOut, [{ id: 'rain', text: 'Is rain wet?' }]);
  assert.ok(reachedDocuments > 0);
});

test('parallax eval and gate use each question’s pages, and name those without', async (t) => {
  const { workspace } = await apart(t);
  const { folder } = workspace;
  const at = (name: string): string => path.join(folder, name);
  const queries = [...QUESTIONS, 'Is rain wet?'].map((text, index) => ({
    id: `q${index}`,
    text,
    perspectives: [{ id: 'p', text: 'turbine' }],
  }));
  writeFileSync(at('set.parallax.jsonl'), queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
  writeFileSync(at('qrels.txt'), queries.map(({ id }) => `${id} p ${url(1)}#0 1\n`).join(''));
  const options = ['--corpus', at('web'), '--queries', at('set.parallax.jsonl'), '--qrels', at('qrels.txt')];
  const argv = [...options, '--pipeline', '{"retriever":{"type":"dense"}}', '--split', 'words:20'];
  const ran = await run(evalCommand, ...argv, '--per-query');
  assert.match(ran.stderr, /1 of 3 questions of .* has no pages .* left out: q2\./u);
  assert.match(ran.stdout, /2 questions; judgements/u);
  const together = await run(evalCommand, ...argv);
  assert.match(together.stdout, /3 questions; judgements/u);

  const corpora = { web: { roots: ['web'], perQuery: true, split: { type: 'words', size: 20 } } };
  const gate = { pipelines: ['bm25'], thresholds: [{ metric: 'Precision@5', min: 0 }] };
  const config = { corpora, evalSets: ['*.parallax.jsonl'], judge: 'lexical', gate };
  writeFileSync(at('parallax.json'), JSON.stringify(config));
  const gated = await run(gateCommand, '--config', at('parallax.json'), '--format', 'json');
  const report = JSON.parse(gated.stdout) as { notes: string[] };
  assert.ok(
    report.notes.some((note) => /^Left out of "set".*1 question \(q2\)\.$/u.test(note)),
    String(report.notes),
  );

  await run(indexCommand, at('web'), '--store', at('store'), '--split', 'words:20', '--per-query');
  const searched = await run(
    searchCommand,
    QUESTIONS[1],
    '--store',
    at('store'),
    '--pipeline',
    'dense',
    '--k',
    '40',
  );
  assert.ok(searched.stdout.includes('p.test/6') && !searched.stdout.includes('p.test/0'));
});

/**
 * `parallax check --behaviour` against a scripted store with one fault at a time, and against the bundled retrievers
 * and rerankers.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkCommand } from '../../../src/cli/commands/check-command.ts';
import type { CheckName } from '../../../src/features/behaviour/core/checks.ts';
import type { BehaviourReport } from '../../../src/features/behaviour/contract/behaviour.ts';
import { scriptedStore, type StoreFault } from '../../fixtures/scripted-store.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { run } from './support.ts';

const QUESTIONS = ['What about Trams in Town?', 'Night Buses and Money?', 'Are Parks for People?'];
const ASKED = QUESTIONS.flatMap((question) => ['--question', question]);

type Report = BehaviourReport & { readonly pipeline: string };

/** A workspace whose pipelines use the store, each with one setting changed. */
async function configOf(t: TestContext, url: string): Promise<string> {
  const folder = temporaryFolder(t);
  const asking = (more: object): object => ({
    retriever: { type: 'http', url, body: { query: '{query}', k: '{k}', ...more } },
    k: 5,
  });
  const config = {
    pipelines: {
      search: asking({}),
      page2: asking({ offset: 5 }),
      mmr: asking({ lambda: 0.5 }),
      'mmr-0': asking({ lambda: 0 }),
      'mmr-1': asking({ lambda: 1 }),
      reranked: asking({ rerank: true }),
      filtered: asking({ filter: 'letter' }),
    },
    behaviour: {
      search: { nextPage: 'page2' },
      mmr: { lambda0: 'mmr-0', lambda1: 'mmr-1', withoutMmr: 'search' },
      reranked: { withoutRerank: 'search' },
      filtered: { withoutFilter: 'search' },
    },
  };
  const file = path.join(folder, 'parallax.json');
  await writeFile(file, JSON.stringify(config));
  return file;
}

const PIPELINES = ['search', 'mmr', 'reranked', 'filtered'];

async function reportsOf(
  config: string,
  names: readonly string[],
): Promise<{ code: number; reports: Report[] }> {
  const pipelines = names.flatMap((name) => ['--pipeline', name]);
  const { code, stdout } = await run(
    checkCommand,
    ...['--behaviour', '--config', config, '--json'],
    ...pipelines,
    ...ASKED,
  );
  return { code, reports: JSON.parse(stdout) as Report[] };
}

const broken = ({ checks }: Report): CheckName[] =>
  checks.flatMap(({ check, state }) => (state === 'broken' ? [check] : []));

test('a correct store has no findings, and all its checks pass', async (t) => {
  const store = await scriptedStore(t);
  const { code, reports } = await reportsOf(await configOf(t, store.url), PIPELINES);
  assert.deepEqual(reports.map(broken), [[], [], [], []]);
  assert.equal(code, 0);
  const open = reports.map(({ checks }) =>
    checks.flatMap(({ check, state }) => (state === 'open' ? [check] : [])),
  );
  assert.deepEqual(open, [
    ['lambda', 'mmr-candidates', 'rerank', 'filter'],
    ['rerank', 'filter', 'next-page'],
    ['lambda', 'mmr-candidates', 'filter', 'next-page'],
    ['lambda', 'mmr-candidates', 'rerank', 'next-page'],
  ]);
});

const FAULTS: readonly [StoreFault, string, CheckName, RegExp][] = [
  ['other first ones', 'search', 'first-k', /asked for more/u],
  ['another list each time', 'search', 'same-again', /asked twice/u],
  ['new ids', 'search', 'ids', /the same text came as p\d+-\d+ and as p\d+-\d+/u],
  ['ids twice', 'search', 'ids', /is in one list twice/u],
  ['distances', 'search', 'scores', /the scores are/u],
  ['unsorted scores', 'search', 'scores', /the scores are/u],
  ['capital letters count', 'search', 'near-equal', /same passages/u],
  ['no lambda', 'mmr', 'lambda', /λ = 0 gives/u],
  ['lambda turned round', 'mmr', 'lambda', /λ = 0 is closer/u],
  ['too few candidates', 'mmr', 'mmr-candidates', /the same 5 passages/u],
  ['no reranker', 'reranked', 'rerank', /before reranking/u],
  ['reranking undone', 'reranked', 'rerank', /chosen, in the order of the first search/u],
  ['no filter', 'filtered', 'filter', /With and without the filter/u],
  ['empty pages', 'search', 'next-page', /is empty/u],
  ['overlapping pages', 'search', 'next-page', /the next one/u],
];

for (const [fault, pipeline, check, evidence] of FAULTS)
  test(`a store with ${fault}: ${check} fails, with evidence and a fix`, async (t) => {
    const store = await scriptedStore(t);
    const config = await configOf(t, store.url);
    store.fault = fault;
    const { code, reports } = await reportsOf(config, [pipeline]);
    assert.equal(code, 1);
    const [report] = reports;
    assert.ok(broken(report!).includes(check), JSON.stringify(report));
    const found = report!.checks.find((each) => each.check === check)?.fault;
    assert.match(found?.evidence ?? '', evidence);
    assert.ok((found?.fix.length ?? 0) > 20);
  });

test('the text lists passed checks, failed checks, reasons and fixes', async (t) => {
  const store = await scriptedStore(t);
  const config = await configOf(t, store.url);
  store.fault = 'lambda turned round';
  const { code, stdout } = await run(
    checkCommand,
    ...['--behaviour', '--config', config, '--pipeline', 'mmr'],
    ...ASKED,
  );
  assert.equal(code, 1);
  assert.match(stdout, /^mmr\n {2}holds {3}Every passage has its own permanent id$/mu);
  assert.match(stdout, /^ {2}broken {2}λ leads from diversity \(0\) to relevance \(1\)\n {10}For “/mu);
  assert.match(stdout, /^ {10}To fix it: λ is reversed/mu);
  assert.match(stdout, /^ {2}– {7}The filter leaves passages out$/mu);
});

test('no bundled retriever or reranker is reported', async (t) => {
  const folder = temporaryFolder(t);
  await mkdir(path.join(folder, 'docs'));
  for (let n = 0; n < 60; n++) {
    const topic = ['trams', 'buses', 'cycling', 'parking'][n % 4]!;
    const text = `About ${topic} in Town, note ${n}: the ${topic} ${n % 3 === 0 ? 'at night' : 'by day'} cost money and help people number ${n * 7}.`;
    await writeFile(path.join(folder, 'docs', `n${n}.md`), text);
  }
  const words = { type: 'dense', embedder: 'hashing' };
  const mmr = [{ type: 'mmr', lambda: 0.5, embedder: 'hashing' }];
  const hybrid = { type: 'hybrid', retrievers: [{ type: 'bm25' }, words] };
  const pipelines = {
    bm25: { retriever: { type: 'bm25' } },
    dense: { retriever: { type: 'dense' } },
    int8: { retriever: { ...words, search: 'int8' } },
    hybrid: { retriever: hybrid },
    'bm25-mmr': { retriever: { type: 'bm25' }, rerank: mmr },
    'dense-mmr': { retriever: words, rerank: mmr },
    'hybrid-mmr': { retriever: hybrid, rerank: mmr, k: 10 },
  };
  const file = path.join(folder, 'parallax.json');
  await writeFile(file, JSON.stringify({ corpora: { docs: { roots: ['docs'] } }, pipelines }));
  const { code, reports } = await reportsOf(file, Object.keys(pipelines));
  assert.deepEqual(
    reports.map((report) => [report.pipeline, broken(report), report.failed]),
    Object.keys(pipelines).map((name) => [name, [], []]),
  );
  assert.equal(code, 0);
  const states = reports.find(({ pipeline }) => pipeline === 'dense-mmr')!.checks;
  for (const check of ['lambda', 'mmr-candidates', 'first-k'])
    assert.equal(states.find((each) => each.check === check)?.state, 'holds', check);
});

test('checks that cannot run are reported', async (t) => {
  const store = await scriptedStore(t);
  const config = await configOf(t, store.url);
  const bm25 = ['--behaviour', '--config', config, '--pipeline', 'bm25'];
  await assert.rejects(run(checkCommand, ...bm25), { message: /Give a --question/u });
  await assert.rejects(run(checkCommand, ...bm25, ...ASKED), { message: /of a corpus/u });
});

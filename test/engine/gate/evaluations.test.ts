/** Evaluations on the sample workspace, as the editor asks for them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseBaseline } from '../../../src/features/gate/core/baseline.ts';
import { setOutcome } from '../../../src/features/gate/core/query-outcome.ts';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { KeptEvaluations } from '../../../src/features/history/engine/kept-evaluations.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { configSchema, type ParallaxConfig } from '../../../src/shared/config.ts';
import { engineMethods, type Params, type Result } from '../../../src/shared/rpc.ts';
import {
  context,
  refuses,
  sampleWorkspace,
  type EvalQueries,
  type Workspace,
} from '../compare/compare-support.ts';

const SET = 'eval/questions.parallax.jsonl';
const MAIN = '.parallax/baselines/main.json';
/** Finds next to nothing: whole words between spaces only, without regard to how rare they are. */
const WORSE = { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' } };

class Sample {
  readonly workspace: Workspace;
  readonly queries: EvalQueries;

  constructor(workspace: Workspace, queries: EvalQueries) {
    this.workspace = workspace;
    this.queries = queries;
  }

  file(name: string): string {
    return path.join(this.workspace.folder, name);
  }

  config(change: object = {}): ParallaxConfig {
    const json = JSON.parse(readFileSync(this.file('parallax.json'), 'utf8')) as object;
    return configSchema.parse({ ...json, ...change });
  }

  async evaluate(change: object = {}, options: Partial<Params<'evaluate'>> = {}): Promise<GateReport> {
    const params = engineMethods.evaluate.params.parse({
      config: this.config(change),
      ask: false,
      baseline: 'present',
      ...options,
    });
    const report = await this.workspace.engine.evaluate(params, context);
    // As the wire would have it.
    return engineMethods.evaluate.result.parse(JSON.parse(JSON.stringify(report)));
  }

  accept(change: object = {}): Promise<Result<'acceptBaseline'>> {
    return this.workspace.engine.acceptBaseline({ config: this.config(change), ask: false }, context);
  }

  async history(): Promise<Result<'evaluationHistory'>['evaluations']> {
    const found = await this.workspace.engine.evaluationHistory({ config: this.config() });
    return engineMethods.evaluationHistory.result.parse(found).evaluations;
  }
}

async function sample(t: TestContext): Promise<Sample> {
  const { workspace, queries } = await sampleWorkspace(t);
  return new Sample(workspace, queries);
}

test('without a gate the first pipeline is evaluated at its k, and nothing is required', async (t) => {
  const own = await sample(t);
  const report = await own.evaluate();
  assert.equal(report.outcome, 'passed');
  assert.equal(report.k, 5);
  assert.deepEqual(
    report.datasets.map(({ evalSet, pipelines }) => [evalSet, pipelines.map(({ name }) => name)]),
    [[SET, ['bm25']]],
  );
  assert.equal(report.datasets[0]!.file, SET);
  assert.equal(report.datasets[0]!.pipelines[0]!.queries.length, own.queries.length);
  assert.equal(report.baseline, undefined);
});

test('an accepted baseline counts from then on, and a worse pipeline loses perspectives', async (t) => {
  const own = await sample(t);
  assert.deepEqual(await own.accept(), { file: MAIN, isNew: true, holes: [] });
  assert.equal(parseBaseline(readFileSync(own.file(MAIN), 'utf8'), MAIN).datasets.length, 1);
  assert.deepEqual(await own.accept(), { file: MAIN, isNew: false, holes: [] });

  const same = await own.evaluate();
  assert.equal(same.baseline?.file, MAIN);
  assert.deepEqual(
    same.datasets[0]!.pipelines[0]!.queries.filter(({ lost }) => lost.some((each) => each.newly)),
    [],
  );

  const worse = await own.evaluate({ pipelines: { bm25: WORSE } });
  const lost = worse.datasets[0]!.pipelines[0]!.queries.filter((query) =>
    query.lost.some((each) => each.newly),
  );
  assert.ok(lost.length > 0);
  assert.ok(lost.every(({ moved }) => moved && moved.length > 0));
  const [check] = worse.checks;
  assert.deepEqual(check!.baseline!.attribution.changes, ['pipeline']);

  rmSync(own.file(MAIN));
  assert.equal((await own.evaluate()).baseline, undefined);
  await refuses(
    own.evaluate({}, { baseline: 'required' }),
    /There is no baseline .*main\.json/u,
    'not-found',
  );
  const named = { gate: { pipelines: ['bm25'], baseline: { file: MAIN } } };
  await refuses(own.evaluate(named), /There is no baseline .*"Parallax: Accept as Baseline"/u, 'not-found');
});

test('one eval set of several is evaluated alone', async (t) => {
  const own = await sample(t);
  const other = `${readFileSync(own.file(SET), 'utf8').split('\n')[0]}\n`;
  writeFileSync(own.file('eval/other.parallax.jsonl'), other);
  const gate = { pipelines: ['bm25'], thresholds: [{ metric: 'MRecall@5', min: 1 }] };
  const change = { evalSets: ['eval/*.jsonl'], gate };
  const report = await own.evaluate(change, { evalSets: ['eval/other.parallax.jsonl'] });
  assert.deepEqual(
    report.datasets.map(({ name }) => name),
    ['other'],
  );
  const all = await own.evaluate(change);
  assert.equal(all.datasets.length, 2);
  assert.equal(setOutcome(all, SET).outcome, 'missed');
  await refuses(
    own.evaluate(change, { evalSets: ['none.jsonl'] }),
    /no eval set "none\.jsonl"/u,
    'bad-config',
  );
  await refuses(
    own.evaluate({ ...change, gate: { pipelines: ['nime'] } }),
    /gate\.pipelines\.0: there is no pipeline "nime"/u,
    'bad-config',
  );
});

test('the history survives a restart: figures, corpus, judgements, commit, and causes of changes', async (t) => {
  const own = await sample(t);
  const git = (...argv: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.org', ...argv], {
      cwd: own.workspace.folder,
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'one');
  const { at, datasets } = await own.evaluate();
  await contradict({ ...own, history: await own.history() });
  await own.evaluate();
  await own.evaluate({ pipelines: { bm25: WORSE } });
  writeFileSync(own.file('docs/new.md'), 'Something about a dam and the fish in it.\n');
  await own.workspace.index('handbook');
  await own.evaluate({ pipelines: { bm25: WORSE } });

  await own.workspace.restart();
  const history = await own.history();
  assert.equal(history.length, 4);
  const oldest = history.at(-1)!;
  assert.deepEqual([oldest.at, oldest.commit, oldest.judge], [at, git('rev-parse', 'HEAD'), 'labels']);
  const [row] = oldest.rows;
  const means = Object.entries(row!.figures).map(([metric, { value }]) => [metric, value]);
  assert.deepEqual(Object.fromEntries(means), datasets[0]!.pipelines[0]!.metrics);
  for (const { value, low, high } of Object.values(row!.figures)) assert.ok(low <= value && value <= high);
  assert.equal(row!.corpus, datasets[0]!.corpus.fingerprint);
  assert.ok(row!.judged > 0 && row!.judged <= row!.pairs);

  const changes = async (then: number, now: number): Promise<readonly string[]> => {
    const params = { then: history.at(then)!.id, now: history.at(now)!.id };
    const compared = await own.workspace.engine.compareEvaluations(params);
    const { comparisons } = engineMethods.compareEvaluations.result.parse(compared);
    return comparisons[0]!.differences[0]!.attribution.changes;
  };
  assert.deepEqual(await changes(3, 3), []);
  assert.deepEqual(await changes(3, 2), ['judgements']);
  assert.deepEqual(await changes(2, 1), ['pipeline']);
  assert.deepEqual(await changes(1, 0), ['corpus']);
  assert.deepEqual(await changes(3, 0), ['corpus', 'pipeline', 'judgements']);
  // The list, too, says the changes since the run before.
  assert.deepEqual(
    history.map(({ rows }) => rows[0]!.since?.changes),
    [['corpus'], ['pipeline'], ['judgements'], undefined],
  );
  assert.equal(history[1]!.rows[0]!.since!.id, history[2]!.id);
  assert.ok(history[1]!.rows[0]!.since!.differences['Precision@5']!.difference < 0);
});

test('accepting a baseline with unjudged pairs warns that it is easily reached', async (t) => {
  const own = await sample(t);
  const worse = { pipelines: { bm25: WORSE } };
  const { holes } = await own.accept(worse);
  assert.match(holes.join(), /^In "questions" \d+ of \d+ pairs are judged, .* easy to reach\. Judge them/u);
  const [run] = await own.history();
  const kept = await own.workspace.engine.acceptEvaluation({ config: own.config(worse), id: run!.id });
  assert.deepEqual(kept.holes, holes, 'so does accepting it from the history');
});

test('a past run becomes the baseline if it has all that is evaluated now', async (t) => {
  const own = await sample(t);
  await own.evaluate();
  await own.evaluate({ pipelines: { bm25: WORSE } });
  const [worse, good] = await own.history();
  const accept = (id: string, change: object = {}): Promise<Result<'acceptEvaluation'>> =>
    own.workspace.engine.acceptEvaluation({ config: own.config(change), id });
  assert.deepEqual(await accept(good!.id), { file: MAIN, isNew: true, holes: [] });
  const baseline = parseBaseline(readFileSync(own.file(MAIN), 'utf8'), MAIN);
  assert.equal(baseline.at, good!.at);
  assert.deepEqual(
    baseline.datasets[0]!.pipelines[0]!.metrics['MRecall@5'],
    good!.rows[0]!.figures['MRecall@5']!.value,
  );
  assert.deepEqual(
    (await own.history()).map(({ accepted }) => accepted),
    [false, true],
  );
  const lost = (await own.evaluate({ pipelines: { bm25: WORSE } })).datasets[0]!.pipelines[0]!.queries;
  assert.ok(lost.some((query) => query.lost.some(({ newly }) => newly)));

  const dense = { gate: { pipelines: ['bm25', 'dense'], k: 5 } };
  await refuses(accept(worse!.id, dense), /does not have questions, dense/u, 'bad-argument');
  const deeper = { gate: { pipelines: ['bm25'], k: 10 } };
  await refuses(accept(worse!.id, deeper), /used the top 5, and k is now 10/u, 'bad-argument');
  await refuses(accept('none'), /no longer in the history/u, 'not-found');
  assert.equal(readFileSync(own.file(MAIN), 'utf8').includes(worse!.at), false);
});

test('a run accepted at once is marked as the baseline', async (t) => {
  const own = await sample(t);
  await own.accept();
  await own.evaluate();
  assert.deepEqual(
    (await own.history()).map(({ accepted }) => accepted),
    [false, true],
  );
});

test('only the current baseline is marked, and not one of another file', async (t) => {
  const own = await sample(t);
  await own.accept();
  await own.evaluate({ pipelines: { bm25: WORSE } });
  const marks = async (): Promise<boolean[]> => (await own.history()).map(({ accepted }) => accepted);
  const [worse] = await own.history();
  const config = own.config();
  const first = readFileSync(own.file(MAIN), 'utf8');
  await own.workspace.engine.acceptEvaluation({ config, id: worse!.id });
  assert.deepEqual(await marks(), [true, false]);
  // As a checkout of an earlier commit would have it.
  writeFileSync(own.file(MAIN), first);
  assert.deepEqual(await marks(), [false, true]);
  rmSync(own.file(MAIN));
  assert.deepEqual(await marks(), [false, false]);
});

/** Somebody says the contrary of what the newest evaluation rests on, of the first passage of the first query. */
async function contradict({ workspace, queries, history }: Contradicted): Promise<void> {
  const { engine } = workspace;
  const [query] = queries;
  const [perspective] = query!.perspectives;
  const database = openDatabase(workspace.database);
  const { datasets } = new KeptEvaluations(database, assert.fail).get(history[0]!.id);
  database.close();
  const evaluated = datasets[0]!.pipelines[0]!.queries.find(({ id }) => id === query!.id)!;
  const verdict = evaluated.verdicts[perspective!.id]!.startsWith('1') ? 'no' : 'yes';
  const { slot } = await engine.passage({ corpus: 'handbook', passageId: evaluated.ranked[0]! }, context);
  await engine.label({
    corpus: 'handbook',
    slot,
    query: query!,
    perspective: perspective!,
    verdict,
    by: 'Kim',
  });
}

interface Contradicted extends Pick<Sample, 'workspace' | 'queries'> {
  readonly history: Awaited<ReturnType<Sample['history']>>;
}

test('a damaged entry is omitted, and the others stay', async (t) => {
  const own = await sample(t);
  await own.evaluate();
  await own.evaluate();
  const [newest, oldest] = await own.history();
  const database = openDatabase(own.workspace.database);
  database.prepare("UPDATE evaluations_1 SET content = x'00' WHERE id = ?").run(newest!.id);
  for (const summary of [`replace(summary, '"at":"2', '"at":"1')`, "'{'"]) {
    database.prepare(`UPDATE evaluations_1 SET summary = ${summary} WHERE id = ?`).run(newest!.id);
    assert.deepEqual(
      (await own.history()).map(({ id }) => id),
      [oldest!.id],
    );
  }
  database.close();
  await refuses(
    own.workspace.engine.compareEvaluations({ then: oldest!.id, now: newest!.id }),
    /can no longer be read/u,
    'not-found',
  );
  await refuses(
    own.workspace.engine.compareEvaluations({ then: 'none', now: oldest!.id }),
    /no longer in the history/u,
    'not-found',
  );
});

test('entries of another version are counted, not listed', async (t) => {
  const own = await sample(t);
  await own.evaluate();
  await own.evaluate();
  const [newest] = await own.history();
  const database = openDatabase(own.workspace.database);
  database.prepare('UPDATE evaluations_1 SET form = 1 WHERE id <> ?').run(newest!.id);
  database.close();
  const { evaluations, unlisted } = await own.workspace.engine.evaluationHistory({ config: own.config() });
  assert.deepEqual([evaluations.map(({ id }) => id), unlisted], [[newest!.id], 1]);
});

test('a failing endpoint or a cancelled run is an error and not in the history', async (t) => {
  const own = await sample(t);
  const server = createServer((_, response) => response.writeHead(400).end('no')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const judges = configSchema.shape.judges.parse({
    gpt: { type: 'openai', mode: 'pair', baseUrl, model: 'm', maxRetries: 0 },
  });
  await own.workspace.configure({ judges, keys: { openai: 'k' }, labelsFile: own.file('none.jsonl') });
  const change = { judges, judge: 'gpt' };
  await assert.rejects(
    own.evaluate(change, { ask: true }),
    /The judge "gpt" left \d+ pairs of the question/u,
  );
  // No request was sent to the judge that was not chosen.
  assert.equal((await own.evaluate(change)).datasets[0]!.judgements.judged, 0);
  await assert.rejects(own.evaluate(change, { ask: true, budget: { requests: 0 } }), /The budget ran out/u);

  const controller = new AbortController();
  controller.abort();
  await refuses(
    own.workspace.engine.evaluate(
      { config: own.config(), ask: false, baseline: 'none' },
      { ...context, signal: controller.signal },
    ),
    /Cancelled/u,
    'cancelled',
  );
  assert.equal((await own.history()).length, 1);
});

test('a run cancelled while a model is asked ends as cancelled, not as failed', async (t) => {
  const own = await sample(t);
  const controller = new AbortController();
  // Never answers.
  const server = createServer(() => controller.abort()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const judges = configSchema.shape.judges.parse({
    gpt: { type: 'openai', mode: 'pair', baseUrl, model: 'm' },
  });
  await own.workspace.configure({ judges, keys: { openai: 'k' }, labelsFile: own.file('none.jsonl') });
  const params = { config: own.config({ judges, judge: 'gpt' }), ask: true, baseline: 'none' as const };
  await refuses(
    own.workspace.engine.evaluate(params, { ...context, signal: controller.signal }),
    /Cancelled/u,
    'cancelled',
  );
});

test('passages that no query reaches are listed', async (t) => {
  const own = await sample(t);
  const ask = (queries: EvalQueries, k: number): Promise<Result<'unreached'>> =>
    own.workspace.engine.unreached(
      {
        corpus: 'handbook',
        queries,
        k,
        pipelines: [{ name: 'bm25', pipeline: parsePipeline({ retriever: { type: 'bm25' } }) }],
      },
      context,
    );
  const [first] = own.queries;
  const narrow = await ask([first!], 1);
  assert.equal(narrow.reachedPassages, 1);
  assert.equal(narrow.reachedDocuments, 1);
  assert.ok(narrow.unreached.some(({ path: part }) => part === 'docs/monorepo/'));
  const wide = await ask(own.queries, 100);
  assert.ok(wide.reachedPassages > narrow.reachedPassages);
  assert.equal(wide.documents, narrow.documents);
});

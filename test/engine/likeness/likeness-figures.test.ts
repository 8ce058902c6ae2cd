/** The likeness of passages is the same in the side panel, in comparisons, in experiments and to the gate. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { mean } from '../../../src/core/statistics/mean.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { evaluationSchema } from '../../../src/evaluation/evaluation.ts';
import { engineMethods } from '../../../src/shared/rpc.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { context, sampleWorkspace, type EvalQueries, type Workspace } from '../compare/compare-support.ts';

const K = 3;
const BM25: PipelineInput = { retriever: { type: 'bm25' }, k: K };
const DENSE: PipelineInput = { retriever: { type: 'dense' }, k: K };
const TINY: PipelineInput = { retriever: { type: 'dense', embedder: 'tiny' }, k: K };
const NAMES = ['Documents', 'Folders', 'Unrepeated', 'nVendi', 'ILD', 'Themes'];

/** From what the side panel asks for, one question after the other. */
async function ofPanel(workspace: Workspace, queries: EvalQueries, input: PipelineInput): Promise<number[]> {
  const pipeline = parsePipeline(input);
  const corpus = workspace.config.corpora[0]!.name;
  const figures: number[][] = [];
  for (const query of queries) {
    const { candidates } = await workspace.engine.search(
      { corpus, query, perspectives: query.perspectives, pipeline },
      context,
    );
    const slots = candidates.map(({ slot }) => slot);
    const top = slots.slice(0, K);
    const asked = { corpus, question: query.text, pipeline, candidates: slots, top };
    const { passages, spreads, repeats, vendi, similarity, themes } = await workspace.engine.likeness(
      asked,
      context,
    );
    const { larger } = themes;
    figures.push([
      spreads.documents.top / passages,
      spreads.folders.top / passages,
      1 - repeats.length / passages,
      vendi / passages,
      1 - similarity!,
      larger.length === 0 ? 0 : larger.filter((theme) => theme.top > 0).length / larger.length,
    ]);
  }
  return NAMES.map((_, place) => mean(figures.map((own) => own[place]!)));
}

const near = (actual: number, expected: number, what: string): void =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual} is not ${expected}`);

async function sample(t: Parameters<typeof sampleWorkspace>[0]) {
  const found = await sampleWorkspace(t);
  const tiny = { type: 'hashing', dimensions: 32 } as const;
  await found.workspace.configure({ embedders: { tiny } });
  return { ...found, corpus: found.workspace.config.corpora[0]!.name };
}

test('comparison, experiment and panel show the same likeness for every pipeline', async (t) => {
  const { workspace, queries, corpus } = await sample(t);
  const inputs = { bm25: BM25, dense: DENSE, tiny: TINY };
  const { datasets, measures } = await workspace.compare(inputs, [{ corpus, queries }], { k: K });
  const measured = NAMES.map((name) => `${name}@${K}`);
  assert.deepEqual(measures.slice(-6), measured);
  const pipelines = Object.entries(inputs).map(([name, input]) => ({ name, pipeline: parsePipeline(input) }));
  const report = await workspace.engine.experiment(
    engineMethods.experiment.params.parse({
      dataset: { name: 'set', evalSet: 'set.jsonl', corpus, queries },
      pipelines,
      k: K,
      measures: measured,
      judge: 'labels',
      views: [],
      pool: false,
    }),
    context,
  );
  for (const [place, input] of Object.values(inputs).entries()) {
    const expected = await ofPanel(workspace, queries, input);
    for (const [at, name] of measured.entries()) {
      near(datasets[0]!.pipelines[place]!.measures[name]!.value, expected[at]!, `${name} of a comparison`);
      near(report.pipelines[place]!.metrics[name]!, expected[at]!, `${name} of an experiment`);
    }
  }
  assert.deepEqual(
    report.pipelines.map(({ vectors }) => vectors),
    ['meaning', 'meaning', 'tiny'],
  );
});

test('differences have intervals and tests only with the vectors of one embedder', async (t) => {
  const { workspace, queries, corpus } = await sample(t);
  const { datasets } = await workspace.compare(
    { bm25: BM25, dense: DENSE, tiny: TINY },
    [{ corpus, queries }],
    {
      k: K,
    },
  );
  const [, dense, tiny] = datasets[0]!.pipelines;
  const withDifference = (measures: typeof dense): string[] =>
    NAMES.filter((name) => measures!.measures[`${name}@${K}`]!.difference);
  assert.deepEqual(withDifference(dense), NAMES);
  assert.deepEqual(withDifference(tiny), ['Documents', 'Folders', 'Unrepeated']);
  const { value, low, high, p, wins, losses, ties } = dense!.measures[`Documents@${K}`]!.difference!;
  assert.ok(low <= value && value <= high && p !== undefined);
  assert.equal(wins + losses + ties, queries.length);
});

test('values of fields are in comparisons and experiments, and the gate can require them', async (t) => {
  const authors = ['Kim', 'Kim', 'Lee', 'Max'];
  const records = authors.map((author, n) =>
    JSON.stringify({ id: `r${n}`, text: `pupils sleep ${n}`, author }),
  );
  const query = { id: 'q', text: 'pupils', perspectives: [{ id: 'p', text: 'they sleep' }] };
  const own = await testWorkspace(t, {
    files: {
      'docs/r.jsonl': records.join('\n'),
      'other/a.md': 'pupils sleep',
      'set.jsonl': JSON.stringify(query),
    },
    corpora: { docs: { roots: ['docs'] }, other: { roots: ['other'] } },
  });
  const name = 'Values(author)@4';
  const set = (corpus: string) => ({ name: corpus, corpus, evalSet: 'set.jsonl', queries: [query] });
  const pipelines = [{ name: 'bm25', pipeline: parsePipeline({ ...BM25, k: 4 }) }];
  const compare = async (...corpora: string[]) =>
    evaluationSchema.parse(
      await own.request('compare', { datasets: corpora.map(set), judge: 'labels', pipelines, k: 4 }),
    );
  const { measures, datasets } = await compare('docs');
  assert.equal(measures.at(-1), name);
  assert.equal(datasets[0]!.pipelines[0]!.measures[name]!.value, 0.75);
  const both = await compare('docs', 'other');
  assert.ok(!both.measures.includes(name), 'not every corpus has it');
  assert.ok(both.macro);

  const asked = { dataset: set('docs'), pipelines, k: 4, judge: 'labels', views: [], pool: false };
  const experiment = async (asks: string) =>
    own.request('experiment', engineMethods.experiment.params.parse({ ...asked, measures: [asks] }));
  assert.equal((await experiment('Documents@4')).pipelines[0]!.metrics[name], 0.75, 'beside documents');
  assert.deepEqual((await experiment('MRecall@4')).pipelines[0]!.metrics, { 'MRecall@4': 0 });

  const thresholds = [
    { metric: name, min: 0.75 },
    { metric: 'Values(date)@4', min: 0.1 },
  ];
  const { checks } = await own.request(
    'evaluate',
    engineMethods.evaluate.params.parse({
      config: configSchema.parse({
        corpora: { docs: { roots: ['docs'] } },
        evalSets: ['set.jsonl'],
        pipelines: { bm25: { ...BM25, k: 4 } },
        gate: { pipelines: ['bm25'], k: 4, thresholds },
      }),
      ask: false,
      baseline: 'present',
    }),
  );
  assert.deepEqual(
    checks.map(({ metric, outcome, value }) => [metric, outcome, value]),
    [
      [name, 'passed', 0.75],
      ['Values(date)@4', 'missed', 0],
    ],
  );
});

test('the gate can require likeness without a single judgement', async (t) => {
  const { workspace, queries } = await sample(t);
  const json = JSON.parse(readFileSync(path.join(workspace.folder, 'parallax.json'), 'utf8')) as object;
  const evaluate = async (thresholds: readonly object[]): Promise<GateReport> =>
    workspace.engine.evaluate(
      engineMethods.evaluate.params.parse({
        config: configSchema.parse({
          ...json,
          pipelines: { bm25: BM25 },
          gate: { pipelines: ['bm25'], k: K, thresholds },
        }),
        ask: false,
        baseline: 'present',
      }),
      context,
    );
  const [documents, , , , , themes] = await ofPanel(workspace, queries, BM25);
  const { checks } = await evaluate([
    { metric: `Documents@${K}`, min: documents! },
    { metric: `Themes@${K}`, min: themes! + 0.01 },
  ]);
  assert.deepEqual(
    checks.map(({ metric, outcome }) => [metric, outcome]),
    [
      [`Documents@${K}`, 'passed'],
      [`Themes@${K}`, 'missed'],
    ],
  );
  near(checks[1]!.value!, themes!, 'Themes to the gate');
});

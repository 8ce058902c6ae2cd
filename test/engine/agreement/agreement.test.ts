/**
 * Compares all surfaces that evaluate on the same generated workspaces: figures, where perspectives are lost, the
 * unjudged share, and failed queries must agree with the side panel's search and the written labels.
 */
import { rankOf, type PerspectiveState } from '../../../src/core/coverage-states.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitQueries } from '../../../src/features/papers/core/query-split.ts';
import type { Basis } from '../../../src/core/metrics/judgements.ts';
import { mean } from '../../../src/core/statistics/mean.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { Answer } from '../../../src/features/inspector/host/answer.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { plainModel } from '../answers/support.ts';
import { serverFor } from '../judges/support.ts';
import { context } from '../compare/compare-support.ts';
import { expectedOf, type Expected } from './expected.ts';
import { buildHouse, PIPELINES, UNLABELLED, type House } from './house.ts';
import {
  agents,
  analyzed,
  answered,
  answeredByCommand,
  compared,
  comparedWithFirst,
  evalJson,
  evalTold,
  evaluated,
  evaluatedAgainstFirst,
  gated,
  lens,
  openEngine,
  pooled,
  pooledByCommand,
  tuned,
  type Open,
  type Source,
  type Told,
  type ToldAgainstFirst,
} from './surfaces.ts';

/** A plain corpus, and one with separate pages for each query. */
const SEEDS = [1, 2];

for (const seed of SEEDS)
  test(`generated workspace ${seed}: every surface agrees with the labels`, async (t) => {
    const house = buildHouse(t, seed);
    const engine = await openEngine(t, house);
    inFolder(t, house);
    const expected = {
      labels: await expectations(house, engine, 'labels'),
      qrels: await expectations(house, engine, 'qrels'),
    };
    const check = checker(expected, house);

    check('labels', await compared(house, engine));
    check('labels', await evaluated(house, engine));
    check('labels', await gated(house));
    check('labels', await lens(house, engine));
    check('labels', await agents(t, house), 5e-5);
    check('labels', (await pooled(house, engine)).before);
    for (const source of ['labels', 'qrels'] as const) {
      check(source, await evalTold(house, source));
      check(source, await analyzed(house, source));
      check(source, (await pooledByCommand(house, source)).before);
      await checkTuning(house, engine, source);
    }
    checkDifferences(await comparedWithFirst(house, engine), await evaluatedAgainstFirst(house));
  });

/** The command line has more measures than a comparison, and lacks some of its measures. */
function checkDifferences(compared: ToldAgainstFirst, evaluated: ToldAgainstFirst): void {
  for (const part of ['differences', 'most'] as const) {
    const shared = Object.keys(compared[part]).filter((key) => /MRecall|Precision/u.test(key));
    assert.ok(shared.length > 0, part);
    for (const key of shared)
      assert.deepEqual(evaluated[part][key], compared[part][key], `${part} of ${key}`);
    for (const key of Object.keys(evaluated[part]).filter((each) => /MRecall|Precision/u.test(each)))
      assert.ok(key in compared[part], `${part} of ${key} is not known in the comparison`);
  }
}

test('answers are based on the same retrieval figures', async (t) => {
  const house = buildHouse(t, 4);
  const { url } = await serverFor(t, { chat: plainModel });
  const judge = { type: 'openai', mode: 'pair', baseUrl: url, model: 'scripted', maxRetries: 0 };
  const engine = await openEngine(t, house, { judges: { model: judge } });
  inFolder(t, house);
  const expected = {
    labels: await expectations(house, engine, 'labels'),
    // A judge may find more supporting passages than the qrels name, so there is no ideal ranking.
    qrels: await expectations(house, engine, 'qrels', 'open'),
  };
  const check = checker(expected, house);
  check('labels', await answered(house, engine, 'model'));
  for (const source of ['labels', 'qrels'] as const)
    check(source, await answeredByCommand(house, source, judge));
});

test('guesses count on no surface: with a heuristic, the figures are those of the labels alone', async (t) => {
  const house = buildHouse(t, 3);
  const engine = await openEngine(t, house);
  agree(await compared(house, engine, 'labels'), [
    ...(await compared(house, engine, 'lexical')),
    ...(await evaluated(house, engine, 'lexical')),
    ...(await pooled(house, engine)).before,
    ...(await pooled(house, engine)).after,
  ]);
});

test('commands that include guesses agree on their figures', async (t) => {
  const house = buildHouse(t, 3);
  inFolder(t, house);
  agree(await evalTold(house, 'labels', '--judge', 'lexical', '--scope', 'everything'), [
    ...(await analyzed(house, 'labels', '--judge', 'lexical')),
    ...(await pooledByCommand(house, 'labels')).after,
  ]);
});

test('side panel, comparison and evaluation agree on what looking deeper found', async (t) => {
  const house = buildHouse(t, 0);
  let supported = '';
  const { url } = await serverFor(t, {
    chat: ({ messages }) => verdictReply(readPairPrompt(messages).passage === supported ? 'yes' : 'no'),
  });
  const judge = { type: 'openai', baseUrl: url, model: 'scripted', maxRetries: 0, mode: 'pair' };
  const engine = await openEngine(t, house, { judges: { model: judge } });
  const [dataset] = house.datasets;
  const query = dataset!.queries.find(({ id }) => id.endsWith(UNLABELLED))!;
  const [perspective] = query.perspectives;
  const look = (passages: number) =>
    engine.lookDeeper(
      { corpus: dataset!.name, query, perspective: perspective!, retrievers: [], judge: 'model', passages },
      context,
    );
  const told: string[][] = [];
  const check = async (): Promise<void> => {
    const panel = await statesInPanel(engine, dataset!.name, query, house.k);
    assert.deepEqual(await statesInComparison(engine, dataset!, query, house.k), panel);
    told.push([...new Set(panel)]);
  };
  await check();
  await look(0);
  await check();
  await look(2);
  await check();
  const { known, open } = await look(0);
  const { passageId } = known.probes[0]!.passages.find(({ slot }) => slot === open.at(-1))!;
  supported = (await engine.passage({ corpus: dataset!.name, passageId }, context)).text;
  await look(100);
  await check();
  assert.deepEqual(told.slice(0, 3), [['unjudged'], ['unjudged'], ['not-found 2']]);
  assert.ok(told[3]!.length > 1 && !told[3]!.some((state) => /^(unjudged|not-found)/u.test(state)));
});

/** The states of one perspective in the side panel, for each pipeline. */
async function statesInPanel(
  engine: Engine,
  corpus: string,
  query: House['datasets'][number]['queries'][number],
  k: number,
): Promise<string[]> {
  const states: string[] = [];
  for (const input of Object.values(PIPELINES)) {
    const reranked = (input.rerank ?? []).filter((step) => !('datasetMaximum' in step));
    const pipeline = { ...parsePipeline({ ...input, rerank: reranked }), k };
    const { perspectives } = query;
    const asked = { corpus, query: { id: query.id, text: query.text }, perspectives, pipeline };
    const search = { ...asked, judge: 'model' };
    states.push(stateText(new Answer(await engine.search(search, context), search).view().coverage[0]!));
  }
  return states;
}

async function statesInComparison(
  engine: Engine,
  { name }: House['datasets'][number],
  query: House['datasets'][number]['queries'][number],
  k: number,
): Promise<string[]> {
  const pipelines = Object.entries(PIPELINES).map(([own, input]) => ({
    name: own,
    pipeline: parsePipeline({
      ...input,
      rerank: (input.rerank ?? []).filter((step) => !('datasetMaximum' in step)),
    }),
  }));
  const asked = {
    dataset: { name, corpus: name, evalSet: name, queries: [query] },
    pipelines,
    k,
    measures: [],
    views: ['lost' as const],
    pool: false,
    judge: 'model',
  };
  const report = await engine.experiment(asked, context);
  const { datasets } = await engine.compare(
    { judge: 'model', datasets: [asked.dataset], pipelines, k },
    context,
  );
  const compared = datasets[0]!.queries[0]!.perspectives[0]!.states;
  return report.pipelines.map(({ analyses }, place) => {
    const [state] = analyses.lost!.perQuery[0]!.perspectives;
    assert.equal(compared[place]!.where, state!.where);
    return stateText(state!);
  });
}

function stateText(state: PerspectiveState): string {
  const judged = 'judged' in state ? state.judged : undefined;
  return [state.where, judged ?? rankOf(state)].filter((part) => part !== undefined).join(' ');
}

function agree(reference: readonly Told[], others: readonly Told[]): void {
  assert.ok(others.length > 0);
  for (const told of others) {
    const same = reference.find(
      ({ dataset, pipeline }) => dataset === told.dataset && pipeline === told.pipeline,
    )!;
    assertAgrees(told, same, 1e-9);
  }
}

/** Labels are read from the folder that a command runs in. */
function inFolder(t: { after(work: () => void): void }, { folder }: House): void {
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
}

/** Passages without labels are unknown. Qrels name every passage that supports a perspective. */
const BASES = { labels: 'open', qrels: 'given' } as const satisfies Readonly<Record<Source, Basis>>;

type Expectations = ReadonlyMap<string, Expected>;

/** By data set and pipeline. */
async function expectations(
  house: House,
  engine: Engine,
  source: Source,
  basis: Basis = BASES[source],
): Promise<Expectations> {
  const pipelines = await resolvedPipelines(house, source);
  const found = new Map<string, Expected>();
  for (const dataset of house.datasets)
    for (const name of Object.keys(PIPELINES)) {
      const pipeline = pipelines.get(`${dataset.name} ${name}`)!;
      const queries = countedQueries(dataset, source);
      found.set(
        `${dataset.name} ${name}`,
        await expectedOf(dataset, engine, pipeline, queries, { k: house.k, basis }),
      );
    }
  return found;
}

/** The pipelines in the JSON of `parallax eval`, which replaces "auto" by its number and keeps all other settings. */
async function resolvedPipelines(
  house: House,
  source: Source,
): Promise<ReadonlyMap<string, ReturnType<typeof parsePipeline>>> {
  const { pipelines } = await evalJson(house, source);
  return new Map(
    pipelines.map(({ dataset, name, pipeline }) => [`${dataset} ${name}`, parsePipeline(pipeline)]),
  );
}

/** Queries that count: with qrels, those without judgements are left out, and queries without pages always. */
function countedQueries({ queries }: House['datasets'][number], source: Source) {
  return queries.filter(
    ({ id, perspectives }) =>
      perspectives.length > 0 &&
      !id.endsWith('-pageless') &&
      !(source === 'qrels' && id.endsWith(UNLABELLED)),
  );
}

function checker(expected: Readonly<Record<Source, Expectations>>, house: House) {
  return (source: Source, all: readonly Told[], tolerance = 1e-9): void => {
    assert.equal(all.length, house.datasets.length * Object.keys(PIPELINES).length, all[0]?.surface);
    for (const told of all) {
      const wanted = expected[source].get(`${told.dataset} ${told.pipeline}`)!;
      assertAgrees(told, wanted, tolerance);
    }
  };
}

function assertAgrees(
  { surface, dataset, pipeline, figures, losses, open, failed }: Told,
  wanted: Pick<Told, 'figures' | 'losses' | 'open' | 'failed'>,
  tolerance: number,
): void {
  const where = `${surface}, ${dataset}, ${pipeline}`;
  assert.deepEqual(failed, wanted.failed, `${where}: queries that could not be asked`);
  if (losses && wanted.losses) assert.deepEqual(losses, wanted.losses, `${where}: losses`);
  for (const [what, own] of Object.entries(open ?? {}))
    if (wanted.open && what in wanted.open)
      assert.deepEqual(own, wanted.open[what as keyof Open], `${where}: open ${what}`);
  const names = Object.keys(figures).filter((name) => name in wanted.figures);
  assert.ok(names.length > 0, `${where}: no figures`);
  for (const name of names) {
    const [found, right] = [figures[name]!, wanted.figures[name]!];
    assert.ok(Math.abs(found - right) <= tolerance, `${where}: ${name} is ${found}, not ${right}`);
  }
}

/** The figures of `tune` on its test split equal those of the same queries on other surfaces. */
async function checkTuning(house: House, engine: Engine, source: Source): Promise<void> {
  const [dataset] = house.datasets;
  const queries = countedQueries(dataset!, source);
  const { development, test: rest } = splitQueries(queries, 0.5);
  const metric = `MRecall@${house.k}`;
  const found = await tuned(house, dataset!, source, 'mmr');
  const without = { ...PIPELINES['mmr']!, rerank: [] };
  const scoreOn = async (
    pipeline: typeof found.pipeline,
    part: readonly (typeof queries)[number][],
  ): Promise<number> => {
    const { perQuery } = await expectedOf(dataset!, engine, parsePipeline(pipeline), part, {
      k: house.k,
      basis: BASES[source],
    });
    return mean([...perQuery.values()].map((figures) => figures[metric]!));
  };
  assert.equal(found.test.queries, rest.length);
  assert.equal(found.test.plain, await scoreOn(parsePipeline(without), rest));
  assert.equal(found.test.tuned, await scoreOn(found.pipeline, rest));
  assert.equal(found.development.scores[0]!.score, await scoreOn(found.pipeline, development));
}

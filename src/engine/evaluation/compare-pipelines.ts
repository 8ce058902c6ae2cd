/**
 * Several pipelines on the queries of one eval set: measures with intervals against the first pipeline,
 * and where perspectives are lost. All figures rest on the same judgements.
 */
import { firstRanks } from '../../core/analysis/first-ranks.ts';
import { groupShares, sideShares, twoSided } from '../../core/analysis/leaning.ts';
import { coverageLoss } from '../../core/analysis/lost.ts';
import type { PerspectiveQuery } from '../../core/analysis/p-recall.ts';
import { setSizes } from '../../core/analysis/set-size.ts';
import { coveredPerspectives } from '../../core/metrics/coverage-measures.ts';
import { measureDifferences } from '../../core/metrics/differences.ts';
import { evaluateRun, type RunEvaluation } from '../../core/metrics/evaluate.ts';
import { measureName, parseMeasure } from '../../core/metrics/measures.ts';
import { messageOf, throwIfCancelled, ParallaxError } from '../../core/errors.ts';
import type { Qrels, Query, Ranked } from '../../core/model.ts';
import { pipelineLabel, type Pipeline } from '../../core/pipeline.ts';
import type { Comparison, PipelineResultView } from '../../shared/compare.ts';
import { perspectiveMark } from '../../shared/inspector.ts';
import type { JudgedPair, Params } from '../../shared/rpc.ts';
import type { CorpusIndex } from '../corpus-index.ts';
import type { Judge } from '../judges/judge.ts';
import type { JudgementDesk } from '../judges/judgement-desk.ts';
import type { PipelineServices } from '../retrieval/run-pipeline.ts';
import type { SearchKind } from '../retrieval/retrieve.ts';
import type { Slot, WorkOptions } from '../types.ts';

export interface CompareParts {
  readonly index: CorpusIndex;
  readonly desk: JudgementDesk;
  /** Absent for human labels only. Heuristics are asked here; models only count with what they answered before. */
  readonly judge: Judge | undefined;
  readonly services: PipelineServices;
}

/** Deep enough for the average set size (BERDS, Table 17). */
const DEPTH = 100;

const MEASURES = ['MRecall', 'Precision', 'StRecall', 'alpha_nDCG', 'nDCG', 'Judged'];

interface PipelineRun {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly slots: ReadonlyMap<string, readonly Slot[]>;
  readonly run: ReadonlyMap<string, readonly Ranked[]>;
  readonly milliseconds: number;
  readonly search: SearchKind;
  readonly error?: string;
}

/**
 * @throws ParallaxError `bad-argument` when no query has perspectives, `cancelled`
 */
export async function comparePipelines(
  { corpus, evalSet, judge: judgeName, queries: asked, pipelines, k }: Params<'compare'>,
  parts: CompareParts,
  { signal, onProgress }: WorkOptions,
): Promise<Comparison> {
  const queries = asked.filter(({ perspectives }) => perspectives.length > 0);
  if (queries.length === 0)
    throw new ParallaxError(
      'bad-argument',
      'No query of this eval set has perspectives; there is nothing to cover.',
    );
  const total = queries.length * pipelines.length;
  const runs: PipelineRun[] = [];
  for (const { name, pipeline } of pipelines) {
    const before = runs.length * queries.length;
    const onQuery = (done: number): void => onProgress?.({ done: before + done, total, detail: name });
    runs.push(await runOnAll(name, pipeline, queries, parts, { signal }, onQuery));
  }
  const judgements = new Judgements(parts, k);
  for (const query of queries) {
    throwIfCancelled(signal);
    await judgements.collect(query, runs, signal);
  }
  return describe({ corpus, evalSet, judgeName, queries, runs, judgements, k });
}

async function runOnAll(
  name: string,
  pipeline: Pipeline,
  queries: readonly Query[],
  { index, services }: CompareParts,
  work: WorkOptions,
  onQuery: (done: number) => void,
): Promise<PipelineRun> {
  const slots = new Map<string, readonly Slot[]>();
  const run = new Map<string, readonly Ranked[]>();
  let search: SearchKind = 'exact';
  const begun = performance.now();
  try {
    for (const [position, query] of queries.entries()) {
      const result = await index.search(pipeline, query, DEPTH, services, work);
      slots.set(
        query.id,
        result.hits.map(({ item }) => item),
      );
      run.set(
        query.id,
        result.hits.map(({ item, score }) => ({ item: index.passageId(item), score })),
      );
      if (result.search === 'approximate') search = 'approximate';
      onQuery(position + 1);
    }
  } catch (error) {
    throwIfCancelled(work.signal);
    // One pipeline that cannot run must not take the comparison of the others away.
    return {
      name,
      pipeline,
      slots: new Map(),
      run: new Map(),
      milliseconds: 0,
      search,
      error: messageOf(error),
    };
  }
  return { name, pipeline, slots, run, search, milliseconds: (performance.now() - begun) / queries.length };
}

/** The judgements of all queries on everything that any pipeline retrieved. */
class Judgements {
  readonly qrels = new Map<string, Map<string, Map<string, number>>>();
  readonly #sources = new Map<string, Comparison['sources'][number]>();
  readonly #parts: CompareParts;
  readonly #k: number;

  constructor(parts: CompareParts, k: number) {
    this.#parts = parts;
    this.#k = k;
  }

  /** How many pairs within the top k rest on whose word. */
  get sources(): Comparison['sources'] {
    return [...this.#sources.values()].sort((a, b) => b.count - a.count);
  }

  async collect(query: Query, runs: readonly PipelineRun[], signal: AbortSignal | undefined): Promise<void> {
    const { index, desk, judge } = this.#parts;
    const { perspectives } = query;
    const slots = new Set(runs.flatMap(({ slots: own }) => own.get(query.id) ?? []));
    const top = new Set(runs.flatMap(({ slots: own }) => own.get(query.id)?.slice(0, this.#k) ?? []));
    const matter = { query, perspectives, passages: index.passages([...slots]) };
    const topic = new Map(perspectives.map(({ id }) => [id, new Map<string, number>()]));
    this.qrels.set(query.id, topic);
    const learn = ({ slot, perspectiveId, judgement }: JudgedPair): void => {
      topic.get(perspectiveId)?.set(index.passageId(slot), judgement.verdict === 'yes' ? 1 : 0);
      if (top.has(slot)) this.#count(judgement);
    };
    for (const pair of await desk.known(matter, judge)) learn(pair);
    // What costs nothing is asked at once; a model is asked only when the user says so.
    if (judge?.heuristic) await desk.judge(matter, judge, learn, { signal });
    const supporters = await desk.supporters(query, perspectives, (documentId) =>
      index.passagesOf(documentId),
    );
    for (const { perspectiveId, passageId } of supporters) topic.get(perspectiveId)?.set(passageId, 1);
  }

  #count({ source, judge }: JudgedPair['judgement']): void {
    const key = source === 'human' ? source : `${source} ${judge}`;
    const entry = this.#sources.get(key) ?? { source, judge, count: 0, heuristic: source === 'lexical' };
    this.#sources.set(key, { ...entry, count: entry.count + 1 });
  }
}

interface Compared {
  readonly corpus: string;
  readonly evalSet: string;
  readonly judgeName: string;
  readonly queries: Params<'compare'>['queries'];
  readonly runs: readonly PipelineRun[];
  readonly judgements: Judgements;
  readonly k: number;
}

function describe(compared: Compared): Comparison {
  const { corpus, evalSet, judgeName, queries, runs, judgements, k } = compared;
  const { qrels, sources } = judgements;
  const names = MEASURES.map((family) => `${family}@${k}`);
  const measures = names.map(parseMeasure);
  const scores = runs.map(({ run }) => evaluateRun(run, qrels, measures));
  const baseline = scores[runs.findIndex(({ error }) => error === undefined)];
  return {
    evalSet,
    corpus,
    judge: judgeName,
    sources,
    k,
    measures: measures.map(measureName).filter((name) => name !== `Judged@${k}`),
    pipelines: runs.map((run, index) => pipelineResult(run, scores[index]!, baseline, compared)),
    union: unionOf(runs, qrels, k),
    queries: queries.map((query) => queryResult(query, runs, scores, qrels, k)),
    at: new Date().toISOString(),
  };
}

function pipelineResult(
  { name, pipeline, run, milliseconds, search, error }: PipelineRun,
  scores: RunEvaluation,
  baseline: RunEvaluation | undefined,
  { queries, judgements: { qrels }, k }: Compared,
): PipelineResultView {
  const { perspectives: lost } = coverageLoss(run, qrels, { k });
  const { average, coveredShare } = setSizes(run, qrels);
  const sided = twoSided(queries);
  return {
    name,
    label: pipelineLabel({ ...pipeline, name: undefined }),
    pipeline,
    measures: error === undefined ? measuresOf(scores, baseline, k) : {},
    judged: scores.mean[`Judged@${k}`] ?? 0,
    losses: {
      covered: lost.covered,
      belowK: lost['below-k'],
      notRetrieved: lost['not-retrieved'] + lost['approximate-miss'],
      unjudged: lost.unjudged,
      notInCorpus: lost['not-in-corpus'],
    },
    setSize: { coveredShare, ...(average === undefined ? {} : { mean: average }) },
    ...(sided.length > 0 ? { leaning: sideShares(sided, run, qrels, k) } : {}),
    groups: [...groupShares(run, groupedPerspectives(queries, qrels), k).shares].map(([group, share]) => ({
      group,
      share,
    })),
    milliseconds,
    search,
    ...(error === undefined ? {} : { error }),
  };
}

function measuresOf(
  scores: RunEvaluation,
  baseline: RunEvaluation | undefined,
  k: number,
): PipelineResultView['measures'] {
  const differences = baseline && baseline !== scores ? measureDifferences(baseline, scores) : {};
  return Object.fromEntries(
    Object.entries(scores.mean)
      .filter(([name]) => name !== `Judged@${k}`)
      .map(([name, value]) => {
        const found = differences[name];
        if (!found) return [name, { value }];
        const { difference, low, high } = found;
        return [name, { value, difference: { value: difference, low, high } }];
      }),
  );
}

/** The perspectives that belong to a group, as queries of the group shares (PIR, Table 10). */
function groupedPerspectives(queries: readonly Query[], qrels: Qrels): PerspectiveQuery[] {
  return queries.flatMap((query) =>
    query.perspectives.flatMap(({ id, group }) => {
      if (group === undefined) return [];
      const judged = [...(qrels.get(query.id)?.get(id) ?? [])];
      const gold = new Set(judged.flatMap(([passage, relevance]) => (relevance > 0 ? [passage] : [])));
      return [{ id, root: query.id, label: group, gold }];
    }),
  );
}

/** What all pipelines' top k cover together (BERDS, Table 6). */
function unionOf(runs: readonly PipelineRun[], qrels: Qrels, k: number): Comparison['union'] {
  let perspectives = 0;
  let covered = 0;
  let whole = 0;
  for (const [query, topic] of qrels) {
    const top = runs.flatMap(
      ({ run }) =>
        run
          .get(query)
          ?.slice(0, k)
          .map(({ item }) => item) ?? [],
    );
    const found = coveredPerspectives(top, topic, top.length).length;
    perspectives += topic.size;
    covered += found;
    if (found === topic.size) whole++;
  }
  return { perspectives: covered / perspectives, queries: whole / qrels.size };
}

function queryResult(
  { id, text, tags, perspectives }: Params<'compare'>['queries'][number],
  runs: readonly PipelineRun[],
  scores: readonly RunEvaluation[],
  qrels: Qrels,
  k: number,
): Comparison['queries'][number] {
  const topic = qrels.get(id) ?? new Map<string, Map<string, number>>();
  const ranks = runs.map(({ run }) => firstRanks(run.get(id) ?? [], topic, DEPTH));
  const measured = (family: string): number[] =>
    scores.map(({ perTopic }) => perTopic.get(id)?.[`${family}@${k}`] ?? 0);
  return {
    id,
    text,
    tags: tags ?? [],
    perspectives: perspectives.map((perspective, index) => ({
      id: perspective.id,
      text: perspective.text,
      ...perspectiveMark(index),
      ranks: ranks.map((own) => own.get(perspective.id) ?? null),
      supportKnown: [...(topic.get(perspective.id)?.values() ?? [])].some((relevance) => relevance > 0),
    })),
    mrecall: measured('MRecall'),
    precision: measured('Precision'),
    judged: measured('Judged'),
  };
}

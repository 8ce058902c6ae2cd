/** Runs the pipelines of a gate on its eval sets, and collects the judgements that the figures rest on. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { ParallaxError } from '../core/errors.ts';
import type { Baseline, JudgementSummary } from '../core/gate/baseline.ts';
import type { EvaluatedDataset, EvaluatedPipeline } from '../core/gate/evaluated.ts';
import { depthOf, type GateSpec } from '../core/gate/spec.ts';
import type { Query, Ranked } from '../core/model.ts';
import type { Pipeline } from '../core/pipeline.ts';
import type { CorpusIndex } from '../engine/corpus-index.ts';
import { needsOf } from '../engine/evaluation/pipeline-needs.ts';
import type { Budget } from '../engine/judges/budget.ts';
import type { Judge } from '../engine/judges/judge.ts';
import { JudgementCache } from '../engine/judges/judgement-cache.ts';
import { JudgementDesk } from '../engine/judges/judgement-desk.ts';
import { Judges } from '../engine/judges/judges.ts';
import { LabelsFile } from '../engine/judges/labels-file.ts';
import { NliModels } from '../engine/judges/nli-models.ts';
import { withDatasetMaximum } from '../engine/retrieval/dataset-maximum.ts';
import type { PipelineServices } from '../engine/retrieval/run-pipeline.ts';
import { searchQuery } from '../engine/retrieval/search-query.ts';
import { openDatabase } from '../engine/store/database.ts';
import type { Slot, StoredPassage } from '../engine/types.ts';
import { LABELS_FILE, type ParallaxConfig } from '../shared/config.ts';
import type { GateDataset, NamedCorpus } from './gate-datasets.ts';
import {
  formatSkipped,
  keysFromEnvironment,
  openCorpus,
  progressLine,
  type NamedPipeline,
} from './local-corpus.ts';
import type { Io } from './terminal.ts';

export interface GateEvaluation {
  readonly spec: GateSpec;
  readonly config: ParallaxConfig;
  /** Folder of parallax.json. */
  readonly base: string;
  readonly pipelines: readonly NamedPipeline[];
  /** Whose judgements count beside human labels. */
  readonly judge: string;
  /** Whether a judge that costs something may be asked. */
  readonly ask: boolean;
  readonly budget: Budget;
  /** Folder of the indexes and of what judges answered; temporary when left out. */
  readonly store: string | undefined;
  /** Its rankings are judged, too. */
  readonly baseline: Baseline | undefined;
}

/**
 * One corpus with all eval sets that are asked of it.
 *
 * @throws ParallaxError what indexing, a search or a judge throws; a judge that leaves a pair unanswered has
 *   failed
 */
export async function evaluateOnCorpus(
  corpus: NamedCorpus,
  datasets: readonly GateDataset[],
  gate: GateEvaluation,
  io: Io,
): Promise<EvaluatedDataset[]> {
  const { config, base, store } = gate;
  const folder = store && path.join(store, encodeURIComponent(corpus.name));
  const local = await openCorpus({ ...corpus, base }, folder, config, io);
  try {
    await local.corpus.update({ onProgress: progressLine(io, `Indexing ${corpus.name}`) });
    for (const line of formatSkipped(local.corpus.skipped)) io.stderr(line);
    const judging = new GateJudging(local.corpus, gate, io);
    try {
      const described = { name: corpus.name, ...corpusIdentity(local.corpus) };
      const evaluated: EvaluatedDataset[] = [];
      for (const dataset of datasets) {
        const runs = await runAll(local.corpus, local.services, dataset, gate, io);
        evaluated.push({ ...(await judging.judged(dataset, runs)), corpus: described });
      }
      return evaluated;
    } finally {
      await judging.close();
    }
  } finally {
    await local.close();
  }
}

/** So many passages are read at a time. */
const PORTION = 1_000;

/** The same for the same passages on every machine, in whatever order they were read. */
function corpusIdentity(index: CorpusIndex): { readonly fingerprint: string; readonly passages: number } {
  const lines: string[] = [];
  // Slots are given out in order and never again, so that those of deleted passages are gaps.
  for (let from = 0; lines.length < index.status.passages; from += PORTION) {
    const slots = Array.from({ length: PORTION }, (_, i) => from + i);
    lines.push(...index.passages(slots).map(({ id, hash }) => `${id}\n${hash}\n`));
  }
  const digest = createHash('sha256');
  for (const line of lines.sort()) digest.update(line);
  return { fingerprint: digest.digest('hex').slice(0, 32), passages: lines.length };
}

interface PipelineSlots extends Omit<EvaluatedPipeline, 'run'> {
  /** Best first, per query id. */
  readonly slots: ReadonlyMap<string, readonly Ranked<Slot>[]>;
}

async function runAll(
  index: CorpusIndex,
  services: PipelineServices,
  { name: dataset, queries }: GateDataset,
  { spec, config, pipelines }: GateEvaluation,
  io: Io,
): Promise<PipelineSlots[]> {
  const all: PipelineSlots[] = [];
  for (const { name, pipeline: given } of pipelines) {
    const onProgress = progressLine(io, `${dataset} ${name}`);
    const pipeline = await withDatasetMaximum(index, given, queries, services, { onProgress });
    const depth = Math.max(depthOf(spec), pipeline.candidates);
    const slots = new Map<string, readonly Ranked<Slot>[]>();
    for (const query of queries) {
      slots.set(query.id, (await searchQuery(index, pipeline, query, depth, services)).hits);
      onProgress({ done: slots.size, total: queries.length });
    }
    all.push({ name, pipeline: given, models: modelsOf(given, config), slots });
  }
  return all;
}

/** What the names of models in a pipeline stand for. */
function modelsOf(pipeline: Pipeline, { embedders, judges }: ParallaxConfig): unknown {
  const needs = needsOf(pipeline);
  const named = (
    names: readonly (string | undefined)[],
    configs: Readonly<Record<string, unknown>>,
  ): object =>
    Object.fromEntries(
      names.flatMap((name) =>
        name !== undefined && Object.hasOwn(configs, name) ? [[name, configs[name]]] : [],
      ),
    );
  return {
    ...named(needs.embedders, embedders),
    ...named([...needs.judges, ...needs.writers], judges),
  };
}

/** Human labels, what the judge answered before, and what it answers now where it may be asked. */
class GateJudging {
  readonly #index: CorpusIndex;
  readonly #gate: GateEvaluation;
  readonly #io: Io;
  readonly #database: ReturnType<typeof openDatabase>;
  readonly #nliModels: NliModels;
  readonly #desk: JudgementDesk;
  readonly #judge: Judge | undefined;
  /** Documents by the ids of their passages, as far as anything is known of them. */
  readonly #paths = new Map<string, string>();

  /** @throws ParallaxError for a judge that cannot be used here */
  constructor(index: CorpusIndex, gate: GateEvaluation, io: Io) {
    const { base, config, judge } = gate;
    this.#index = index;
    this.#gate = gate;
    this.#io = io;
    this.#database = openDatabase(path.join(index.ref.store, 'judgements.sqlite'));
    // Who runs the command line on a configuration trusts it.
    this.#nliModels = new NliModels({ base, trusted: true });
    const cache = new JudgementCache(this.#database);
    const labels = new LabelsFile(path.join(base, LABELS_FILE), (message) => io.stderr(`${message}\n`));
    const keys = keysFromEnvironment(process.env);
    this.#desk = new JudgementDesk(labels, cache);
    this.#judge = new Judges({ judges: config.judges, keys }, cache, undefined, {
      labels,
      nliModels: this.#nliModels,
    }).get(judge);
  }

  async judged(
    dataset: GateDataset,
    runs: readonly PipelineSlots[],
  ): Promise<Omit<EvaluatedDataset, 'corpus'>> {
    const { judge, baseline } = this.#gate;
    const onProgress = progressLine(this.#io, `Judging ${dataset.name}`);
    const kept = baselineRankings(baseline, dataset.name);
    const tally = new JudgementTally(judge, this.#judge?.heuristic ?? false);
    const qrels = new Map<string, Map<string, Map<string, number>>>();
    for (const query of dataset.queries) {
      qrels.set(query.id, await this.#topic(query, runs, kept.get(query.id) ?? [], tally));
      onProgress({ done: qrels.size, total: dataset.queries.length });
    }
    return {
      ...dataset,
      qrels,
      judgements: tally.summary,
      // The index is closed by the time anybody asks.
      pathOf: (passage) => this.#paths.get(passage) ?? passage,
      pipelines: runs.map(({ slots, ...pipeline }) => ({
        ...pipeline,
        run: new Map(
          [...slots].map(([query, hits]) => [
            query,
            hits.map(({ item, score }) => ({ item: this.#index.passageId(item), score })),
          ]),
        ),
      })),
    };
  }

  async close(): Promise<void> {
    await this.#nliModels.dispose();
    this.#database.close();
  }

  async #topic(
    query: Query,
    runs: readonly PipelineSlots[],
    kept: readonly string[],
    tally: JudgementTally,
  ): Promise<Map<string, Map<string, number>>> {
    const { spec, ask, budget } = this.#gate;
    const retrieved = (depth: number): Slot[] =>
      runs.flatMap(({ slots }) =>
        slots
          .get(query.id)!
          .slice(0, depth)
          .map(({ item }) => item),
      );
    const top = new Set(retrieved(spec.k));
    const deep = this.#index.passages([...new Set(retrieved(Infinity))]);
    const passages = distinct([...deep, ...kept.flatMap((id) => this.#index.passageById(id) ?? [])]);
    const { perspectives } = query;
    const topic = new Map(perspectives.map(({ id }) => [id, new Map<string, number>()]));
    const ids = new Map(passages.map(({ slot, id }) => [slot, id]));
    for (const { id, documentId } of passages) this.#paths.set(id, documentId);
    tally.expect(top.size * perspectives.length);
    const learn: Parameters<JudgementDesk['judge']>[2] = ({ slot, perspectiveId, judgement }) => {
      topic.get(perspectiveId)!.set(ids.get(slot)!, judgement.verdict === 'yes' ? 1 : 0);
      if (top.has(slot)) tally.count(judgement);
    };

    const matter = { query, perspectives, passages };
    for (const pair of await this.#desk.known(matter, this.#judge)) learn(pair);
    if (this.#judge?.heuristic) await this.#desk.judge(matter, this.#judge, learn, {});
    else if (this.#judge && ask) {
      // What costs something is asked about what the figures look at, not about all candidates.
      const seen = new Set([...retrieved(depthOf(spec))]);
      const looked = passages.filter(({ slot, id }) => seen.has(slot) || kept.includes(id));
      await this.#ask(query, { ...matter, passages: looked }, learn);
      if (
        budget.isSpent &&
        (await this.#desk.openPairs({ ...matter, passages: looked }, this.#judge)).length > 0
      )
        throw new ParallaxError(
          'model-unreachable',
          `The budget was spent before all pairs were judged. What was answered is kept${this.#gate.store === undefined ? ' only with --store' : ''}.`,
        );
    }
    const supporters = await this.#desk.supporters(
      query,
      perspectives,
      (document) => this.#index.passagesOf(document),
      this.#judge,
    );
    for (const { perspectiveId, passageId, path: document } of supporters) {
      topic.get(perspectiveId)!.set(passageId, 1);
      this.#paths.set(passageId, document);
    }
    return topic;
  }

  async #ask(
    query: Query,
    matter: Parameters<JudgementDesk['judge']>[0],
    learn: Parameters<JudgementDesk['judge']>[2],
  ): Promise<void> {
    const { failed, error } = await this.#desk.judge(matter, this.#judge!, learn, {
      budget: this.#gate.budget,
    });
    if (failed > 0)
      throw new ParallaxError(
        error?.id ?? 'model-unreachable',
        `The judge "${this.#gate.judge}" left ${failed} pairs of the query "${query.id}" unanswered. ${error?.message ?? ''}`.trim(),
        { cause: error },
      );
  }
}

/** Everything that the baseline ranked for each query, so that its figures can be worked out again. */
function baselineRankings(baseline: Baseline | undefined, dataset: string): Map<string, string[]> {
  const rankings = new Map<string, string[]>();
  for (const { name, pipelines } of baseline?.datasets ?? [])
    if (name === dataset)
      for (const { queries } of pipelines)
        for (const { id, ranked } of queries) rankings.set(id, [...(rankings.get(id) ?? []), ...ranked]);
  return rankings;
}

function distinct(passages: readonly StoredPassage[]): StoredPassage[] {
  return [...new Map(passages.map((passage) => [passage.slot, passage])).values()];
}

/** How many pairs within the top k rest on whose word. */
class JudgementTally {
  readonly #judge: string;
  readonly #heuristic: boolean;
  readonly #by = new Map<string, JudgementSummary['by'][number]>();
  #pairs = 0;
  #judged = 0;

  constructor(judge: string, heuristic: boolean) {
    this.#judge = judge;
    this.#heuristic = heuristic;
  }

  expect(pairs: number): void {
    this.#pairs += pairs;
  }

  count({
    source,
    judge,
  }: {
    readonly source: JudgementSummary['by'][number]['source'];
    readonly judge: string;
  }): void {
    const name = source === 'human' ? 'people' : judge;
    const key = `${source} ${name}`;
    const heuristic = source === 'lexical' || (this.#heuristic && name === this.#judge);
    const found = this.#by.get(key) ?? { source, judge: name, count: 0, heuristic };
    this.#by.set(key, { ...found, count: found.count + 1 });
    this.#judged++;
  }

  /** In the order of how much rests on each, then by name. */
  get summary(): JudgementSummary {
    const by = [...this.#by.values()].sort((a, b) => b.count - a.count || (a.judge < b.judge ? -1 : 1));
    return { judge: this.#judge, pairs: this.#pairs, judged: this.#judged, by };
  }
}

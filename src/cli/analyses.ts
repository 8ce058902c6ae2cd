/** The analyses of retrieval itself, as `parallax analyze` runs them on one data set. */
import { firstRanks } from '../core/analysis/first-ranks.ts';
import {
  groupHeatMap,
  groupShares,
  groupsOfPassages,
  leaning,
  sideShares,
  sycophancy,
  twoSided,
  type Leaning,
  type QueryForm,
  type SideShares,
} from '../core/analysis/leaning.ts';
import { coverageLoss, type CoverageLoss, type LostPerspective } from '../core/analysis/lost.ts';
import { perspectiveRecall, rootRecall } from '../core/analysis/p-recall.ts';
import { SET_SIZE_DEPTH, setSizes } from '../core/analysis/set-size.ts';
import { unionCoverage } from '../core/analysis/union.ts';
import type { Unreached } from '../core/analysis/unreached.ts';
import type { Qrels, Ranked, Run } from '../core/model.ts';
import type { Pipeline } from '../core/pipeline.ts';
import { perspectiveQueries } from '../engine/experiment/analyses.ts';
import {
  askedFromPerspectives,
  askedFromSide,
  askedWithoutPerspective,
  groupedPerspectives,
  questions,
  type Asked,
} from '../engine/experiment/questions.ts';
import { unreachedIn } from '../engine/experiment/unreached-in.ts';
import {
  denseParts,
  dependsOnWriting,
  needsOf,
  withExactSearch,
  withoutGivenPerspectives,
} from '../core/pipeline-needs.ts';
import { withDatasetMaximum } from '../engine/retrieval/dataset-maximum.ts';
import { searchQuery } from '../engine/retrieval/search-query.ts';
import type { WorkOptions } from '../engine/types.ts';
import type { Dataset } from './datasets.ts';
import type { NamedPipeline } from './pipeline-option.ts';
import { progressLine } from './progress.ts';
import type { Io } from './terminal.ts';

/** In the order in which they are shown. */
export const VIEWS = ['lost', 'set-size', 'union', 'leaning', 'sycophancy', 'groups', 'unreached'] as const;
export type View = (typeof VIEWS)[number];

/** A view that says nothing here, and why. */
export interface LeftOut {
  readonly view: View;
  /** Absent where it says nothing for any of them. */
  readonly pipeline?: string;
  /** A sentence. */
  readonly reason: string;
}

export interface LostReport extends Pick<CoverageLoss, 'perspectives' | 'queries' | 'mrecall'> {
  /** Whether an exact search was run beside an approximate one, to tell what the latter missed. */
  readonly comparedWithExact: boolean;
  readonly perQuery: readonly {
    readonly id: string;
    readonly mrecall: number;
    readonly unjudgedPassages: number;
    readonly perspectives: readonly (LostPerspective & {
      /** From 1; null where no passage within the depth is known to support it. */
      readonly firstRank: number | null;
    })[];
  }[];
}

export interface SetSizeReport {
  /** Over the covered queries only; null where there are none. */
  readonly average: number | null;
  readonly coveredShare: number;
  readonly covered: number;
  readonly queries: number;
  readonly perQuery: Readonly<Record<string, number>>;
}

export interface GroupReport {
  readonly shares: Readonly<Record<string, number>>;
  /** Relevant passages that the shares are of. */
  readonly passages: number;
  /** Queries, asked without a perspective, for which something relevant was retrieved; and all of them. */
  readonly successful: number;
  readonly roots: number;
  /** By the group asked for, by the group found. */
  readonly heatMap: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Over perspectives that some judged passage supports; absent where there are none. */
  readonly recall?: {
    readonly pRecall: number;
    readonly byGroup: Readonly<Record<string, number>>;
    readonly rootRecall: number;
  };
}

export interface PipelineAnalyses extends NamedPipeline {
  readonly lost?: LostReport;
  readonly setSize?: SetSizeReport;
  readonly leaning?: SideShares & Leaning;
  readonly sycophancy?: Readonly<Record<QueryForm, Leaning>> & { readonly queries: number };
  readonly groups?: GroupReport;
}

export interface UnionReport {
  readonly depth: number;
  /** Shares of the queries whose perspectives are all covered. */
  readonly union: number;
  readonly runs: Readonly<Record<string, { readonly alone: number; readonly withoutIt: number }>>;
  readonly uncovered: readonly string[];
  readonly queries: number;
}

export interface DatasetAnalyses {
  readonly dataset: Pick<Dataset, 'name' | 'corpus' | 'queriesFile' | 'qrelsFile'> & {
    readonly queries: number;
  };
  readonly pipelines: readonly PipelineAnalyses[];
  readonly union?: UnionReport;
  /** Within the top k of any pipeline. */
  readonly unreached?: Unreached;
  readonly leftOut: readonly LeftOut[];
}

/**
 * @param views those to work out; others cost nothing
 * @throws ParallaxError what a search throws
 */
export async function analyseDataset(
  dataset: Dataset,
  pipelines: readonly NamedPipeline[],
  views: ReadonlySet<View>,
  k: number,
  io: Io,
): Promise<DatasetAnalyses> {
  const { name, corpus, queriesFile, qrelsFile, qrels } = dataset;
  const analysis = new Analysis(dataset, k, io);
  const runs = new Map<string, Run>();
  const analyses: PipelineAnalyses[] = [];
  for (const given of pipelines) {
    const named = { name: given.name, pipeline: await analysis.resolve(given) };
    const run = await analysis.run(named, questions(dataset.queries));
    runs.set(named.name, run);
    analyses.push(await analysis.of(named, run, views));
  }
  const isUnion = views.has('union') && runs.size > 1;
  if (views.has('union') && !isUnion)
    analysis.leaveOut({ view: 'union', reason: 'There is one pipeline; a union takes several.' });
  return {
    dataset: { name, corpus, queriesFile, qrelsFile, queries: qrels.size },
    pipelines: analyses,
    ...(isUnion ? { union: unionOf(runs, dataset) } : {}),
    ...(views.has('unreached') ? { unreached: await unreachedBy(runs, dataset, k) } : {}),
    leftOut: analysis.leftOut,
  };
}

function unreachedBy(runs: ReadonlyMap<string, Run>, { index }: Dataset, k: number): Promise<Unreached> {
  const rankings = [...runs.values()].flatMap((run) => [...run.values()]);
  const reached = new Set(rankings.flatMap((ranked) => ranked.slice(0, k).map(({ item }) => item)));
  return unreachedIn(index, ({ id }) => reached.has(id), {});
}

class Analysis {
  readonly leftOut: LeftOut[] = [];
  readonly #dataset: Dataset;
  readonly #k: number;
  readonly #io: Io;

  constructor(dataset: Dataset, k: number, io: Io) {
    this.#dataset = dataset;
    this.#k = k;
    this.#io = io;
  }

  /** Says once what holds for all pipelines. */
  leaveOut(left: LeftOut): void {
    const { view, pipeline } = left;
    if (!this.leftOut.some((other) => other.view === view && other.pipeline === pipeline))
      this.leftOut.push(left);
  }

  resolve({ name, pipeline }: NamedPipeline): Promise<Pipeline> {
    const { index, queries, services } = this.#dataset;
    return withDatasetMaximum(index, pipeline, queries, services, this.#work(name));
  }

  /** Ranked passage ids under the ids by which was asked. */
  async run({ name, pipeline }: NamedPipeline, asked: readonly Asked[]): Promise<Run> {
    const { index, services } = this.#dataset;
    const work = this.#work(name);
    const depth = Math.max(this.#k, pipeline.candidates, SET_SIZE_DEPTH);
    const run = new Map<string, readonly Ranked[]>();
    for (const { id, query } of asked) {
      const { hits } = await searchQuery(index, pipeline, query, depth, services);
      run.set(
        id,
        hits.map(({ item, score }) => ({ item: index.passageId(item), score })),
      );
      work.onProgress?.({ done: run.size, total: asked.length });
    }
    return run;
  }

  async of(named: NamedPipeline, run: Run, views: ReadonlySet<View>): Promise<PipelineAnalyses> {
    const sides = views.has('sycophancy') ? await this.#sycophancy(named, run) : undefined;
    const groups = views.has('groups') ? await this.#groups(named) : undefined;
    const leaningFound = views.has('leaning') ? this.#leaning(run) : undefined;
    return {
      ...named,
      ...(views.has('lost') ? { lost: await this.#lost(named, run) } : {}),
      ...(views.has('set-size') ? { setSize: this.#setSize(run) } : {}),
      ...(leaningFound ? { leaning: leaningFound } : {}),
      ...(sides ? { sycophancy: sides } : {}),
      ...(groups ? { groups } : {}),
    };
  }

  async #lost({ name, pipeline }: NamedPipeline, run: Run): Promise<LostReport> {
    const { index, queries, qrels } = this.#dataset;
    // On the command line only a pipeline that says so searches approximately.
    const comparedWithExact = denseParts(pipeline.retriever).some(
      ({ search }) => search === 'approximate' || search === 'int8',
    );
    const exact = comparedWithExact
      ? await this.run({ name, pipeline: withExactSearch(pipeline) }, questions(queries))
      : undefined;
    const { perQuery, ...sums } = coverageLoss(run, withinCorpus(qrels, index), {
      k: this.#k,
      candidates: pipeline.candidates,
      exact,
      pathOf: (passage) => index.passageById(passage)?.path ?? passage,
    });
    return {
      ...sums,
      comparedWithExact,
      perQuery: [...perQuery].map(([id, { perspectives, ...query }]) => {
        const ranks = firstRanks(run.get(id) ?? [], qrels.get(id)!, Infinity);
        return {
          id,
          ...query,
          perspectives: perspectives.map((each) => ({
            ...each,
            firstRank: ranks.get(each.perspectiveId) ?? null,
          })),
        };
      }),
    };
  }

  #setSize(run: Run): SetSizeReport {
    const { average, perQuery, ...shares } = setSizes(run, this.#dataset.qrels);
    return { average: average ?? null, ...shares, perQuery: Object.fromEntries(perQuery) };
  }

  #leaning(run: Run): PipelineAnalyses['leaning'] {
    const sided = this.#twoSided('leaning');
    if (!sided) return undefined;
    const { qrels } = this.#dataset;
    return { ...sideShares(sided, run, qrels, this.#k), ...leaning(sided, run, qrels, this.#k) };
  }

  async #sycophancy(named: NamedPipeline, question: Run): Promise<PipelineAnalyses['sycophancy']> {
    const sided = this.#twoSided('sycophancy');
    if (!sided || !this.#canAskOtherTexts('sycophancy', named)) return undefined;
    const { queries, qrels } = this.#dataset;
    const runs = {
      question,
      support: await this.run(named, askedFromSide(queries, 'support')),
      oppose: await this.run(named, askedFromSide(queries, 'oppose')),
    };
    return { ...sycophancy(sided, runs, qrels, this.#k), queries: sided.length };
  }

  async #groups({ name, pipeline }: NamedPipeline): Promise<GroupReport | undefined> {
    const { queries, qrels } = this.#dataset;
    const grouped = groupedPerspectives(queries);
    if (grouped.length === 0) {
      this.leaveOut({ view: 'groups', reason: 'No perspective has a group.' });
      return undefined;
    }
    if (!this.#canAskOtherTexts('groups', { name, pipeline })) return undefined;
    const root = { name, pipeline: withoutGivenPerspectives(pipeline) };
    const roots = await this.run(root, askedWithoutPerspective(grouped));
    const full = await this.run({ name, pipeline }, askedFromPerspectives(grouped, pipeline));
    return groupReport(perspectiveQueries(queries, qrels), { roots, full }, this.#k);
  }

  #twoSided(view: View): ReturnType<typeof twoSided> | undefined {
    const sided = twoSided(this.#dataset.queries);
    if (sided.length > 0) return sided;
    this.leaveOut({
      view,
      reason: 'No query has exactly two perspectives, one with the stance support and one with oppose.',
    });
    return undefined;
  }

  /** What a model or a file wrote for the questions is not there for other texts. */
  #canAskOtherTexts(view: View, { name, pipeline }: NamedPipeline): boolean {
    if (!dependsOnWriting(needsOf(pipeline))) return true;
    this.leaveOut({
      view,
      pipeline: name,
      reason: 'What it searches for is written for each question by a model or a file.',
    });
    return false;
  }

  #work(name: string): WorkOptions {
    return { onProgress: progressLine(this.#io, `${this.#dataset.name} ${name}`.trim()) };
  }
}

/** Support that stands in no passage of this corpus cannot be retrieved from it. */
function withinCorpus(qrels: Qrels, index: Dataset['index']): Qrels {
  return new Map(
    [...qrels].map(([query, topic]) => [
      query,
      new Map(
        [...topic].map(([perspective, judged]) => [
          perspective,
          new Map([...judged].filter(([passage]) => index.passageById(passage) !== undefined)),
        ]),
      ),
    ]),
  );
}

function groupReport(
  asked: ReturnType<typeof perspectiveQueries>,
  { roots, full }: { readonly roots: Run; readonly full: Run },
  k: number,
): GroupReport {
  const { shares, ...found } = groupShares(roots, asked, k);
  const groupsOf = groupsOfPassages(asked);
  const heatMap = groupHeatMap(full, asked, (passage) => groupsOf.get(passage) ?? [], k);
  const supported = asked.filter(({ gold }) => gold.size > 0);
  const recall = supported.length === 0 ? undefined : perspectiveRecall(full, supported, k);
  return {
    shares: Object.fromEntries(shares),
    ...found,
    heatMap: Object.fromEntries([...heatMap].map(([group, row]) => [group, Object.fromEntries(row)])),
    ...(recall
      ? {
          recall: {
            pRecall: recall.pRecall,
            byGroup: Object.fromEntries([...recall.byLabel].map(([group, own]) => [group, own.recall])),
            rootRecall: rootRecall(roots, supported, k),
          },
        }
      : {}),
  };
}

function unionOf(runs: ReadonlyMap<string, Run>, { qrels }: Dataset): UnionReport {
  const found = unionCoverage(runs, qrels, SET_SIZE_DEPTH);
  return { depth: SET_SIZE_DEPTH, ...found, runs: Object.fromEntries(found.runs) };
}

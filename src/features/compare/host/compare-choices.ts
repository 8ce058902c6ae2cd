/** The eval sets and pipelines chosen for a comparison. Choices outlive the window. */
import { titledPipelines } from '../../../core/pipeline-label.ts';
import { BUILT_IN_PIPELINES, type NamedPipeline, type Pipeline } from '../../../core/pipeline.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { CompareState } from '../contract/panel.ts';
import type { Params } from '../../../shared/rpc.ts';
import { judgeChoices, rememberedJudge, type JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import type { WorkspaceState } from '../../../extension/workspace/workspace-state.ts';
import type { Memory } from '../../../extension/platform/memory.ts';
import { plainQuery } from '../../../shared/eval-query.ts';
import { datasetNames, type ChosenSet } from '../../../extension/workspace/dataset-names.ts';

const KEYS = {
  sets: 'compare.sets',
  chosen: 'compare.chosen',
  k: 'compare.k',
  judge: 'compare.judge',
} as const;
const DEFAULT_K = 5;

const titled = (pipelines: Readonly<Record<string, Pipeline>>): NamedPipeline[] =>
  titledPipelines(Object.entries(pipelines).map(([name, pipeline]) => ({ name, pipeline })));

const BUILT_IN: readonly NamedPipeline[] = titled(BUILT_IN_PIPELINES);

export interface CompareChoicesOptions {
  readonly workspace: () => WorkspaceState;
  /** The corpus of the side panel: until the user chooses, the first eval set is run on it. */
  readonly shownCorpus: () => string;
  readonly judgeSetting: () => string;
  readonly memory: Memory;
}

export class CompareChoices {
  readonly #options: CompareChoicesOptions;

  constructor(options: CompareChoicesOptions) {
    this.#options = options;
  }

  choose(what: keyof typeof KEYS, value: unknown): void {
    this.#options.memory.set(KEYS[what], value);
  }

  get corpora(): readonly string[] {
    return Object.keys(this.#options.workspace().config.corpora);
  }

  get evalSets(): CompareState['evalSets'] {
    const { evalQueries } = this.#options.workspace();
    return [...Map.groupBy(evalQueries, ({ evalSet }) => evalSet)].map(([path, queries]) => ({
      path,
      queries: queries.length,
      compared: queries.filter(({ perspectives }) => perspectives.length > 0).length,
    }));
  }

  /** The chosen sets that the workspace still has; before a choice, the first eval set on the shown corpus. */
  get sets(): readonly ChosenSet[] {
    const chosen = this.#recall<readonly ChosenSet[]>('sets');
    const paths = this.evalSets.map(({ path }) => path);
    if (chosen)
      return chosen.filter(({ evalSet, corpus }) => paths.includes(evalSet) && this.corpora.includes(corpus));
    const corpus = this.#options.shownCorpus();
    const [evalSet] = paths;
    return evalSet !== undefined && this.corpora.includes(corpus) ? [{ evalSet, corpus }] : [];
  }

  /**
   * Every pipeline that can be chosen: the workspace's own, then the built-in ones. Built-in pipelines search an index,
   * which corpora in a store do not have.
   */
  get pipelines(): readonly NamedPipeline[] {
    const { config } = this.#options.workspace();
    const ownPipelines = this.#own;
    const corpora = Object.values(config.corpora);
    if (corpora.length > 0 && corpora.every(({ store }) => store !== undefined)) return ownPipelines;
    const names = new Set(ownPipelines.map(({ name }) => name));
    return [...ownPipelines, ...BUILT_IN.filter(({ name }) => !names.has(name))];
  }

  /** The pipelines of the workspace, or the built-in ones if it has none. */
  get #own(): readonly NamedPipeline[] {
    const ownPipelines = titled(this.#options.workspace().config.pipelines);
    return ownPipelines.length > 0 ? ownPipelines : BUILT_IN;
  }

  /** In the order of the user's choice; before a choice, all of the workspace's own pipelines. */
  get chosen(): readonly NamedPipeline[] {
    const names = this.#recall<readonly string[]>('chosen');
    if (!names) return this.#own;
    return names.flatMap((choice) => this.pipelines.find(({ name }) => name === choice) ?? []);
  }

  get k(): number {
    return this.#recall<number>('k') ?? DEFAULT_K;
  }

  get judges(): readonly JudgeChoice[] {
    return judgeChoices(this.#options.workspace().config);
  }

  get judge(): JudgeChoice {
    const { config } = this.#options.workspace();
    return rememberedJudge(config, this.#recall<string>('judge'), this.#options.judgeSetting());
  }

  /** The request to the engine. `undefined` while a choice is missing. */
  get request(): Params<'compare'> | undefined {
    return this.requestOf(this.chosen);
  }

  /** {@link request} for other pipelines. */
  requestOf(pipelines: readonly NamedPipeline[]): Params<'compare'> | undefined {
    const { sets, k } = this;
    return sets.length === 0 || pipelines.length === 0 ? undefined : this.#requestOf(sets, pipelines, k);
  }

  /**
   * The request that runs a comparison again with the current judge. `undefined` if the workspace no longer has one of
   * its eval sets or corpora.
   */
  again({ datasets, pipelines, k }: Evaluation): Params<'compare'> | undefined {
    const paths = this.evalSets.map(({ path }) => path);
    const there = datasets.every(
      ({ evalSet, corpus }) => paths.includes(evalSet) && this.corpora.includes(corpus),
    );
    return there ? this.#requestOf(datasets, pipelines, k) : undefined;
  }

  #requestOf(sets: readonly ChosenSet[], pipelines: readonly NamedPipeline[], k: number): Params<'compare'> {
    const names = datasetNames(sets);
    return {
      judge: this.judge.name,
      datasets: sets.map(({ evalSet, corpus }, index) => ({
        name: names[index]!,
        corpus,
        evalSet,
        queries: this.#queriesOf(evalSet),
      })),
      pipelines: pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      k,
    };
  }

  #queriesOf(setName: string): Params<'compare'>['datasets'][number]['queries'] {
    return this.#options
      .workspace()
      .evalQueries.filter(({ evalSet }) => evalSet === setName)
      .map(plainQuery);
  }

  #recall<T>(what: keyof typeof KEYS): T | undefined {
    return this.#options.memory.get<T>(KEYS[what]);
  }
}

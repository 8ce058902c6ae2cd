/**
 * What happens when the user does something in the compare panel. Holds its state, asks the engine, and
 * publishes the newest whole state. Knows nothing of the editor.
 */
import { ParallaxError } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { BUILT_IN_PIPELINES } from '../../core/pipeline.ts';
import type { CompareState, Comparison, FromCompare } from '../../shared/compare.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { chooseJudge, judgeChoices, type JudgeChoice } from '../inspector/judge-choice.ts';
import { TaskList } from '../inspector/task-list.ts';
import type { InspectedWorkspace, Memory } from '../inspector/inspector-controller.ts';
import { pipelinesOf, type EvalQuery, type NamedPipeline } from '../workspace/workspace-model.ts';
import { exportComparison, type ExportFormat } from './export-comparison.ts';

export interface CompareOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => InspectedWorkspace;
  readonly trusted: () => boolean;
  /** The corpus that the side panel shows, and whether it is indexed. */
  readonly corpus: () => { readonly name: string; readonly indexed: boolean };
  readonly judgeSetting: () => string;
  readonly memory: Memory;
  readonly actions: {
    publish(state: CompareState): void;
    /** Shows a query under a pipeline in the side panel. */
    inspect(query: string, pipeline: Pipeline): Promise<void>;
    /** What the panel cannot do itself before there is anything to compare. */
    remedy(what: 'index' | 'open-config' | 'manage-trust'): Promise<void>;
    /** Asks for a file and writes it. */
    save(name: string, content: string): Promise<void>;
    log(message: string): void;
  };
}

const MEMORY = {
  evalSet: 'compare.evalSet',
  chosen: 'compare.chosen',
  k: 'compare.k',
  judge: 'compare.judge',
} as const;
const DEFAULT_K = 5;
const PUBLISH_EVERY_MS = 50;

export class CompareController {
  readonly #options: CompareOptions;
  readonly #tasks: TaskList;
  #comparison: Comparison | undefined;
  #stale = false;
  #error: string | undefined;
  #publishTimer: NodeJS.Timeout | undefined;

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#tasks = new TaskList(
      () => this.#changed(),
      (error) => this.#fail(error),
    );
  }

  /** Runs what the panel asked for. Failures end in the state, never as an exception. */
  async handle(message: FromCompare): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.publish();
      case 'index':
      case 'open-config':
      case 'manage-trust':
        return this.#options.actions.remedy(message.type);
      case 'run':
        return this.run();
      case 'cancel':
        return this.#tasks.cancel('search');
      case 'set-eval-set':
        return this.#remember(MEMORY.evalSet, message.path);
      case 'set-pipelines':
        return this.#remember(MEMORY.chosen, message.names);
      case 'set-k':
        return this.#remember(MEMORY.k, message.k);
      case 'set-judge':
        return this.#remember(MEMORY.judge, message.name);
      case 'inspect':
        return this.#inspect(message.queryId, message.pipeline);
      case 'export':
        return this.#export(message.format);
      case 'dismiss-error':
        this.#error = undefined;
        return this.publish();
    }
  }

  /** Corpus, judgements or configuration changed: the figures stay, marked as out of date. */
  changed(): void {
    this.#stale = this.#comparison !== undefined;
    this.publish();
  }

  /** Runs the chosen pipelines over the chosen eval set. */
  async run(): Promise<void> {
    const { name: corpus, indexed } = this.#options.corpus();
    const evalSet = this.#evalSet;
    const pipelines = this.#chosen;
    if (!indexed || evalSet === undefined || pipelines.length === 0) return this.publish();
    this.#error = undefined;
    const queries = this.#queriesOf(evalSet).map(({ id, text, perspectives, tags }) => ({
      id,
      text,
      perspectives: [...perspectives],
      ...(tags ? { tags: [...tags] } : {}),
    }));
    const params = {
      corpus,
      judge: this.#judge.name,
      evalSet,
      queries,
      pipelines: pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      k: this.#k,
    };
    const comparison = await this.#tasks.run('search', 'Comparing', (context) =>
      this.#options.engine.request('compare', params, context),
    );
    if (!comparison) return this.publish();
    this.#comparison = comparison;
    this.#stale = false;
    this.publish();
  }

  dispose(): void {
    clearTimeout(this.#publishTimer);
    this.#tasks.cancelAll();
  }

  state(): CompareState {
    const { config } = this.#options.workspace();
    const choices = judgeChoices(config);
    const { name: corpus, indexed } = this.#options.corpus();
    const [task] = this.#tasks.views;
    const evalSet = this.#evalSet;
    return {
      trusted: this.#options.trusted(),
      indexed,
      corpus,
      evalSets: this.#evalSets,
      ...(evalSet === undefined ? {} : { evalSet }),
      pipelines: this.#pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      chosen: this.#chosen.map(({ name }) => name),
      k: this.#k,
      judge: {
        name: this.#judge.name,
        label: this.#judge.label,
        heuristic: this.#judge.heuristic,
        choices: choices.map(({ name, label, heuristic }) => ({ name, label, heuristic })),
      },
      ...(task ? { task: { title: task.title, fraction: task.fraction, detail: task.detail } } : {}),
      ...(this.#comparison ? { comparison: this.#comparison } : {}),
      stale: this.#stale,
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.#options.actions.publish(this.state());
  }

  get #pipelines(): readonly NamedPipeline[] {
    const own = pipelinesOf(this.#options.workspace().config);
    const names = new Set(own.map(({ name }) => name));
    const builtIn = Object.entries(BUILT_IN_PIPELINES).map(([name, pipeline]) => ({ name, pipeline }));
    return [...own, ...builtIn.filter(({ name }) => !names.has(name))];
  }

  /** In the order of the user's choice; all of the workspace's own pipelines before there is one. */
  get #chosen(): readonly NamedPipeline[] {
    const names = this.#options.memory.get<readonly string[]>(MEMORY.chosen);
    if (!names) return pipelinesOf(this.#options.workspace().config);
    return names.flatMap((wanted) => this.#pipelines.find(({ name }) => name === wanted) ?? []);
  }

  get #evalSets(): CompareState['evalSets'] {
    const { evalQueries } = this.#options.workspace();
    const counts = new Map<string, number>();
    for (const { evalSet } of evalQueries) counts.set(evalSet, (counts.get(evalSet) ?? 0) + 1);
    return [...counts].map(([path, queries]) => ({ path, queries }));
  }

  get #evalSet(): string | undefined {
    const sets = this.#evalSets;
    const chosen = this.#options.memory.get<string>(MEMORY.evalSet);
    return sets.find(({ path }) => path === chosen)?.path ?? sets[0]?.path;
  }

  #queriesOf(evalSet: string): readonly EvalQuery[] {
    return this.#options.workspace().evalQueries.filter((query) => query.evalSet === evalSet);
  }

  get #k(): number {
    return this.#options.memory.get<number>(MEMORY.k) ?? DEFAULT_K;
  }

  get #judge(): JudgeChoice {
    const { config } = this.#options.workspace();
    const chosen = this.#options.memory.get<string>(MEMORY.judge) ?? this.#options.judgeSetting();
    return chooseJudge(judgeChoices(config), config, chosen);
  }

  #remember(key: string, value: unknown): void {
    this.#options.memory.set(key, value);
    this.changed();
  }

  async #inspect(queryId: string, pipelineName: string): Promise<void> {
    const query = this.#comparison?.queries.find(({ id }) => id === queryId);
    const found = this.#comparison?.pipelines.find(({ name }) => name === pipelineName);
    if (query && found) await this.#options.actions.inspect(query.text, found.pipeline);
  }

  async #export(format: ExportFormat): Promise<void> {
    if (!this.#comparison) return;
    const { name, content } = exportComparison(this.#comparison, format);
    try {
      await this.#options.actions.save(name, content);
    } catch (error) {
      this.#fail(
        new ParallaxError('bad-file', `The comparison could not be saved: ${String(error)}.`, {
          cause: error,
        }),
      );
    }
  }

  #fail(error: ParallaxError): void {
    this.#options.actions.log(`${error.id}: ${error.message}`);
    this.#error = error.message;
    this.#changed();
  }

  /** Publishes soon, once, however many changes come together. */
  #changed(): void {
    this.#publishTimer ??= setTimeout(() => this.publish(), PUBLISH_EVERY_MS);
  }
}

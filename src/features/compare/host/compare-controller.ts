/**
 * The compare panel without the editor: handles user actions, asks the engine, and publishes the complete new state.
 * Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../core/errors.ts';
import type { NamedPipeline, Pipeline } from '../../../core/pipeline.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type {
  CompareState,
  FromCompare,
  JudgingScope,
  JudgingView,
  KeptComparison,
  ToCompare,
} from '../contract/panel.ts';
import { MAX_REPEATS } from '../../../shared/experiment.ts';
import type { Remedy } from '../../../shared/remedies.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { TaskList } from '../../../extension/tasks/task-list.ts';
import { FailureInView } from '../../../extension/platform/failure-in-view.ts';
import { saveChart, saveFile, type Save } from '../../../extension/platform/save-file.ts';
import { Throttle } from '../../../extension/platform/throttle.ts';
import { CompareChoices, type CompareChoicesOptions } from './compare-choices.ts';
import { ComparisonInView } from './comparison-in-view.ts';
import { exportComparison, type ExportFormat } from './export-comparison.ts';
import { saveQrels } from './save-qrels.ts';
import { FigureJudging, type ConfirmFigures } from '../../../extension/judging/figure-judging.ts';
import { budgetOf, type CostSettings } from '../../../extension/judging/cost-settings.ts';
import { judgeOffers } from '../../../extension/judging/judge-offers.ts';

export interface CompareOptions extends CompareChoicesOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly trusted: () => boolean;
  readonly costSettings: () => CostSettings;
  readonly actions: {
    post(message: ToCompare): void;
    confirmFigures: ConfirmFigures;
    /** Another panel may show passages that a model has judged since. */
    judged(): Promise<void>;
    /** Figures based on the old comparison can use the new one. */
    comparedAgain(before: Evaluation, after: Evaluation): void;
    /** Shows a query under a pipeline in the side panel. */
    inspect(corpus: string, query: string, pipeline: Pipeline): Promise<void>;
    /** Applies a remedy that needs the editor or another panel. @param corpus the corpus of the failure */
    applyRemedy(remedy: Remedy, corpus?: string): Promise<void>;
    /** Another panel may show this corpus as not indexed. */
    indexed(corpus: string): Promise<void>;
    /** Asks for a path and writes the file. */
    readonly save: Save;
    log(message: string): void;
  };
}

export class CompareController {
  readonly #options: CompareOptions;
  readonly #choices: CompareChoices;
  readonly #tasks: TaskList;
  readonly #judging: FigureJudging;
  /** Whether the panel was opened. Until then the engine is not asked. */
  #opened = false;
  /** By corpus. `undefined` until the engine has been asked. */
  #indexed: ReadonlyMap<string, boolean> | undefined;
  #kept: readonly KeptComparison[] = [];
  readonly #inView: ComparisonInView;
  /** Id of the comparison last sent to the panel. */
  #sent: string | undefined;
  readonly #publishing = new Throttle(() => this.publish());
  readonly #failure: FailureInView;

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#choices = new CompareChoices(options);
    const { engine, costSettings, actions } = options;
    const changed = (): void => this.#publishing.request();
    this.#failure = new FailureInView((message) => actions.log(message), changed);
    this.#tasks = new TaskList(changed, this.#failure);
    this.#inView = new ComparisonInView(engine, this.#choices);
    const confirm: ConfirmFigures = (...cost) => actions.confirmFigures(...cost);
    this.#judging = new FigureJudging({ engine, costSettings, confirm, tasks: this.#tasks });
  }

  /** Handles a message of the panel. Failures become part of the state and are never thrown. */
  handle(message: FromCompare): Promise<void> {
    return this.#failure.guard(() => this.#handle(message));
  }

  #handle(message: FromCompare): Promise<void> | void {
    switch (message.type) {
      case 'ready':
        return this.#open();
      case 'index':
        return this.#index(message.corpus);
      case 'remedy': {
        const corpus = this.#failure.forget();
        this.publish();
        return this.#options.actions.applyRemedy(message.remedy, corpus);
      }
      case 'run':
        return this.run();
      case 'cancel':
        return this.#tasks.cancelAll();
      case 'judge-figures':
        return this.#judgeFigures(message.scope);
      case 'judge-again':
        return this.#judgeFigures('figures', this.#nextRepeat);
      case 'measure-pool':
        return this.#measurePool();
      case 'set-sets':
        return this.#choose('sets', message.sets);
      case 'set-pipelines':
        return this.#choose('chosen', message.names);
      case 'set-k':
        return this.#choose('k', message.k);
      case 'set-judge':
        return this.#chooseJudge(message.name);
      case 'inspect':
        return this.#inspect(message);
      case 'show-movement':
        return this.#showMovement(message);
      case 'open-kept':
        return this.openKept(message.id);
      case 'forget-kept':
        return this.#forgetKept(message.id);
      case 'export':
        return this.#export(message.format);
      case 'save-chart':
        return saveChart(this.#options.actions.save, message);
      case 'dismiss-error':
        this.#failure.forget();
        return this.publish();
    }
  }

  async workspaceChanged(): Promise<void> {
    this.#inView.checkChoices();
    this.publish();
    await this.refreshCorpora();
  }

  /** A corpus or judgements changed; the figures stay, marked as out of date. */
  figuresChanged(): void {
    this.#inView.markStale();
    this.publish();
  }

  /** Asks the engine which corpora are indexed, once the panel has been opened. */
  async refreshCorpora(): Promise<void> {
    if (!this.#opened || !this.#options.trusted()) return;
    try {
      await (this.#indexed ? this.#readCorpora() : this.#load());
    } catch (error) {
      this.#options.actions.log(`The state of the corpora could not be read: ${messageOf(error)}`);
    }
    this.publish();
  }

  /** Runs the chosen pipelines on the chosen data sets. */
  async run(): Promise<void> {
    const request = this.#choices.request;
    if (!request || !this.#areIndexed(request.datasets)) return this.publish();
    this.#failure.forget();
    if (await this.#compare(request)) {
      this.#judging.forget();
      this.publish();
      await this.#countJudged(request);
    }
    this.publish();
  }

  /** @returns the new comparison, or `undefined` if it was cancelled or failed */
  async #compare(request: Params<'compare'>): Promise<Evaluation | undefined> {
    const budget = budgetOf(this.#options.costSettings());
    const comparison = await this.#tasks.run('search', l10n.t('Comparing'), (context) =>
      this.#options.engine.request('compare', { ...request, ...budget }, context),
    );
    if (!comparison) return undefined;
    this.#inView.show(comparison, request);
    await this.#readKept();
    return comparison;
  }

  /** The request that compares these pipelines on the chosen data sets. `undefined` while a choice is missing. */
  requestOf(pipelines: readonly NamedPipeline[]): Params<'compare'> | undefined {
    return this.#choices.requestOf(pipelines);
  }

  dispose(): void {
    this.#tasks.cancelAll();
    this.#publishing.cancel();
  }

  state(): CompareState {
    const { evalSets, sets, pipelines, chosen, corpora, k, judge, judges } = this.#choices;
    const { configProblem } = this.#options.workspace();
    const [task] = this.#tasks.views;
    return {
      trusted: this.#options.trusted(),
      ...(configProblem === undefined ? {} : { configProblem }),
      corpora: corpora.map((name) => ({ name, indexed: this.#indexed?.get(name) ?? false })),
      evalSets,
      chosenSets: sets.map(({ evalSet, corpus }) => ({ evalSet, corpus })),
      pipelines: pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      chosen: chosen.map(({ name }) => name),
      k,
      judge: {
        name: judge.name,
        label: judge.label,
        choices: [...judgeOffers(judges)],
      },
      ...(task ? { task: { title: task.title, fraction: task.fraction, detail: task.detail } } : {}),
      kept: [...this.#kept],
      ...this.#inView.view,
      ...(this.#inView.comparison ? { judging: this.#judging.view(this.#blocked, this.#nextRepeat) } : {}),
      ...this.#failure.view,
    };
  }

  /** Sends the newest state, preceded by the comparison that it shows if the panel has another one. */
  publish(): void {
    this.#publishing.cancel();
    const { post } = this.#options.actions;
    const { comparison } = this.#inView;
    if (comparison && comparison.id !== this.#sent) {
      post({ type: 'comparison', comparison });
      this.#sent = comparison.id;
    }
    post({ type: 'state', state: this.state() });
  }

  /** The panel was opened, for the first time or again: it has none of the earlier messages. */
  async #open(): Promise<void> {
    this.#sent = undefined;
    this.#opened = true;
    try {
      if (!this.#indexed && this.#options.trusted()) await this.#load();
    } finally {
      this.publish();
    }
  }

  /** Asks the engine for the corpora, and for the comparison that was shown before the window was closed. */
  async #load(): Promise<void> {
    await Promise.all([this.#readCorpora(), this.#readKept()]);
    const [newest] = this.#kept;
    if (newest && !this.#inView.comparison) await this.#inView.showKept(newest.id);
  }

  async #readCorpora(): Promise<void> {
    const statuses = this.#choices.corpora.map(async (corpus) => {
      const { indexed } = await this.#options.engine.request('status', { corpus });
      return [corpus, indexed] as const;
    });
    this.#indexed = new Map(await Promise.all(statuses));
  }

  async #readKept(): Promise<void> {
    this.#kept = (await this.#options.engine.request('keptComparisons', {})).kept;
  }

  async #index(corpus: string): Promise<void> {
    this.#failure.forget();
    const report = await this.#tasks.run('index', l10n.t`Indexing ${corpus}`, (context) =>
      this.#options.engine.request('index', { corpus, rebuild: false }, context),
    );
    if (report) await this.#options.actions.indexed(corpus);
    await this.refreshCorpora();
  }

  #choose(what: Parameters<CompareChoices['choose']>[0], value: unknown): void {
    this.#choices.choose(what, value);
    this.#inView.checkChoices();
    this.publish();
  }

  /** Counts and pools belong to the previous judge, so they are dropped. */
  #chooseJudge(name: string): void {
    this.#judging.forget();
    this.#inView.showPool(undefined);
    this.#choose('judge', name);
  }

  #areIndexed(datasets: readonly { readonly corpus: string }[]): boolean {
    return datasets.every(({ corpus }) => this.#indexed?.get(corpus));
  }

  /** Why no judge can be asked about the comparison in view. */
  get #blocked(): JudgingView['blocked'] {
    if (!this.#options.trusted()) return 'untrusted';
    if (!this.#choices.judge.canJudge) return 'people';
    return this.#again ? undefined : 'changed';
  }

  /** The comparison in view as a request. `undefined` if the workspace can no longer answer it. */
  get #again(): Params<'compare'> | undefined {
    const { comparison } = this.#inView;
    const request = comparison && this.#choices.again(comparison);
    return request && this.#areIndexed(request.datasets) ? request : undefined;
  }

  /** The repeat that some data set in view lacks. `undefined` for a judge that always answers the same. */
  get #nextRepeat(): number | undefined {
    const { comparison } = this.#inView;
    if (!comparison || !this.#choices.judge.needsConfirmation) return undefined;
    const next = Math.min(...comparison.datasets.map(({ repeats }) => repeats?.complete ?? 1)) + 1;
    return next > MAX_REPEATS ? undefined : next;
  }

  async #judgeFigures(scope: JudgingScope, repeat?: number): Promise<void> {
    const request = this.#again;
    const before = this.#inView.comparison;
    if (!request || !before || this.#blocked) return this.publish();
    this.#failure.forget();
    const { isPooled } = this.#inView;
    const judgingRequest = repeat === undefined ? request : { ...request, repeat };
    const outcome = await this.#judging.judge(judgingRequest, this.#choices.judge, scope);
    if (outcome === 'broken-off') this.figuresChanged();
    if (outcome !== 'nothing') await this.#options.actions.judged();
    const after = outcome === 'judged' ? await this.#compare(request) : undefined;
    if (after) this.#options.actions.comparedAgain(before, after);
    if (after && isPooled) await this.#measure(request);
    if (outcome !== 'nothing') await this.#countJudged(request);
    this.publish();
  }

  /** The count is optional: without it the panel only shows less. */
  async #countJudged(request: Params<'compare'>): Promise<void> {
    if (!this.#inView.comparison || this.#blocked) return;
    try {
      await this.#judging.count(request);
    } catch (error) {
      this.#options.actions.log(`What is judged could not be counted: ${messageOf(error)}`);
    }
  }

  async #measurePool(): Promise<void> {
    const request = this.#again;
    if (!request || this.#blocked) return this.publish();
    this.#failure.forget();
    await this.#measure(request);
    this.publish();
  }

  async #measure(request: Params<'compare'>): Promise<void> {
    const { comparison } = this.#inView;
    const report = await this.#tasks.run('search', l10n.t('Measuring the pool'), (context) =>
      this.#options.engine.request('pool', request, context),
    );
    if (report && comparison === this.#inView.comparison) this.#inView.showPool(report);
  }

  /** Shows a stored comparison. */
  async openKept(id: string): Promise<void> {
    if (this.#inView.comparison?.id === id) return;
    await this.#inView.showKept(id);
    this.#judging.forget();
    this.publish();
  }

  async #forgetKept(id: string): Promise<void> {
    await this.#options.engine.request('forgetComparison', { id });
    await this.#readKept();
    this.publish();
  }

  async #showMovement(question: Extract<FromCompare, { type: 'show-movement' }>): Promise<void> {
    await this.#inView.showMovement(question);
    this.publish();
  }

  async #inspect(chosen: Extract<FromCompare, { type: 'inspect' }>): Promise<void> {
    const place = this.#inView.find(chosen);
    if (place) await this.#options.actions.inspect(place.corpus, place.text, place.pipeline);
  }

  async #export(format: ExportFormat | 'qrels'): Promise<void> {
    const { engine, actions } = this.#options;
    const { comparison } = this.#inView;
    if (!comparison) return;
    if (format === 'qrels') return saveQrels(engine, comparison.id, actions.save);
    const { name, content } = exportComparison(comparison, format);
    return saveFile(actions.save, name, content);
  }
}

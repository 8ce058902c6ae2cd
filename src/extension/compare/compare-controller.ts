/**
 * The compare panel without the editor: handles what the user does, asks the engine, and
 * publishes the newest whole state. Knows nothing of the editor.
 */
import * as l10n from '@vscode/l10n';
import { asParallaxError, messageOf, ParallaxError } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type {
  CompareState,
  Comparison,
  FromCompare,
  JudgingScope,
  JudgingView,
  KeptComparison,
  ToCompare,
} from '../../shared/panels/compare.ts';
import type { PoolReport } from '../../shared/pool.ts';
import { failureOf, type Failure } from '../../shared/panels/failure.ts';
import type { Remedy } from '../../shared/remedies.ts';
import type { Params } from '../../shared/rpc.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { TaskList } from '../tasks/task-list.ts';
import { saveChart, saveFile, type Save } from '../platform/save-file.ts';
import { Soon } from '../platform/soon.ts';
import { CompareChoices, type CompareChoicesOptions } from './compare-choices.ts';
import { exportComparison, qrelsName, type ExportFormat } from './export-comparison.ts';
import { FigureJudging, type ConfirmFigures } from '../judging/figure-judging.ts';
import type { CostSettings } from '../judging/cost-settings.ts';
import { judgeOffers } from '../judging/judge-offers.ts';

export interface CompareOptions extends CompareChoicesOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly trusted: () => boolean;
  readonly costSettings: () => CostSettings;
  readonly actions: {
    post(message: ToCompare): void;
    confirmFigures: ConfirmFigures;
    /** Another panel may be showing passages that a model has judged meanwhile. */
    judged(): Promise<void>;
    /** Surfaces that rest on the comparison in view can rest on the new one. */
    comparedAgain(before: Comparison, after: Comparison): void;
    /** Shows a query under a pipeline in the side panel. */
    inspect(corpus: string, query: string, pipeline: Pipeline): Promise<void>;
    /** Takes a step that needs the editor or another panel, before there is anything to compare. */
    /** `corpus`: the one that the failure is about. */
    applyRemedy(remedy: Remedy, corpus?: string): Promise<void>;
    /** Another panel may be showing this corpus as not indexed. */
    indexed(corpus: string): Promise<void>;
    /** Asks for a file and writes it. */
    readonly save: Save;
    log(message: string): void;
  };
}

/** Passages of a rank-movement chart: twice the top k, so that those just below it are in sight. */
const MOVEMENT_DEPTH = { least: 10, most: 50 };

export class CompareController {
  readonly #options: CompareOptions;
  readonly #choices: CompareChoices;
  readonly #tasks: TaskList;
  readonly #judging: FigureJudging;
  /** The panel has been there: before, nothing is asked of the engine. */
  #opened = false;
  /** By corpus; absent until the engine has been asked. */
  #indexed: ReadonlyMap<string, boolean> | undefined;
  #kept: readonly KeptComparison[] = [];
  #comparison: Comparison | undefined;
  /** Id of the comparison that the panel has. */
  #sent: string | undefined;
  #movement: CompareState['movement'];
  #pool: PoolReport | undefined;
  /** The request behind the comparison as text, to tell when the choices differ from it; nothing where unknown. */
  #asked: string | undefined;
  #stale = false;
  #error: Failure | undefined;
  readonly #soon = new Soon(() => this.publish());

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#choices = new CompareChoices(options);
    this.#tasks = new TaskList(
      () => this.#soon.ask(),
      (error) => this.#fail(error),
    );
    const { engine, costSettings, actions } = options;
    const confirm: ConfirmFigures = (...cost) => actions.confirmFigures(...cost);
    this.#judging = new FigureJudging({ engine, costSettings, confirm, tasks: this.#tasks });
  }

  /** Runs what the panel asked for. Failures end in the state, never as an exception. */
  async handle(message: FromCompare): Promise<void> {
    try {
      await this.#handle(message);
    } catch (error) {
      this.#fail(asParallaxError(error));
    }
  }

  #handle(message: FromCompare): Promise<void> | void {
    switch (message.type) {
      case 'ready':
        return this.#open();
      case 'index':
        return this.#index(message.corpus);
      case 'remedy': {
        const corpus = this.#error?.corpus;
        this.#error = undefined;
        this.publish();
        return this.#options.actions.applyRemedy(message.remedy, corpus);
      }
      case 'run':
        return this.run();
      case 'cancel':
        return this.#tasks.cancelAll();
      case 'judge-figures':
        return this.#judgeFigures(message.scope);
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
        this.#error = undefined;
        return this.publish();
    }
  }

  /** The configuration or the eval sets changed. */
  async workspaceChanged(): Promise<void> {
    this.#compareChoices();
    this.publish();
    await this.refreshCorpora();
  }

  /** A corpus or judgements changed: the figures stay, marked as out of date. */
  figuresChanged(): void {
    // The request behind the comparison is no longer known.
    this.#asked = undefined;
    this.#compareChoices();
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

  /** Runs the chosen pipelines over the chosen data sets. */
  async run(): Promise<void> {
    const request = this.#choices.request;
    if (!request || !this.#areIndexed(request.datasets)) return this.publish();
    this.#error = undefined;
    if (await this.#compare(request)) {
      this.#judging.forget();
      this.publish();
      await this.#countJudged(request);
    }
    this.publish();
  }

  /** @returns the new comparison; nothing where it was cancelled or failed */
  async #compare(request: Params<'compare'>): Promise<Comparison | undefined> {
    const comparison = await this.#tasks.run('search', l10n.t('Comparing'), (context) =>
      this.#options.engine.request('compare', request, context),
    );
    if (!comparison) return undefined;
    this.#show(comparison, JSON.stringify(request));
    await this.#readKept();
    return comparison;
  }

  dispose(): void {
    this.#soon.cancel();
    this.#tasks.cancelAll();
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
      ...(this.#comparison ? { shown: this.#comparison.id } : {}),
      kept: [...this.#kept],
      ...(this.#movement ? { movement: this.#movement } : {}),
      ...(this.#comparison ? { judging: this.#judging.view(this.#blocked) } : {}),
      ...(this.#pool ? { pool: this.#pool } : {}),
      stale: this.#stale,
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  /** Sends the newest state, and before it the comparison that it shows where the panel has another one. */
  publish(): void {
    this.#soon.cancel();
    const { post } = this.#options.actions;
    if (this.#comparison && this.#comparison.id !== this.#sent) {
      post({ type: 'comparison', comparison: this.#comparison });
      this.#sent = this.#comparison.id;
    }
    post({ type: 'state', state: this.state() });
  }

  /** The panel is there, for the first time or again: it has nothing of what was sent before. */
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
    if (newest && !this.#comparison)
      this.#show(await this.#options.engine.request('keptComparison', { id: newest.id }), undefined);
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
    this.#error = undefined;
    const report = await this.#tasks.run('index', l10n.t`Indexing ${corpus}`, (context) =>
      this.#options.engine.request('index', { corpus, rebuild: false }, context),
    );
    if (report) await this.#options.actions.indexed(corpus);
    await this.refreshCorpora();
  }

  /** @param asked what it answers; nothing where that is not known, as for one that was kept */
  #show(comparison: Comparison, asked: string | undefined): void {
    this.#comparison = comparison;
    this.#movement = undefined;
    this.#pool = undefined;
    this.#asked = asked;
    this.#compareChoices();
  }

  /** Out of date is a comparison that answers something else than the choices ask for now. */
  #compareChoices(): void {
    this.#stale = this.#comparison !== undefined && this.#asked !== JSON.stringify(this.#choices.request);
  }

  #choose(what: Parameters<CompareChoices['choose']>[0], value: unknown): void {
    this.#choices.choose(what, value);
    this.#compareChoices();
    this.publish();
  }

  /** Another judge may know more, or less: what was counted and measured is another's. */
  #chooseJudge(name: string): void {
    this.#judging.forget();
    this.#pool = undefined;
    this.#choose('judge', name);
  }

  #areIndexed(datasets: readonly { readonly corpus: string }[]): boolean {
    return datasets.every(({ corpus }) => this.#indexed?.get(corpus));
  }

  /** Why nobody can be asked about what is shown. */
  get #blocked(): JudgingView['blocked'] {
    if (!this.#options.trusted()) return 'untrusted';
    if (!this.#choices.judge.canJudge) return 'people';
    return this.#again ? undefined : 'changed';
  }

  /** The comparison in view as a request; nothing where the workspace can no longer answer it. */
  get #again(): Params<'compare'> | undefined {
    const request = this.#comparison && this.#choices.again(this.#comparison);
    return request && this.#areIndexed(request.datasets) ? request : undefined;
  }

  async #judgeFigures(scope: JudgingScope): Promise<void> {
    const request = this.#again;
    const before = this.#comparison;
    if (!request || !before || this.#blocked) return this.publish();
    this.#error = undefined;
    const pooled = this.#pool !== undefined;
    const outcome = await this.#judging.judge(request, this.#choices.judge, scope);
    if (outcome === 'broken-off') this.figuresChanged();
    if (outcome !== 'nothing') await this.#options.actions.judged();
    const after = outcome === 'judged' ? await this.#compare(request) : undefined;
    if (after) this.#options.actions.comparedAgain(before, after);
    if (after && pooled) await this.#pooled(request);
    if (outcome !== 'nothing') await this.#countJudged(request);
    this.publish();
  }

  /** Nothing depends on the count: without it the panel says less. */
  async #countJudged(request: Params<'compare'>): Promise<void> {
    if (!this.#comparison || this.#blocked) return;
    try {
      await this.#judging.count(request);
    } catch (error) {
      this.#options.actions.log(`What is judged could not be counted: ${messageOf(error)}`);
    }
  }

  async #measurePool(): Promise<void> {
    const request = this.#again;
    if (!request || this.#blocked) return this.publish();
    this.#error = undefined;
    await this.#pooled(request);
    this.publish();
  }

  async #pooled(request: Params<'compare'>): Promise<void> {
    const shown = this.#comparison;
    const report = await this.#tasks.run('search', l10n.t('Measuring the pool'), (context) =>
      this.#options.engine.request('pool', request, context),
    );
    if (report && shown === this.#comparison) this.#pool = report;
  }

  /** Shows a comparison that was kept. */
  async openKept(id: string): Promise<void> {
    if (this.#comparison?.id === id) return;
    const kept = await this.#options.engine.request('keptComparison', { id });
    this.#judging.forget();
    this.#show(kept, undefined);
    this.publish();
  }

  async #forgetKept(id: string): Promise<void> {
    await this.#options.engine.request('forgetComparison', { id });
    await this.#readKept();
    this.publish();
  }

  async #showMovement({ dataset, queryId }: Extract<FromCompare, { type: 'show-movement' }>): Promise<void> {
    const shown = this.#comparison;
    if (!shown) return;
    const { least, most } = MOVEMENT_DEPTH;
    const depth = Math.min(Math.max(2 * shown.k, least), most);
    const movement = await this.#options.engine.request('movement', {
      id: shown.id,
      dataset,
      queryId,
      depth,
    });
    if (shown === this.#comparison) this.#movement = movement;
    this.publish();
  }

  async #inspect({ dataset, queryId, pipeline }: Extract<FromCompare, { type: 'inspect' }>): Promise<void> {
    const set = this.#comparison?.datasets.find(({ name }) => name === dataset);
    const query = set?.queries.find(({ id }) => id === queryId);
    const found = this.#comparison?.pipelines.find(({ name }) => name === pipeline);
    if (set && query && found) await this.#options.actions.inspect(set.corpus, query.text, found.pipeline);
  }

  async #export(format: ExportFormat | 'qrels'): Promise<void> {
    if (!this.#comparison) return;
    if (format === 'qrels') return this.#exportQrels(this.#comparison);
    const { name, content } = exportComparison(this.#comparison, format);
    return saveFile(this.#options.actions.save, name, content);
  }

  /** One file for each data set, since two may have the same query ids. */
  async #exportQrels({ id }: Comparison): Promise<void> {
    const { engine, actions } = this.#options;
    const { datasets } = await engine.request('judgedQrels', { id });
    const judged = datasets.filter(({ qrels }) => qrels !== '');
    if (judged.length === 0)
      throw new ParallaxError('bad-argument', l10n.t('Nothing is judged yet, so that there are no qrels.'));
    for (const { name, qrels, judges } of judged)
      await saveFile(actions.save, qrelsName(name), qrels, { added: '.judges.jsonl', content: judges });
  }

  #fail(error: ParallaxError): void {
    if (error.id === 'cancelled') return;
    this.#options.actions.log(`${error.id}: ${error.message}`);
    this.#error = failureOf(error);
    this.#soon.ask();
  }
}

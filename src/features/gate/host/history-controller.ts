/**
 * The history panel without the editor: handles user actions, asks the engine, and publishes the complete new state.
 * Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import { gateOf, type EvaluationSummary } from '../../../shared/evaluation.ts';
import type {
  ComparedRuns,
  FromHistory,
  HistoryState,
  Question,
  ToHistory,
} from '../../history/contract/panel.ts';
import type { Remedy } from '../../../shared/remedies.ts';
import type { Result } from '../../../shared/rpc.ts';
import { FailureInView } from '../../../extension/platform/failure-in-view.ts';
import { saveChart, type Save } from '../../../extension/platform/save-file.ts';
import { Throttle } from '../../../extension/platform/throttle.ts';
import { TaskList, type TaskContext } from '../../../extension/tasks/task-list.ts';
import type { EvaluatedWorkspace, Evaluator } from './evaluator.ts';
import { comparisonMarkdown, runsMarkdown } from './history-markdown.ts';

export interface HistoryOptions {
  readonly evaluator: Pick<Evaluator, 'history' | 'compare' | 'acceptKept'>;
  readonly workspace: () => EvaluatedWorkspace;
  readonly trusted: () => boolean;
  readonly actions: {
    post(message: ToHistory): void;
    /** Evaluates the workspace like the command, which adds the result to the history. */
    evaluate(context: TaskContext): Promise<void>;
    /** Whether the baseline may be replaced, if there is one. */
    mayReplaceBaseline(): Promise<boolean>;
    accepted(outcome: Result<'acceptEvaluation'>): void;
    /** Shows a query under a pipeline in the side panel. */
    inspect(evalSet: string, query: string, pipeline: string): Promise<void>;
    openEvalSet(path: string): Promise<void>;
    /** @param corpus the corpus of the failure */
    applyRemedy(remedy: Remedy, corpus?: string): Promise<void>;
    copy(text: string): Promise<void>;
    /** Asks for a path and writes the file. */
    readonly save: Save;
    log(message: string): void;
  };
}

export class HistoryController {
  readonly #options: HistoryOptions;
  readonly #tasks: TaskList;
  /** Whether the panel was opened. Until then the engine is not asked. */
  #opened = false;
  /** Newest first. */
  #runs: readonly EvaluationSummary[] = [];
  /** The number of evaluations stored in another format. */
  #unlisted = 0;
  #revision = 0;
  /** The revision that was last sent to the panel. */
  #sent = 0;
  #compared: ComparedRuns | undefined;
  readonly #publishing = new Throttle(() => this.publish());
  readonly #failure: FailureInView;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const changed = (): void => this.#publishing.request();
    this.#failure = new FailureInView((message) => options.actions.log(message), changed);
    this.#tasks = new TaskList(changed, this.#failure);
  }

  /** Handles a message of the panel. Failures become part of the state and are never thrown. */
  handle(message: FromHistory): Promise<void> {
    return this.#failure.guard(() => this.#handle(message));
  }

  #handle(message: FromHistory): Promise<void> | void {
    const { actions } = this.#options;
    switch (message.type) {
      case 'ready':
        return this.#open();
      case 'evaluate':
        return this.#evaluate();
      case 'cancel':
        return this.#tasks.cancelAll();
      case 'compare':
        return this.compare(...message.ids);
      case 'close-comparison':
        this.#compared = undefined;
        return this.publish();
      case 'accept':
        return this.#accept(message.id);
      case 'copy-runs':
        return actions.copy(runsMarkdown(this.#runs, message.dataset, message.pipeline));
      case 'copy-comparison':
        return this.#copyComparison();
      case 'open-eval-set':
        return actions.openEvalSet(message.evalSet);
      case 'inspect':
        return actions.inspect(message.evalSet, message.queryId, message.pipeline);
      case 'remedy': {
        const corpus = this.#failure.forget();
        this.publish();
        return actions.applyRemedy(message.remedy, corpus);
      }
      case 'save-chart':
        return saveChart(actions.save, message);
      case 'dismiss-error':
        this.#failure.forget();
        return this.publish();
    }
  }

  /** Reads the history again, because the editor or the command line may have added an evaluation. */
  async runsChanged(): Promise<void> {
    if (!this.#opened || !this.#options.trusted()) return;
    try {
      await this.#read();
    } catch (error) {
      this.#options.actions.log(`The history could not be read: ${messageOf(error)}`);
    }
    this.publish();
  }

  /** The checks of the gate or the texts of queries may have changed. */
  workspaceChanged(): void {
    if (this.#opened) this.publish();
  }

  /** Compares two runs, in any order. */
  async compare(one: string, other: string): Promise<void> {
    this.#failure.forget();
    if (!this.#has(one) || !this.#has(other)) await this.#read();
    const [now, then] = this.#runs.filter(({ id }) => id === one || id === other);
    if (!now || !then)
      throw new ParallaxError('not-found', l10n.t('This evaluation is no longer in the history.'));
    const comparison = await this.#options.evaluator.compare(then.id, now.id);
    this.#compared = { then: then.id, now: now.id, comparison, questions: this.#questions(comparison) };
    this.publish();
  }

  dispose(): void {
    this.#tasks.cancelAll();
    this.#publishing.cancel();
  }

  state(): HistoryState {
    const { config, evalQueries, configProblem } = this.#options.workspace();
    const { k, pipelines } = gateOf(config);
    const evalSets = evalQueries.filter(({ perspectives }) => perspectives.length > 0);
    const [task] = this.#tasks.views;
    return {
      trusted: this.#options.trusted(),
      ...(configProblem === undefined ? {} : { configProblem }),
      demands: {
        k,
        evalSets: [...new Set(evalSets.map(({ evalSet }) => evalSet))],
        pipelines,
      },
      revision: this.#revision,
      ...(task ? { task: { title: task.title, fraction: task.fraction, detail: task.detail } } : {}),
      ...(this.#compared ? { compared: this.#compared } : {}),
      ...this.#failure.view,
    };
  }

  /** Sends the newest state, preceded by the runs if the panel has older ones. */
  publish(): void {
    this.#publishing.cancel();
    const { post } = this.#options.actions;
    if (this.#revision !== this.#sent) {
      const unlisted = this.#unlisted > 0 ? { unlisted: this.#unlisted } : {};
      post({ type: 'runs', revision: this.#revision, runs: [...this.#runs], ...unlisted });
      this.#sent = this.#revision;
    }
    post({ type: 'state', state: this.state() });
  }

  /** The panel was opened, for the first time or again: it has none of the earlier messages. */
  async #open(): Promise<void> {
    this.#sent = 0;
    this.#opened = true;
    try {
      if (this.#options.trusted()) await this.#read();
    } finally {
      this.publish();
    }
  }

  async #read(): Promise<void> {
    const { evaluations: runs, unlisted } = await this.#options.evaluator.history();
    // A run never changes, except for its baseline mark.
    const identity = (all: readonly EvaluationSummary[]): string =>
      all.map(({ id, accepted }) => `${id} ${accepted}`).join('\n');
    const isKnown = identity(runs) === identity(this.#runs) && unlisted === this.#unlisted;
    if (this.#revision > 0 && isKnown) return;
    this.#runs = runs;
    this.#unlisted = unlisted;
    this.#revision++;
  }

  async #evaluate(): Promise<void> {
    this.#failure.forget();
    await this.#tasks.run('search', l10n.t('Evaluating the workspace'), (context) =>
      this.#options.actions.evaluate(context),
    );
    await this.runsChanged();
  }

  async #accept(id: string): Promise<void> {
    const { evaluator, actions } = this.#options;
    this.#failure.forget();
    if (!(await actions.mayReplaceBaseline())) return;
    actions.accepted(await evaluator.acceptKept(id));
    await this.runsChanged();
  }

  async #copyComparison(): Promise<void> {
    const compared = this.#compared;
    if (!compared) return;
    const [then, now] = [compared.then, compared.now].map((id) => this.#runs.find((run) => run.id === id));
    if (then && now) await this.#options.actions.copy(comparisonMarkdown(then, now, compared.comparison));
  }

  #has(id: string): boolean {
    return this.#runs.some((run) => run.id === id);
  }

  /** Texts of the changed queries, as far as the eval sets still contain them. */
  #questions({ comparisons }: ComparedRuns['comparison']): ComparedRuns['questions'] {
    const { evalQueries } = this.#options.workspace();
    const sets = new Map(
      this.#runs.flatMap(({ rows }) => rows.map(({ dataset, evalSet }) => [dataset, evalSet])),
    );
    const questions: Record<string, Record<string, Question>> = {};
    for (const { dataset, changed } of comparisons) {
      const ids = new Set(changed.map(({ id }) => id));
      const known = evalQueries.filter(({ evalSet, id }) => evalSet === sets.get(dataset) && ids.has(id));
      questions[dataset] = {
        ...questions[dataset],
        ...Object.fromEntries(known.map((query) => [query.id, questionOf(query)])),
      };
    }
    return questions;
  }
}

function questionOf({ text, perspectives }: EvalQuery): Question {
  return { text, perspectives: Object.fromEntries(perspectives.map((each) => [each.id, each.text])) };
}

/**
 * The side panel without the editor: handles user actions, asks the engine, and publishes the complete new state after
 * every change.
 */
import { isDeepStrictEqual } from 'node:util';
import { MEANING } from '../../../core/embedding/built-in.ts';
import type { NamedTarget } from '../../explain/core/explanation.ts';
import type { Perspective, Verdict } from '../../../core/model.ts';
import { pipelineLabel } from '../../../core/pipeline-label.ts';
import type { NamedPipeline, Pipeline } from '../../../core/pipeline.ts';
import { perspectiveMark, type FromInspector, type InspectorState } from '../contract/panel.ts';
import { typedPerspectives } from '../../../extension/workspace/workspace-model.ts';
import { FailureInView } from '../../../extension/platform/failure-in-view.ts';
import { Throttle } from '../../../extension/platform/throttle.ts';
import { AnswerInView } from './answer-in-view.ts';
import { Asking } from './asking.ts';
import { Choices } from './choices.ts';
import type { PanelContext } from './panel-context.ts';
import { handOverPrompt } from './hand-over.ts';
import { MissingDocument } from './missing/missing-document.ts';
import { Indexing } from './indexing.ts';
import type { InspectorOptions } from './inspector-options.ts';
import { PanelCorpus } from './panel-corpus.ts';
import { Question } from './question.ts';
import { RankingInView } from './missing/ranking-in-view.ts';
import { Suggestions } from './suggestions.ts';
import { StanceReview } from './stance-review.ts';
import { TaskList, type TaskKind } from '../../../extension/tasks/task-list.ts';
import type { QuestionPanel } from '../../../extension/services/panels.ts';

export class InspectorController {
  readonly #context: PanelContext;
  readonly #corpus: PanelCorpus;
  readonly #question: Question;
  readonly #stances: StanceReview;
  /** Used by features beside the panel. */
  readonly inView: AnswerInView;
  readonly indexing: Indexing;
  readonly #asking: Asking;
  /** The last known configuration, as text. */
  #configuration = '';
  readonly #suggestions: Suggestions;
  readonly #missing: MissingDocument;
  readonly #ranking: RankingInView;
  /** Whether the panel was opened in this session. */
  #shown = false;
  readonly #publishing = new Throttle(() => this.publish());

  constructor(options: InspectorOptions) {
    const changed = (): void => this.#publishing.request();
    const failure = new FailureInView((message) => options.actions.log(message), changed);
    const choices = new Choices(options);
    const tasks = new TaskList(changed, failure);
    this.#context = {
      ...options,
      tasks,
      choices,
      failure,
      guard: (work) => this.#guard(work),
      changed,
      publish: () => this.publish(),
    };
    this.#corpus = new PanelCorpus(this.#context);
    this.#question = new Question(() => options.workspace().evalQueries, choices.ownPerspectives);
    this.inView = new AnswerInView(this.#context, this.#question);
    this.#suggestions = new Suggestions(this.#context, this.#question);
    this.#missing = new MissingDocument(this.#context, this.#question);
    this.#ranking = new RankingInView(this.#context, this.#question);
    const { inView } = this;
    const parts = { corpus: this.#corpus, question: this.#question, inView, suggestions: this.#suggestions };
    const asking = new Asking(this.#context, { ...parts, afterAnswer: () => this.#explainAgain() });
    this.#asking = asking;
    this.indexing = new Indexing(this.#context, { corpus: this.#corpus, inView, asking });
    this.#stances = new StanceReview(this.#context, this.#question);
  }

  /** Handles a message of the panel. Failures become part of the state and are never thrown. */
  async handle(message: FromInspector): Promise<void> {
    const { actions, choices, tasks, failure, programs } = this.#context;
    switch (message.type) {
      case 'ready':
        this.#shown = true;
        this.publish();
        return this.#begin();
      case 'open-code':
        return this.#guard(() => programs.open(message.file, message.line));
      case 'open-folder':
        return this.#guard(() => actions.openFolder());
      case 'index':
        return this.indexing.indexChosen(message);
      case 'search':
        return this.search(message.query);
      case 'cancel':
        return tasks.cancel(message.kind);
      case 'explain':
        return this.explainMissing({ document: message.document });
      case 'complete-document':
        return this.#guard(() => this.#missing.complete(message.text));
      case 'end-explanation':
        this.#missing.forget();
        return this.publish();
      case 'adopt-change':
        return this.#missing.change && this.#setPipeline(this.#missing.change);
      case 'save-change':
        return this.#guard(() => this.#saveChange());
      case 'try-splitters':
        return this.#missing.trySplitters();
      case 'compare-change':
        return this.#guard(() => this.#missing.compare());
      case 'list-ranking': {
        const { type: _, ...selection } = message;
        return this.#guard(() => this.#ranking.show(selection));
      }
      case 'end-ranking':
        this.#ranking.end();
        return this.publish();
      case 'ask-program':
        return this.#guard(() => this.#missing.askProgram(message.id));
      case 'expect-document':
        return this.#guard(() => this.#missing.expect());
      case 'hand-over':
        return this.#guard(() => this.#handOver(message.perspectiveId));
      case 'set-pipeline':
        return this.#setPipeline(message.pipeline);
      case 'set-corpus':
        return this.showCorpus(message.name);
      case 'set-judge':
        choices.chooseJudge(message.name);
        return this.#again();
      case 'set-perspectives':
        this.#suggestions.forget();
        return this.#setPerspectives(typedPerspectives(message.texts));
      case 'choose-perspectives':
        this.#question.choose(message.source);
        return this.#again();
      case 'add-to-eval-set':
        return this.#guard(() => this.#addToEvalSet());
      case 'generate-perspectives':
        return this.#generate(message.query);
      case 'judge':
        return this.judgeResults({ ask: true });
      case 'look-deeper':
        return this.#guard(() => this.#lookDeeper(message.perspectiveId));
      case 'label':
        return this.#guard(() =>
          this.inView.label(message.passageId, message.perspectiveId, message.verdict),
        );
      case 'open':
        return this.#guard(() => this.inView.open(message.passageId, message.perspectiveId));
      case 'what-if':
        return this.#try(message);
      case 'end-what-if':
        this.inView.endWhatIf();
        return this.publish();
      case 'adopt-what-if':
        return this.inView.adopted && this.#setPipeline(this.inView.adopted);
      case 'propose-stances':
        return this.proposeStances();
      case 'accept-stance':
        return this.#guard(() => this.#stances.accept(message.perspectiveId));
      case 'reject-stance':
        this.#stances.reject(message.perspectiveId);
        return this.publish();
      case 'set-stance':
        return this.#guard(() => this.#stances.set(message.perspectiveId, message.stance));
      case 'choose-fields':
        return this.#guard(() => this.inView.chooseFields());
      case 'show-skipped':
        return this.showSkipped();
      case 'clear-history':
        return this.clearHistory();
      case 'remedy': {
        const corpus = failure.forget();
        this.publish();
        return this.#guard(() => actions.applyRemedy(message.remedy, corpus));
      }
      case 'dismiss-proposed':
        this.#suggestions.forget();
        return this.publish();
      case 'dismiss-error':
        failure.forget();
        return this.publish();
    }
  }

  /** Publishes the panel's first state. Accesses nothing before the workspace is trusted. */
  async #begin(): Promise<void> {
    if (!this.#context.trusted()) return;
    await this.indexing.refreshStatus();
    await this.indexing.survey();
    await this.#restore();
    await this.indexing.catchUp();
  }

  /** After a restart, asks the last question again from the index, without asking for judgements. */
  async #restore(): Promise<void> {
    const { query } = this.#context.choices;
    if (this.#question.text !== '' || query === undefined || !this.#corpus.indexed) return;
    this.#asking.ask(query);
    await this.#asking.answer();
  }

  /** The name of the corpus in view. */
  get corpus(): string {
    return this.#corpus.name;
  }

  get pipeline(): Pipeline {
    return this.#context.choices.pipeline;
  }

  async workspaceChanged(): Promise<void> {
    const { config, configProblem } = this.#context.workspace();
    const configuration = JSON.stringify([config, configProblem, this.#context.trusted()]);
    if (configuration !== this.#configuration) {
      // The cause may be fixed. If not, the failure will be shown again.
      this.#context.failure.forget();
      // The counted fields may have changed.
      void this.inView.refreshLikeness();
    }
    this.#configuration = configuration;
    this.#question.adoptEvalQuery();
    this.inView.checkPremises();
    // A panel that was never shown needs no refresh, and is no reason to start the engine.
    if (this.#corpus.known) return this.indexing.refreshStatus();
    this.publish();
    // An earlier state may have been waiting for trust or for a folder.
    if (this.#shown) await this.#begin();
  }

  /** Retrieves for a query, and shows the passages with what is known about them. */
  async search(query: string): Promise<void> {
    const text = query.trim();
    if (text === '' || !this.#corpus.usable) return;
    this.#asking.ask(text);
    // If the window has just opened, the status may be unknown; without it an existing index would be built again.
    await this.indexing.ensureStatus();
    if (this.#question.text !== text) return;
    if (!this.#corpus.indexed && !(await this.indexing.index(false))) return;
    if (!(await this.#asking.answer())) return;
    await this.#explainAgain();
    if (this.#context.settings().autoJudge) await this.judgeResults({ ask: false });
  }

  async #explainAgain(): Promise<void> {
    await this.#missing.explainAgain();
    await this.#guard(() => this.#ranking.again());
  }

  /** Shows a query under a pipeline, both chosen elsewhere. */
  async inspect(query: string, pipeline: Pipeline): Promise<void> {
    this.#context.choices.pipeline = pipeline;
    await this.search(query);
  }

  /** Shows a question with what a program returned for it. Other questions keep the chosen pipeline. */
  async inspectCaptured(question: string, pipeline: Pipeline): Promise<void> {
    this.#context.choices.usePipelineFor(question, pipeline);
    await this.search(question);
  }

  async #try(change: Extract<FromInspector, { type: 'what-if' }>): Promise<void> {
    await this.#guard(() => this.inView.try(change));
    await this.inView.refreshLikeness();
  }

  /**
   * Asks the judge about the unjudged pairs of the top k.
   *
   * @param ask whether the user requested it: only then more calls than the settings allow are offered for confirmation
   */
  async judgeResults({ ask }: { ask: boolean }): Promise<void> {
    if (!this.inView.answer) return;
    this.#tell('judge', await this.inView.judge(ask));
    this.publish();
  }

  /** @param perspectiveId defaults to the missing document in view */
  async #handOver(perspectiveId: string | undefined): Promise<void> {
    const { actions, choices } = this.#context;
    const { text: question, perspectives } = this.#question;
    const perspective = perspectives.find(({ id }) => id === perspectiveId)?.text;
    const document = perspectiveId === undefined ? this.#missing.document : undefined;
    if (perspective === undefined && document === undefined) return;
    const statements = perspectives.map(({ text }) => text);
    const lost = perspective === undefined ? { document: document! } : { perspective };
    const { pipeline } = choices;
    await actions.handOver(handOverPrompt({ question, perspectives: statements, ...lost, pipeline }));
  }

  async #lookDeeper(perspectiveId: string): Promise<void> {
    this.#tell('deeper', await this.inView.lookDeeper(perspectiveId));
  }

  /**
   * Shows pairs that the judge left open. The failure disappears once one of them has a verdict or another answer is in
   * view.
   */
  #tell(of: TaskKind, problem: InspectorState['error'] | undefined): void {
    const { inView } = this;
    const { answer } = inView;
    if (!problem || !answer) return;
    const open = answer.openPairs;
    const holds = (): boolean => inView.answer === answer && open.every((pair) => answer.isOpen(pair));
    this.#context.failure.tell(problem, { of, holds });
  }

  /** Questions with known perspectives, including the one in view, with corpus and judge. */
  get asked(): QuestionPanel['asked'] {
    const { workspace, choices } = this.#context;
    const { text, perspectives, reference } = this.#question;
    const { evalQueries } = workspace();
    const isTyped = text !== '' && reference.id === undefined && perspectives.length > 0;
    const typedQuestions = isTyped ? [{ id: text, text, perspectives }] : [];
    return { corpus: this.corpus, judge: choices.judge.name, queries: [...evalQueries, ...typedQuestions] };
  }

  /** The pipeline in use. */
  get present(): NamedPipeline {
    const { pipeline, pipelines } = this.#context.choices;
    const settings = (one: Pipeline): object => ({ ...one, name: undefined });
    const named = pipelines.find((one) => isDeepStrictEqual(settings(one.pipeline), settings(pipeline)));
    return { name: pipeline.name ?? named?.name ?? pipelineLabel(pipeline), pipeline };
  }

  /** Past questions, newest first. */
  get history(): readonly string[] {
    return this.#context.choices.history;
  }

  get pipelines(): readonly { readonly name: string; readonly pipeline: Pipeline }[] {
    return this.#context.choices.pipelines;
  }

  /** Stores the user's verdict on a passage of the corpus. `place` is the position of the perspective. */
  labelSlot(slot: number, place: number, verdict: Verdict): Promise<void> {
    return this.#guard(() => this.inView.labelSlot(slot, place, verdict));
  }

  addPerspective(text: string): Promise<void> {
    const texts = [...this.#question.perspectives.map((perspective) => perspective.text), text];
    return this.handle({ type: 'set-perspectives', texts });
  }

  /** Labels were changed elsewhere, so they are read again. */
  async labelsChanged(): Promise<void> {
    if (this.inView.answer) await this.#guard(() => this.inView.readAgain());
  }

  /** Opens the list of the files missing from the index of the corpus in view. */
  showSkipped(): Promise<void> {
    return this.#guard(() => this.#context.actions.showSkipped(this.corpus));
  }

  clearHistory(): void {
    this.#context.choices.clearHistory();
    this.publish();
  }

  /** Asks the model for the stance of perspectives without one. */
  proposeStances(): Promise<void> {
    return this.#guard(() => this.#stances.propose());
  }

  /** Explains why a document is not among the passages for the question in view. */
  async explainMissing(target: NamedTarget): Promise<void> {
    if (this.#question.text === '' || !this.#corpus.usable) return;
    await this.#missing.explain(target);
  }

  /** What is wrong in the programs of the workspace has changed. */
  codeChanged(): void {
    this.publish();
  }

  /** The programs that can be asked have changed. */
  programsChanged(): void {
    if (this.#missing.document !== undefined) this.#context.changed();
  }

  async #saveChange(): Promise<void> {
    const saved = await this.#missing.save();
    if (saved) await this.#setPipeline(saved);
  }

  #setPipeline(pipeline: Pipeline): Promise<void> {
    this.#context.choices.pipeline = pipeline;
    return this.#again();
  }

  /** Switches to another corpus. If a question was answered and the corpus is indexed, asks the question again. */
  async showCorpus(name: string): Promise<void> {
    this.#context.choices.corpus = name;
    const hadAnswer = this.inView.answer !== undefined;
    this.inView.show(undefined);
    this.#corpus.forget();
    await this.indexing.refreshStatus();
    await this.indexing.survey();
    // A corpus without an index is indexed only on request.
    if (hadAnswer && this.#corpus.indexed) await this.search(this.#question.text);
    await this.indexing.catchUp();
  }

  /** Asks the question again after a choice has changed; does nothing before the first question. */
  #again(): Promise<void> {
    this.publish();
    return this.#asking.isAsked ? this.search(this.#question.text) : Promise.resolve();
  }

  async #setPerspectives(perspectives: readonly Perspective[]): Promise<void> {
    this.#question.setPerspectives(perspectives);
    await this.#again();
  }

  /** Labels refer to the words of the perspectives, so they need no copy. */
  async #addToEvalSet(): Promise<void> {
    const { text, perspectives } = this.#question;
    if (text === '' || perspectives.length === 0) return;
    await this.#context.actions.addToEvalSet({ text, perspectives });
  }

  /** The model sees the passages that the search finds, so a new question is searched first. */
  async #generate(query: string): Promise<void> {
    const text = query.trim();
    if (text === '') return;
    if (text !== this.#question.text) this.#asking.ask(text);
    if (!this.inView.answer && this.#corpus.indexed) await this.#asking.answer();
    if (text !== this.#question.text) return;
    if (await this.#suggestions.propose(this.inView.answer)) this.#context.failure.forget();
    this.publish();
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    await this.#context.failure.guard(work);
    this.publish();
  }

  publish(): void {
    this.#publishing.cancel();
    this.#context.actions.publish(this.state());
  }

  dispose(): void {
    this.#context.tasks.cancelAll();
    this.#publishing.cancel();
  }

  state(): InspectorState {
    const { workspace, trusted, tasks, choices, failure, programs } = this.#context;
    const { config, evalQueries, configProblem } = workspace();
    const question = this.#question;
    const faults = programs.faults();
    return {
      trusted: trusted(),
      corpus: this.#corpus.view(),
      ...(faults.length === 0 ? {} : { code: [...faults] }),
      corpora: Object.keys(config.corpora),
      tasks: tasks.views,
      pipelines: choices.pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      embedders: [MEANING, ...Object.keys(config.embedders)],
      pipeline: choices.pipeline,
      judge: choices.judgeView,
      history: choices.history,
      evalQueries: evalQueries.map(({ id, text, evalSet }) => ({ id, text, evalSet })),
      query: question.text,
      perspectives: question.perspectives.map((perspective, index) => ({
        id: perspective.id,
        text: perspective.text,
        ...(perspective.document === undefined ? {} : { document: perspective.document }),
        ...this.#stances.view(perspective),
        ...perspectiveMark(index),
      })),
      perspectiveSource: question.source,
      ...(question.alternative ? { alternative: question.alternative } : {}),
      ...this.#suggestions.view,
      ...this.#missing.view,
      ...this.#ranking.view,
      ...this.inView.view(this.#corpus.passages),
      ...(configProblem === undefined ? {} : { configProblem }),
      ...failure.view,
    };
  }
}

/**
 * The side panel without the editor: handles what the user does, asks the engine, and publishes the newest whole state
 * after every change.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Perspective, Verdict } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { failureOf } from '../../shared/panels/failure.ts';
import { perspectiveMark, type FromInspector, type InspectorState } from '../../shared/panels/inspector.ts';
import { typedPerspectives } from '../workspace/workspace-model.ts';
import { Soon } from '../platform/soon.ts';
import { Answer } from './answer.ts';
import { AnswerInView } from './answer-in-view.ts';
import { Choices } from './choices.ts';
import type { PanelContext } from './panel-context.ts';
import type { CorpusChoice, InspectorOptions } from './inspector-options.ts';
import { PanelCorpus } from './panel-corpus.ts';
import { Question } from './question.ts';
import { Suggestions } from './suggestions.ts';
import { StanceReview } from './stance-review.ts';
import { TaskList } from '../tasks/task-list.ts';
import type { QuestionPanel } from '../services/panels.ts';

export class InspectorController {
  readonly #context: PanelContext;
  readonly #corpus: PanelCorpus;
  readonly #question: Question;
  readonly #stances: StanceReview;
  /** For what is done with it beside the panel. */
  readonly inView: AnswerInView;
  /** The configuration that was last heard of, as text. */
  #configuration = '';
  #error: InspectorState['error'];
  readonly #suggestions: Suggestions;
  /** The panel was opened in this session. */
  #shown = false;
  /** Corpora whose files were compared with their index in this session. */
  readonly #caughtUp = new Set<string>();
  readonly #soon = new Soon(() => this.publish());

  constructor(options: InspectorOptions) {
    const changed = (): void => this.#soon.ask();
    const fail = (error: ParallaxError): void => this.#fail(error);
    const tasks = new TaskList(changed, fail);
    this.#context = { ...options, tasks, choices: new Choices(options), fail, changed };
    this.#corpus = new PanelCorpus(this.#context);
    this.#question = new Question(
      () => options.workspace().evalQueries,
      this.#context.choices.ownPerspectives,
    );
    this.inView = new AnswerInView(this.#context, this.#question);
    this.#suggestions = new Suggestions(this.#context, this.#question);
    this.#stances = new StanceReview(this.#context, this.#question);
  }

  /** Runs what the panel asked for. Failures end in the state, never as an exception. */
  async handle(message: FromInspector): Promise<void> {
    const { actions, choices, tasks } = this.#context;
    switch (message.type) {
      case 'ready':
        this.#shown = true;
        this.publish();
        return this.#begin();
      case 'open-folder':
        return this.#guard(() => actions.openFolder());
      case 'index':
        return this.#indexChosen(message);
      case 'search':
        return this.search(message.query);
      case 'cancel':
        return tasks.cancel(message.kind);
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
        const corpus = this.#error?.corpus;
        this.#error = undefined;
        this.publish();
        return this.#guard(() => actions.applyRemedy(message.remedy, corpus));
      }
      case 'dismiss-proposed':
        this.#suggestions.forget();
        return this.publish();
      case 'dismiss-error':
        this.#error = undefined;
        return this.publish();
    }
  }

  /** The panel's first state; before the workspace is trusted nothing is looked at. */
  async #begin(): Promise<void> {
    if (!this.#context.trusted()) return;
    await this.refreshStatus();
    await this.#guard(() => this.#corpus.survey());
    await this.#restore();
    await this.#catchUp();
  }

  /** After a restart: the last question again, from the index; nobody is asked for judgements. */
  async #restore(): Promise<void> {
    const { query } = this.#context.choices;
    if (this.#question.text !== '' || query === undefined || !this.indexed) return;
    this.#ask(query);
    await this.#answerQuestion();
  }

  /**
   * Brings an index up to date with what changed while the window was closed, once for each corpus; what happens later
   * is watched. Until then an answer is marked as out of date.
   */
  async catchUp(): Promise<void> {
    if (!this.#context.trusted()) return;
    await this.ensureStatus();
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    const { corpus, indexed } = this;
    const { engine, settings, workspace } = this.#context;
    if (!indexed || !settings().autoIndex || workspace().configProblem !== undefined) return;
    if (this.#caughtUp.has(corpus)) return;
    this.#caughtUp.add(corpus);
    await this.#guard(async () => {
      const { added, changed, deleted } = await engine.request('fileChanges', { corpus });
      if (added + changed + deleted === 0 || this.corpus !== corpus) return;
      this.inView.markStale();
      this.publish();
      if (await this.index(false)) await this.#answerAnew();
    });
  }

  /** Indexes what was ticked; the choice is kept where everybody who works on the folder finds it. */
  async #indexChosen({
    choice,
    others = [],
  }: {
    choice?: CorpusChoice | undefined;
    others?: readonly string[] | undefined;
  }): Promise<void> {
    if (choice) {
      const { corpus } = this;
      await this.#context.actions.chooseCorpus(corpus, choice);
    }
    if (!(await this.index(false))) return;
    for (const corpus of others) if (!(await this.#corpus.index(false, corpus))) return;
  }

  /** The answer in view again, from what is indexed now; nobody is asked for judgements. */
  async #answerAnew(): Promise<void> {
    if (this.#isAsked) await this.#answerQuestion();
  }

  /** The name of the corpus in view. */
  get corpus(): string {
    return this.#corpus.name;
  }

  get pipeline(): Pipeline {
    return this.#context.choices.pipeline;
  }

  get indexed(): boolean {
    return this.#corpus.indexed;
  }

  get isIndexing(): boolean {
    return this.#context.tasks.isRunning('index');
  }

  /** The workspace's configuration or eval sets changed. */
  async workspaceChanged(): Promise<void> {
    const { config, configProblem } = this.#context.workspace();
    const configuration = JSON.stringify([config, configProblem, this.#context.trusted()]);
    if (configuration !== this.#configuration) {
      // The cause may be mended; if it is not, it will be said again.
      this.#error = undefined;
      // Other fields may be counted now.
      void this.inView.refreshLikeness();
    }
    this.#configuration = configuration;
    this.#question.adoptEvalQuery();
    this.inView.checkPremises();
    // Before the panel was ever shown there is nothing to refresh, and no reason to start the engine.
    if (this.#corpus.known) return this.refreshStatus();
    this.publish();
    // An earlier state may have waited for trust, or for a folder.
    if (this.#shown) await this.#begin();
  }

  refreshStatus(): Promise<void> {
    return this.#guard(() => this.#corpus.refresh());
  }

  /** Knows whether the corpus is indexed, without asking twice. */
  async ensureStatus(): Promise<void> {
    if (!this.#corpus.known) await this.refreshStatus();
  }

  /**
   * Brings the index up to date with the files.
   *
   * @param rebuild build it anew
   * @returns whether it came to its end
   */
  async index(rebuild: boolean): Promise<boolean> {
    if (!this.#corpus.usable) return false;
    const report = await this.#corpus.index(rebuild);
    if (report && report.added + report.changed + report.deleted > 0) this.inView.markStale();
    await this.refreshStatus();
    return report !== undefined;
  }

  /** Looks again at what could be indexed, where nothing was there to read. */
  async lookAgain(): Promise<void> {
    if (this.#corpus.foundNothing) await this.#guard(() => this.#corpus.survey());
  }

  /** Retrieves for a query, and shows what is known about the passages. */
  async search(query: string): Promise<void> {
    const text = query.trim();
    if (text === '' || !this.#corpus.usable) return;
    this.#ask(text);
    // The window may just have opened: what is indexed is not indexed once more, beside what begins there.
    await this.ensureStatus();
    if (this.#question.text !== text) return;
    if (!this.indexed && !(await this.index(false))) return;
    if (!(await this.#answerQuestion())) return;
    if (this.#context.settings().autoJudge) await this.judgeResults({ ask: false });
  }

  /** Shows a query under a pipeline, as chosen elsewhere. */
  async inspect(query: string, pipeline: Pipeline): Promise<void> {
    this.#context.choices.pipeline = pipeline;
    await this.search(query);
  }

  /** Makes `text` the question of the panel, remembered, and drops the answer to another one, and what went wrong with it. */
  #ask(text: string): void {
    if (text !== this.#question.text) {
      this.inView.show(undefined);
      this.#error = undefined;
      this.#suggestions.forget();
    }
    this.#question.ask(text);
    this.#context.choices.rememberQuery(text);
  }

  /** Retrieves for the question in view. @returns whether it came to an answer */
  async #answerQuestion(): Promise<boolean> {
    const { tasks, engine, choices } = this.#context;
    const answer = await tasks.run('search', l10n.t('Searching'), async (context) => {
      const asked = {
        corpus: this.corpus,
        query: this.#question.reference,
        perspectives: [...this.#question.perspectives],
        pipeline: this.pipeline,
        judge: choices.judge.name,
      };
      return new Answer(await engine.request('search', asked, context), asked);
    });
    if (!answer) return false;
    this.#error = undefined;
    this.inView.show(answer);
    this.#corpus.learnNotices(answer.notices);
    this.publish();
    return true;
  }

  async #try(change: Extract<FromInspector, { type: 'what-if' }>): Promise<void> {
    await this.#guard(() => this.inView.try(change));
    await this.inView.refreshLikeness();
  }

  /**
   * Asks the judge about the unjudged pairs of the top k.
   *
   * @param ask the user asked for it: many calls are confirmed, where otherwise they are not made
   */
  async judgeResults({ ask }: { ask: boolean }): Promise<void> {
    if (!this.inView.answer) return;
    const problem = await this.inView.judge(ask);
    if (problem) this.#error = problem;
    this.publish();
  }

  async #lookDeeper(perspectiveId: string): Promise<void> {
    const problem = await this.inView.lookDeeper(perspectiveId);
    if (problem) this.#error = problem;
  }

  /** Questions that perspectives are known of, the one in view among them, with corpus and judge. */
  get asked(): QuestionPanel['asked'] {
    const { workspace, choices } = this.#context;
    const { text, perspectives, reference } = this.#question;
    const { evalQueries } = workspace();
    const isTyped = text !== '' && reference.id === undefined && perspectives.length > 0;
    const own = isTyped ? [{ id: text, text, perspectives }] : [];
    return { corpus: this.corpus, judge: choices.judge.name, queries: [...evalQueries, ...own] };
  }

  /** Questions that were asked, newest first. */
  get history(): readonly string[] {
    return this.#context.choices.history;
  }

  get pipelines(): readonly { readonly name: string; readonly pipeline: Pipeline }[] {
    return this.#context.choices.pipelines;
  }

  /** The user's own verdict on a passage of the corpus; the perspective by its place. */
  labelSlot(slot: number, place: number, verdict: Verdict): Promise<void> {
    return this.#guard(() => this.inView.labelSlot(slot, place, verdict));
  }

  addPerspective(text: string): Promise<void> {
    const texts = [...this.#question.perspectives.map((perspective) => perspective.text), text];
    return this.handle({ type: 'set-perspectives', texts });
  }

  /** People labelled elsewhere: what they say is read again. */
  async labelsChanged(): Promise<void> {
    if (this.inView.answer) await this.#guard(() => this.inView.readAgain());
  }

  /** Opens the list of the files that are not in the index of the corpus in view. */
  showSkipped(): Promise<void> {
    return this.#guard(() => this.#context.actions.showSkipped(this.corpus));
  }

  /** Forgets the questions that were asked. */
  clearHistory(): void {
    this.#context.choices.clearHistory();
    this.publish();
  }

  /** Asks the model on which side the perspectives without a stance are. */
  proposeStances(): Promise<void> {
    return this.#guard(() => this.#stances.propose());
  }

  #setPipeline(pipeline: Pipeline): Promise<void> {
    this.#context.choices.pipeline = pipeline;
    return this.#again();
  }

  /** Turns to another corpus; a question that was answered is asked of it, too, where it is indexed. */
  async showCorpus(name: string): Promise<void> {
    this.#context.choices.corpus = name;
    const hadAnswer = this.inView.answer !== undefined;
    this.inView.show(undefined);
    this.#corpus.forget();
    await this.refreshStatus();
    await this.#guard(() => this.#corpus.survey());
    // One that is not indexed yet waits for the user to say so.
    if (hadAnswer && this.indexed) await this.search(this.#question.text);
    await this.#catchUp();
  }

  /** The question in view is answered, or about to be. */
  get #isAsked(): boolean {
    return this.inView.answer !== undefined || this.#context.tasks.isRunning('search');
  }

  /** The same question with changed means; nothing to do before the first one. */
  #again(): Promise<void> {
    this.publish();
    return this.#isAsked ? this.search(this.#question.text) : Promise.resolve();
  }

  async #setPerspectives(perspectives: readonly Perspective[]): Promise<void> {
    this.#question.setPerspectives(perspectives);
    await this.#again();
  }

  /** The labels go by the words of the perspectives, and are there already. */
  async #addToEvalSet(): Promise<void> {
    const { text, perspectives } = this.#question;
    if (text === '' || perspectives.length === 0) return;
    await this.#context.actions.addToEvalSet({ text, perspectives });
  }

  /** The model sees what the search finds, so that a question that was not asked yet is asked first. */
  async #generate(query: string): Promise<void> {
    const text = query.trim();
    if (text === '') return;
    if (text !== this.#question.text) this.#ask(text);
    if (!this.inView.answer && this.indexed) await this.#answerQuestion();
    if (text !== this.#question.text) return;
    if (await this.#suggestions.propose(this.inView.answer)) this.#error = undefined;
    this.publish();
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!ParallaxError.is(error, 'cancelled'))
        this.#fail(
          ParallaxError.is(error) ? error : new ParallaxError('internal', String(error), { cause: error }),
        );
    }
    this.publish();
  }

  #fail(error: ParallaxError): void {
    this.#context.actions.log(`${error.id}: ${error.message}`);
    this.#error = failureOf(error);
    this.#soon.ask();
  }

  publish(): void {
    this.#soon.cancel();
    this.#context.actions.publish(this.state());
  }

  dispose(): void {
    this.#soon.cancel();
    this.#context.tasks.cancelAll();
  }

  state(): InspectorState {
    const { workspace, trusted, tasks, choices } = this.#context;
    const { config, evalQueries, configProblem } = workspace();
    const question = this.#question;
    return {
      trusted: trusted(),
      corpus: this.#corpus.view(),
      corpora: Object.keys(config.corpora),
      tasks: tasks.views,
      pipelines: choices.pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      embedders: ['hashing', ...Object.keys(config.embedders)],
      pipeline: choices.pipeline,
      judge: choices.judgeView,
      history: choices.history,
      evalQueries: evalQueries.map(({ id, text, evalSet }) => ({ id, text, evalSet })),
      query: question.text,
      perspectives: question.perspectives.map((perspective, index) => ({
        id: perspective.id,
        text: perspective.text,
        ...this.#stances.view(perspective),
        ...perspectiveMark(index),
      })),
      perspectiveSource: question.source,
      ...(question.alternative ? { alternative: question.alternative } : {}),
      ...this.#suggestions.view,
      ...this.inView.view(this.#corpus.passages),
      ...(configProblem === undefined ? {} : { configProblem }),
      ...(this.#error ? { error: this.#error } : {}),
    };
  }
}

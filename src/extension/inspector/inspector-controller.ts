/**
 * The side panel without the editor: handles what the user does, asks the engine, and publishes the newest whole state
 * after every change.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Perspective, Query, Verdict } from '../../core/model.ts';
import { pipelineLabel, type Pipeline } from '../../core/pipeline.ts';
import { failureOf } from '../../shared/panels/failure.ts';
import { perspectiveMark, type FromInspector, type InspectorState } from '../../shared/panels/inspector.ts';
import type { Params } from '../../shared/rpc.ts';
import { typedPerspectives } from '../workspace/workspace-model.ts';
import { judgeOffers } from '../judging/judge-offers.ts';
import type { MappedAnswer } from '../services/panels.ts';
import { Soon } from '../platform/soon.ts';
import { Answer } from './answer.ts';
import { AnswerLikeness } from './answer-likeness.ts';
import { Choices } from './choices.ts';
import { Judging } from './judging.ts';
import { LookDeeper } from './look-deeper.ts';
import type { PanelContext } from './panel-context.ts';
import type { CorpusChoice, InspectorOptions } from './inspector-options.ts';
import { PanelCorpus } from './panel-corpus.ts';
import { Question } from './question.ts';
import { Suggestions } from './suggestions.ts';
import { StanceReview } from './stance-review.ts';
import { TaskList } from '../tasks/task-list.ts';
import { WhatIf } from './what-if.ts';

export class InspectorController {
  readonly #context: PanelContext;
  readonly #corpus: PanelCorpus;
  readonly #question: Question;
  readonly #judging: Judging;
  readonly #stances: StanceReview;
  readonly #deeper: LookDeeper;
  #answer: Answer | undefined;
  #whatIf: WhatIf | undefined;
  #likeness: AnswerLikeness | undefined;
  /** Configuration and perspectives of the answer as text; it is stale once they differ. */
  #premises = '';
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
    this.#judging = new Judging(this.#context);
    this.#deeper = new LookDeeper(this.#context);
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
        return this.#label(message);
      case 'open':
        return this.#open(message.passageId, message.perspectiveId);
      case 'what-if':
        return this.#try(message);
      case 'end-what-if':
        this.#whatIf?.end();
        void this.#likeness?.refresh();
        return this.publish();
      case 'adopt-what-if':
        return this.#whatIf?.adopted && this.#setPipeline(this.#whatIf.adopted);
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
        return this.#guard(() => this.#chooseFields());
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
      this.#answer?.markStale();
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

  async #chooseFields(): Promise<void> {
    const likeness = this.#likeness?.view().likeness;
    if (!likeness) return;
    const counted = likeness.fields.map(({ name }) => name);
    await this.#context.actions.chooseFields(this.corpus, { found: likeness.foundFields, counted });
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
      void this.#likeness?.refresh();
    }
    this.#configuration = configuration;
    this.#question.adoptEvalQuery();
    if (this.#premises !== this.#currentPremises) this.#answer?.markStale();
    // Before the panel was ever shown there is nothing to refresh, and no reason to start the engine.
    if (this.#corpus.known) return this.refreshStatus();
    this.publish();
    // An earlier state may have waited for trust, or for a folder.
    if (this.#shown) await this.#begin();
  }

  /** A stance that was written into an eval set, or a label into the file of labels, takes nothing from an answer. */
  get #currentPremises(): string {
    const perspectives = this.#question.perspectives.map(({ id, text }) => [id, text]);
    const { config } = this.#context.workspace();
    // Changes of names, gates, eval sets or the fields that are counted take nothing from it either.
    const { embedders, judges, generator } = config;
    return JSON.stringify([
      { ...config.corpora[this.corpus], fields: undefined },
      this.#context.choices.pipeline,
      embedders,
      judges,
      generator,
      perspectives,
    ]);
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
    if (report && report.added + report.changed + report.deleted > 0) this.#answer?.markStale();
    await this.refreshStatus();
    return report !== undefined;
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
      this.#show(undefined);
      this.#error = undefined;
    }
    if (text !== this.#question.text) this.#suggestions.forget();
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
    this.#show(answer);
    void this.#likeness?.refresh();
    this.#corpus.learnNotices(answer.notices);
    this.publish();
    return true;
  }

  #show(answer: Answer | undefined): void {
    this.#answer = answer;
    this.#whatIf = answer && new WhatIf(answer, this.#context.engine);
    this.#likeness = answer && this.#likenessOf(answer);
    this.#premises = this.#currentPremises;
  }

  #likenessOf(answer: Answer): AnswerLikeness {
    const { engine, actions, changed } = this.#context;
    return new AnswerLikeness(answer, { engine, changed, log: (message) => actions.log(message) });
  }

  async #try(change: Extract<FromInspector, { type: 'what-if' }>): Promise<void> {
    await this.#guard(async () => this.#whatIf?.try(change));
    await this.#likeness?.refresh();
  }

  /**
   * Asks the judge about the unjudged pairs of the top k.
   *
   * @param ask the user asked for it: many calls are confirmed, where otherwise they are not made
   */
  async judgeResults({ ask }: { ask: boolean }): Promise<void> {
    const answer = this.#answer;
    if (!answer) return;
    const problem = await this.#judging.judge(answer, ask, () => {
      if (answer === this.#answer) this.#soon.ask();
    });
    if (problem) this.#error = problem;
    this.publish();
  }

  /** The perspectives that the top k miss, or of which nobody knows whether it does. */
  get missing(): readonly Perspective[] {
    const coverage = this.#answer?.view().coverage ?? [];
    return this.#question.perspectives.filter(({ id }) =>
      coverage.some(({ perspectiveId, where }) => perspectiveId === id && where !== 'covered'),
    );
  }

  async #lookDeeper(perspectiveId: string): Promise<void> {
    const answer = this.#answer;
    if (!answer) return;
    const problem = await this.#deeper.look(answer, perspectiveId, () => {
      if (answer === this.#answer) this.#soon.ask();
    });
    if (problem && answer === this.#answer) this.#error = problem;
  }

  /** Questions that perspectives are known of, the one in view among them, with corpus and judge. */
  get asked(): { readonly corpus: string; readonly judge: string; readonly queries: readonly Query[] } {
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

  /** The answer in view, as a map of it is drawn; nothing while nothing was asked. */
  get mapped(): MappedAnswer | undefined {
    const answer = this.#answer;
    if (!answer) return undefined;
    const { corpus, query, perspectives, pipeline, candidates, supports } = answer;
    return {
      corpus,
      query,
      perspectives,
      pipeline,
      name: pipeline.name ?? pipelineLabel(pipeline),
      candidates: candidates.map(({ slot }) => slot),
      supports,
    };
  }

  get pipelines(): readonly { readonly name: string; readonly pipeline: Pipeline }[] {
    return this.#context.choices.pipelines;
  }

  /** The top k in view as a question to the chosen judge; nothing without an answer to judge. */
  get judgingTask(): Params<'judge'> | undefined {
    const answer = this.#answer;
    if (!answer || answer.perspectives.length === 0) return undefined;
    return this.#judging.judgingTask(answer, answer.topSlots);
  }

  /** The user's own verdict on a passage of the corpus; the perspective by its place. */
  async labelSlot(slot: number, place: number, verdict: Verdict): Promise<void> {
    const answer = this.#answer;
    const perspective = answer?.perspectives[place];
    if (answer && perspective)
      await this.#guard(() => this.#judging.label(answer, slot, perspective, verdict));
  }

  /** By the id of a passage: the places of the perspectives that it supports; only those that somebody judged. */
  async supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']> {
    return this.#answer ? this.#judging.supportsOf(this.#answer, slots) : {};
  }

  addPerspective(text: string): Promise<void> {
    const texts = [...this.#question.perspectives.map((perspective) => perspective.text), text];
    return this.handle({ type: 'set-perspectives', texts });
  }

  /** People labelled elsewhere: what they say is read again. */
  async labelsChanged(): Promise<void> {
    const answer = this.#answer;
    if (!answer) return;
    await this.#guard(() => this.#judging.readAgain(answer));
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
    const hadAnswer = this.#answer !== undefined;
    this.#show(undefined);
    this.#corpus.forget();
    await this.refreshStatus();
    await this.#guard(() => this.#corpus.survey());
    // One that is not indexed yet waits for the user to say so.
    if (hadAnswer && this.indexed) await this.search(this.#question.text);
    await this.#catchUp();
  }

  /** The question in view is answered, or about to be. */
  get #isAsked(): boolean {
    return this.#answer !== undefined || this.#context.tasks.isRunning('search');
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
    if (!this.#answer && this.indexed) await this.#answerQuestion();
    if (text !== this.#question.text) return;
    if (await this.#suggestions.propose(this.#answer)) this.#error = undefined;
    this.publish();
  }

  async #label({
    passageId,
    perspectiveId,
    verdict,
  }: Extract<FromInspector, { type: 'label' }>): Promise<void> {
    const slot = this.#answer?.slotOf(passageId);
    const place = this.#answer?.perspectives.findIndex(({ id }) => id === perspectiveId) ?? -1;
    if (slot !== undefined) await this.labelSlot(slot, place, verdict);
  }

  async #open(passageId: string, perspectiveId: string | undefined): Promise<void> {
    const { engine, actions } = this.#context;
    await this.#guard(async () => {
      const known = this.#answer?.candidate(passageId);
      const passage = known ?? (await engine.request('passage', { corpus: this.corpus, passageId }));
      const evidence = known && this.#answer ? this.#answer.evidence(known.slot) : [];
      const wanted = this.#answer?.perspectives.findIndex(({ id }) => id === perspectiveId) ?? -1;
      const letter = wanted < 0 ? undefined : perspectiveMark(wanted).letter;
      const focus = evidence.find((each) => each.letter === letter)?.span;
      await actions.open(this.corpus, { passage, focus }, evidence);
    });
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
      judge: this.#judgeView(),
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
      ...(this.#answer
        ? {
            results: {
              ...this.#answer.view(this.#corpus.passages),
              lookDeeperPassages: this.#context.settings().lookDeeperPassages,
              ...this.#whatIf?.view(),
              ...this.#likeness?.view(),
            },
          }
        : {}),
      ...(configProblem === undefined ? {} : { configProblem }),
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  #judgeView(): InspectorState['judge'] {
    const { judge, judges, generator } = this.#context.choices;
    return {
      name: judge.name,
      label: judge.label,
      canJudge: judge.canJudge,
      choices: [...judgeOffers(judges)],
      ...(generator?.hasChatModel
        ? { canGenerate: true, generator: generator.label }
        : { canGenerate: false }),
    };
  }
}

/**
 * What happens when the user does something in the side panel. Holds the panel's state, asks the
 * engine, and publishes the newest whole state after every change. Knows nothing of the editor.
 */
import { ParallaxError, type ErrorId } from '../../core/errors.ts';
import type { Perspective } from '../../core/model.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type Pipeline } from '../../core/pipeline.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import { perspectiveMark, type FromInspector, type InspectorState } from '../../shared/inspector.ts';
import type { CorpusStatus, JudgedPair, JudgeReport } from '../../shared/rpc.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import type { PassageEvidence } from '../passages/open-passage.ts';
import {
  findEvalQuery,
  pipelinesOf,
  typedPerspectives,
  type EvalQuery,
  type NamedPipeline,
} from '../workspace/workspace-model.ts';
import { Answer, type OpenTarget } from './answer.ts';
import { chooseJudge, judgeChoices, type JudgeChoice } from './judge-choice.ts';
import { TaskList, type TaskContext } from './task-list.ts';

/** What the controller needs to know of the workspace. */
export interface InspectedWorkspace {
  readonly open: boolean;
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
}

/** Values that outlive the window. */
export interface Memory {
  get<T>(key: string): T | undefined;
  set(key: string, value: unknown): void;
}

export interface InspectorSettings {
  readonly judge: string;
  readonly autoJudge: boolean;
  readonly confirmCallsAbove: number;
  readonly historySize: number;
}

/** What only the editor can do. */
export interface InspectorActions {
  publish(state: InspectorState): void;
  open(corpus: string, target: OpenTarget, evidence: readonly PassageEvidence[]): Promise<void>;
  openFolder(): Promise<void>;
  showSkipped(corpus: string): Promise<void>;
  /** Asks whether so many calls may be made; true to go ahead. */
  confirmCalls(calls: number, judge: string): Promise<boolean>;
  errorAction(action: ErrorAction): void;
  indexedChanged(indexed: boolean): void;
  log(message: string): void;
}

type ErrorAction = NonNullable<NonNullable<InspectorState['error']>['action']>;

export interface InspectorOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => InspectedWorkspace;
  readonly trusted: () => boolean;
  readonly settings: () => InspectorSettings;
  readonly memory: Memory;
  readonly userName: () => string;
  readonly actions: InspectorActions;
}

/** A panel redraws at most this often while judgements stream in. */
const PUBLISH_EVERY_MS = 50;

const GENERATED_PERSPECTIVES = 4;

const MEMORY = {
  history: 'history',
  query: 'query',
  pipeline: 'pipeline',
  corpus: 'corpus',
  judge: 'judge',
} as const;

export class InspectorController {
  readonly #options: InspectorOptions;
  readonly #tasks: TaskList;
  #status: CorpusStatus | undefined;
  #query = '';
  #perspectives: readonly Perspective[] = [];
  #perspectiveSource: InspectorState['perspectiveSource'] = 'none';
  #answer: Answer | undefined;
  #error: InspectorState['error'];
  /** What the slider asks for now. */
  #wantedLambda: number | null = null;
  readonly #similarities = new WeakMap<Answer, Promise<Float64Array>>();
  #publishTimer: NodeJS.Timeout | undefined;

  constructor(options: InspectorOptions) {
    this.#options = options;
    this.#tasks = new TaskList(
      () => this.#changed(),
      (error) => this.#fail(error),
    );
  }

  /** Runs what the panel asked for. Failures end in the state, never as an exception. */
  async handle(message: FromInspector): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.publish();
        await this.refreshStatus();
        return this.#restore();
      case 'open-folder':
        return this.#guard(() => this.#options.actions.openFolder());
      case 'index':
        return void (await this.index(false));
      case 'search':
        return this.search(message.query);
      case 'cancel':
        return this.#tasks.cancel(message.kind);
      case 'set-pipeline':
        return this.#setPipeline(message.pipeline);
      case 'set-corpus':
        return this.#setCorpus(message.name);
      case 'set-judge':
        return this.#setJudge(message.name);
      case 'set-perspectives':
        return this.#setPerspectives(typedPerspectives(message.texts), 'typed');
      case 'generate-perspectives':
        return this.#generate(message.query);
      case 'judge':
        return this.judgeResults({ ask: true });
      case 'label':
        return this.#label(message.passageId, message.perspectiveId, message.verdict);
      case 'open':
        return this.#open(message.passageId, message.perspectiveId);
      case 'what-if':
        return this.#whatIf(message.lambda);
      case 'adopt-what-if':
        return this.#adoptWhatIf();
      case 'show-skipped':
        return this.#guard(() => this.#options.actions.showSkipped(this.corpus));
      case 'clear-history':
        this.#options.memory.set(MEMORY.history, []);
        return this.publish();
      case 'error-action':
        this.#error = undefined;
        this.publish();
        return this.#options.actions.errorAction(message.action);
      case 'dismiss-error':
        this.#error = undefined;
        return this.publish();
    }
  }

  /** After a restart: the last question again, from the index; nobody is asked for judgements. */
  async #restore(): Promise<void> {
    const last = this.#options.memory.get<string>(MEMORY.query);
    if (this.#query !== '' || last === undefined || !this.indexed) return;
    this.#setQuery(last);
    await this.#answerQuery();
  }

  /** The name of the corpus in view. */
  get corpus(): string {
    const { config } = this.#options.workspace();
    const names = Object.keys(config.corpora);
    const chosen = this.#options.memory.get<string>(MEMORY.corpus) ?? config.corpus;
    return chosen !== undefined && names.includes(chosen) ? chosen : (names[0] ?? '');
  }

  get indexed(): boolean {
    return this.#status?.indexed ?? false;
  }

  get isIndexing(): boolean {
    return this.#tasks.isRunning('index');
  }

  /** The workspace's configuration or eval sets changed. */
  async workspaceChanged(): Promise<void> {
    this.#answer?.markStale();
    this.#adoptEvalQuery();
    // Before the panel was ever shown there is nothing to refresh, and no reason to start the engine.
    if (this.#status) await this.refreshStatus();
    else this.publish();
  }

  async refreshStatus(): Promise<void> {
    if (!this.#canUseCorpus()) return this.publish();
    await this.#guard(async () => {
      this.#setStatus(await this.#options.engine.request('status', { corpus: this.corpus }));
    });
  }

  /**
   * Brings the index up to date with the files.
   *
   * @param rebuild build it anew
   * @returns whether it came to its end
   */
  async index(rebuild: boolean): Promise<boolean> {
    if (!this.#canUseCorpus()) return false;
    const { corpus } = this;
    const report = await this.#tasks.run('index', `Indexing ${corpus}`, ({ signal, onNote }) =>
      this.#options.engine.request('index', { corpus, rebuild }, { signal, onNote }),
    );
    await this.refreshStatus();
    if (!report) return false;
    this.#options.actions.log(
      `Indexed ${corpus}: ${report.added} added, ${report.changed} changed, ${report.deleted} deleted, ` +
        `${report.skipped} skipped; ${report.passages} passages in ${Math.round(report.milliseconds)} ms.`,
    );
    if (report.added + report.changed + report.deleted > 0) this.#answer?.markStale();
    this.publish();
    return true;
  }

  /** Retrieves for a query, and shows what is known about the passages. */
  async search(query: string): Promise<void> {
    const text = query.trim();
    if (text === '' || !this.#canUseCorpus()) return;
    if (text !== this.#query) this.#answer = undefined;
    this.#setQuery(text);
    if (!this.indexed && !(await this.index(false))) return;
    if (!(await this.#answerQuery())) return;
    if (this.#options.settings().autoJudge) await this.judgeResults({ ask: false });
  }

  /** Retrieves for the query in view. @returns whether it came to an answer */
  async #answerQuery(): Promise<boolean> {
    const { corpus, pipeline, judge } = this;
    const answer = await this.#tasks.run('search', 'Searching', async (context) => {
      const id = this.#queryId();
      const query = { text: this.#query, ...(id === undefined ? {} : { id }) };
      const perspectives = [...this.#perspectives];
      const params = { corpus, query, perspectives, pipeline };
      const result = await this.#options.engine.request('search', params, context);
      return this.#assess(new Answer(result, pipeline, perspectives, id), judge, context);
    });
    if (!answer) return false;
    this.#answer = answer;
    this.publish();
    return true;
  }

  /** Shows a query under a pipeline, as chosen elsewhere. */
  async inspect(query: string, pipeline: Pipeline): Promise<void> {
    this.#options.memory.set(MEMORY.pipeline, pipeline);
    await this.search(query);
  }

  /** Knows whether the corpus is indexed, without asking twice. */
  async ensureStatus(): Promise<void> {
    if (!this.#status) await this.refreshStatus();
  }

  /**
   * Asks the judge about the unjudged pairs of the top k.
   *
   * @param ask the user asked for it: repeat failures are shown, and many calls are confirmed
   */
  async judgeResults({ ask }: { ask: boolean }): Promise<void> {
    const answer = this.#answer;
    const { judge, corpus } = this;
    if (!answer || !judge.canJudge || answer.perspectives.length === 0 || !this.#mayContact(judge)) return;
    const params = {
      corpus,
      judge: judge.name,
      query: { text: this.#query, ...(answer.queryId ? { id: answer.queryId } : {}) },
      perspectives: [...answer.perspectives],
      slots: answer.topSlots,
    };
    const report = await this.#tasks.run(
      'judge',
      `Judging with ${judge.label}`,
      async ({ signal, onNote }) => {
        const { calls } = await this.#options.engine.request('judgeCost', params, { signal });
        if (calls === 0 || !(await this.#mayCall(calls, judge, ask))) return undefined;
        answer.setPending(true);
        return this.#options.engine.request('judge', params, {
          signal,
          onNote: (note) => {
            onNote(note);
            if (note.type === 'judgement') this.#learn(answer, [note.pair]);
          },
        });
      },
    );
    answer.setPending(false);
    if (report) this.#reportJudging(report);
    this.publish();
  }

  async #mayCall(calls: number, judge: JudgeChoice, ask: boolean): Promise<boolean> {
    if (!judge.costly || calls <= this.#options.settings().confirmCallsAbove) return true;
    // Unasked, a search never makes more calls than the user agreed to in the settings.
    return ask && this.#options.actions.confirmCalls(calls, judge.label);
  }

  #reportJudging({ asked, answered, unparsable, failed, error, errorId }: JudgeReport): void {
    this.#options.actions.log(
      `Judged ${answered} of ${asked} pairs; ${unparsable} answers could not be read, ${failed} failed.`,
    );
    if (failed > 0)
      this.#error = {
        message: `${failed} of ${asked} pairs could not be judged: ${error ?? 'the model did not answer.'}`,
        action: ERROR_ACTIONS[errorId as ErrorId] ?? 'show-log',
      };
  }

  #learn(answer: Answer, pairs: readonly JudgedPair[]): void {
    answer.learn(pairs);
    if (answer === this.#answer) this.#changed();
  }

  async #assess(
    answer: Answer,
    judge: JudgeChoice,
    { signal }: Pick<TaskContext, 'signal'>,
  ): Promise<Answer> {
    if (answer.perspectives.length === 0) return answer;
    const known = await this.#options.engine.request(
      'judgements',
      {
        corpus: this.corpus,
        judge: judge.name,
        query: { text: this.#query, ...(answer.queryId ? { id: answer.queryId } : {}) },
        perspectives: [...answer.perspectives],
        slots: answer.candidates.map(({ slot }) => slot),
      },
      { signal },
    );
    answer.learn(known.pairs);
    answer.setSupporters(known.supporters);
    return answer;
  }

  #setPipeline(pipeline: Pipeline): Promise<void> {
    this.#options.memory.set(MEMORY.pipeline, pipeline);
    return this.#again();
  }

  async #setCorpus(name: string): Promise<void> {
    this.#options.memory.set(MEMORY.corpus, name);
    this.#answer = undefined;
    this.#status = undefined;
    await this.refreshStatus();
    await this.#again();
  }

  #setJudge(name: string): Promise<void> {
    this.#options.memory.set(MEMORY.judge, name);
    return this.#again();
  }

  /** The same question with changed means; nothing to do before the first question. */
  #again(): Promise<void> {
    this.publish();
    return this.#answer ? this.search(this.#query) : Promise.resolve();
  }

  async #setPerspectives(
    perspectives: readonly Perspective[],
    source: InspectorState['perspectiveSource'],
  ): Promise<void> {
    this.#perspectives = perspectives;
    this.#perspectiveSource = perspectives.length > 0 ? source : 'none';
    await this.#again();
  }

  async #generate(query: string): Promise<void> {
    const { judge } = this;
    const text = query.trim();
    if (text === '' || !this.#mayContact(judge)) return;
    if (text !== this.#query) {
      this.#answer = undefined;
      this.#setQuery(text);
    }
    const generated = await this.#tasks.run('generate', 'Asking for perspectives', ({ signal }) =>
      this.#options.engine.request(
        'generatePerspectives',
        { judge: this.#generator, query: text, count: GENERATED_PERSPECTIVES },
        { signal },
      ),
    );
    if (!generated || this.#query !== text) return;
    const perspectives = typedPerspectives(generated.perspectives.map((perspective) => perspective.text));
    await this.#setPerspectives(perspectives, 'generated');
  }

  async #label(passageId: string, perspectiveId: string, verdict: 'yes' | 'no' | 'unsure'): Promise<void> {
    const answer = this.#answer;
    const candidate = answer?.candidate(passageId);
    const perspective = answer?.perspectives.find(({ id }) => id === perspectiveId);
    if (!answer || !candidate || !perspective) return;
    await this.#guard(async () => {
      await this.#options.engine.request('label', {
        corpus: this.corpus,
        slot: candidate.slot,
        query: { text: this.#query, ...(answer.queryId ? { id: answer.queryId } : {}) },
        perspective,
        verdict,
        by: this.#options.userName(),
      });
      await this.#assess(answer, this.judge, { signal: new AbortController().signal });
    });
  }

  /** Reorders the candidates that are there; similarities are fetched once per answer. */
  async #whatIf(lambda: number | null): Promise<void> {
    const answer = this.#answer;
    if (!answer || answer.candidates.length === 0) return;
    this.#wantedLambda = lambda;
    if (lambda === null) {
      answer.endWhatIf();
      return this.publish();
    }
    await this.#guard(async () => {
      const similarities = await this.#similaritiesOf(answer);
      // The slider may have moved on, or been switched off, while they were fetched.
      if (answer !== this.#answer || this.#wantedLambda === null) return;
      answer.tryMmr(this.#wantedLambda, this.#whatIfEmbedder, similarities);
    });
  }

  #similaritiesOf(answer: Answer): Promise<Float64Array> {
    const known = this.#similarities.get(answer);
    if (known) return known;
    const slots = answer.candidates.map(({ slot }) => slot);
    const fetched = this.#options.engine
      .request('similarities', { corpus: this.corpus, embedder: this.#whatIfEmbedder, slots })
      .then(({ matrix }) => matrix);
    this.#similarities.set(answer, fetched);
    // A failure must not be remembered: the model may be there next time.
    fetched.catch(() => this.#similarities.delete(answer));
    return fetched;
  }

  /** Whose vectors say what is similar: those of a dense retriever, else the built-in ones. */
  get #whatIfEmbedder(): string {
    const { retriever } = this.pipeline;
    return retriever.type === 'dense' ? retriever.embedder : 'hashing';
  }

  async #adoptWhatIf(): Promise<void> {
    const whatIf = this.#answer?.whatIf;
    if (!whatIf) return;
    const { pipeline } = this;
    const others = pipeline.rerank.filter(({ type }) => type !== 'mmr');
    const rerank: Pipeline['rerank'] = [
      ...others,
      { type: 'mmr', lambda: whatIf.lambda, embedder: whatIf.embedder },
    ];
    // It is no longer the pipeline of that name.
    await this.#setPipeline({ ...pipeline, name: undefined, rerank });
  }

  async #open(passageId: string, perspectiveId: string | undefined): Promise<void> {
    await this.#guard(async () => {
      const known = this.#answer?.candidate(passageId);
      const passage =
        known ?? (await this.#options.engine.request('passage', { corpus: this.corpus, passageId }));
      const evidence = known && this.#answer ? this.#answer.evidence(known.slot) : [];
      const wanted = this.#answer?.perspectives.findIndex(({ id }) => id === perspectiveId) ?? -1;
      const letter = wanted < 0 ? undefined : perspectiveMark(wanted).letter;
      await this.#options.actions.open(
        this.corpus,
        { passage, focus: evidence.find((each) => each.letter === letter)?.span },
        evidence,
      );
    });
  }

  /** Makes `text` the question of the panel: remembered, and with the perspectives its eval set gives. */
  #setQuery(text: string): void {
    const { memory } = this.#options;
    const history = [text, ...this.#history.filter((earlier) => earlier !== text)];
    memory.set(MEMORY.query, text);
    memory.set(MEMORY.history, history.slice(0, this.#options.settings().historySize));
    if (text !== this.#query) {
      // Perspectives typed before the first search belong to the question being asked now.
      if (this.#query !== '') this.#clearPerspectives();
      this.#query = text;
    }
    this.#adoptEvalQuery();
  }

  #clearPerspectives(): void {
    this.#perspectives = [];
    this.#perspectiveSource = 'none';
  }

  #adoptEvalQuery(): void {
    if (this.#perspectiveSource === 'typed' || this.#perspectiveSource === 'generated') return;
    const found = findEvalQuery(this.#options.workspace().evalQueries, this.#query);
    this.#perspectives = found?.perspectives ?? [];
    this.#perspectiveSource = found ? 'eval-set' : 'none';
  }

  #queryId(): string | undefined {
    return findEvalQuery(this.#options.workspace().evalQueries, this.#query)?.id;
  }

  get #history(): readonly string[] {
    return this.#options.memory.get<string[]>(MEMORY.history) ?? [];
  }

  get pipeline(): Pipeline {
    const remembered = this.#options.memory.get<unknown>(MEMORY.pipeline);
    const first = this.#pipelines[0]?.pipeline ?? BUILT_IN_PIPELINES.bm25;
    try {
      return remembered === undefined ? first : parsePipeline(remembered);
    } catch (error) {
      // Written by another version of Parallax; not worth a word to the user.
      this.#options.actions.log(`The remembered pipeline is no longer valid: ${String(error)}`);
      return first;
    }
  }

  get #pipelines(): readonly NamedPipeline[] {
    return pipelinesOf(this.#options.workspace().config);
  }

  get judge(): JudgeChoice {
    const { config } = this.#options.workspace();
    const chosen = this.#options.memory.get<string>(MEMORY.judge) ?? this.#options.settings().judge;
    return chooseJudge(judgeChoices(config), config, chosen);
  }

  get #generator(): string {
    return this.#options.workspace().config.generator ?? this.judge.name;
  }

  #canUseCorpus(): boolean {
    return this.#options.workspace().open && this.corpus !== '';
  }

  /** Nothing is sent to an endpoint that a workspace names before the workspace is trusted. */
  #mayContact(judge: JudgeChoice): boolean {
    if (!judge.costly || this.#options.trusted()) return true;
    this.#fail(
      new ParallaxError('untrusted', 'Trust this workspace before Parallax contacts the model it names.'),
    );
    return false;
  }

  #setStatus(status: CorpusStatus): void {
    this.#status = status;
    this.#options.actions.indexedChanged(status.indexed);
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
    const action = ERROR_ACTIONS[error.id];
    this.#options.actions.log(`${error.id}: ${error.message}`);
    this.#error = { message: error.message, ...(action ? { action } : {}) };
    this.#changed();
  }

  /** Publishes soon, once, however many changes come together. */
  #changed(): void {
    this.#publishTimer ??= setTimeout(() => this.publish(), PUBLISH_EVERY_MS);
  }

  publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.#options.actions.publish(this.state());
  }

  dispose(): void {
    clearTimeout(this.#publishTimer);
    this.#tasks.cancelAll();
  }

  state(): InspectorState {
    const { config, open, evalQueries } = this.#options.workspace();
    const choices = judgeChoices(config);
    const { judge } = this;
    const generator = choices.find(({ name }) => name === this.#generator);
    return {
      trusted: this.#options.trusted(),
      corpus: this.#corpusView(open),
      corpora: Object.keys(config.corpora),
      tasks: this.#tasks.views,
      pipelines: this.#pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
      embedders: ['hashing', ...Object.keys(config.embedders)],
      pipeline: this.pipeline,
      judge: {
        name: judge.name,
        label: judge.label,
        heuristic: judge.heuristic,
        canJudge: judge.canJudge,
        choices: choices.map(({ name, label, heuristic }) => ({ name, label, heuristic })),
        ...(generator?.costly ? { canGenerate: true, generator: generator.label } : { canGenerate: false }),
      },
      history: [...this.#history],
      evalQueries: evalQueries.map(({ id, text, evalSet }) => ({ id, text, evalSet })),
      query: this.#query,
      perspectives: this.#perspectives.map(({ id, text, stance }, index) => ({
        id,
        text,
        ...(stance ? { stance } : {}),
        ...perspectiveMark(index),
      })),
      perspectiveSource: this.#perspectiveSource,
      ...(this.#answer ? { results: this.#answer.view() } : {}),
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  get #roots(): string[] {
    return [...(this.#options.workspace().config.corpora[this.corpus]?.roots ?? [])];
  }

  #corpusView(open: boolean): InspectorState['corpus'] {
    if (!open) return { state: 'no-folder' };
    if (!this.#status) return { state: 'unknown' };
    const { indexed, documents, passages, skipped, notices } = this.#status;
    if (!indexed) return { state: 'not-indexed', name: this.corpus, roots: this.#roots };
    return { state: 'indexed', name: this.corpus, documents, passages, skipped, notices };
  }
}

const ERROR_ACTIONS: Partial<Record<ErrorId, ErrorAction>> = {
  'not-indexed': 'index',
  'engine-stopped': 'show-log',
  internal: 'show-log',
  'model-key': 'set-key',
  'model-unreachable': 'show-log',
  'model-missing': 'open-settings',
  untrusted: 'trust',
};

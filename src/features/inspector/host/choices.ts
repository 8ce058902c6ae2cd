/** The corpus, pipeline and judge that the user chose for the workspace. Choices outlive the window. */
import { isDeepStrictEqual } from 'node:util';
import {
  DEFAULT_PIPELINE,
  type NamedPipeline,
  parsePipeline,
  type Pipeline,
} from '../../../core/pipeline.ts';
import { pipelinesOf } from '../../../shared/defaults/default-config.ts';
import { judgeChoices, rememberedJudge, type JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import { judgeOffers } from '../../../extension/judging/judge-offers.ts';
import type { InspectorState } from '../contract/panel.ts';
import type { InspectorOptions } from './inspector-options.ts';
import type { OwnMemory, OwnPerspectives } from './question.ts';

const KEYS = {
  history: 'history',
  query: 'query',
  pipeline: 'pipeline',
  corpus: 'corpus',
  judge: 'judge',
  perspectives: 'perspectives',
} as const;

type Options = Pick<InspectorOptions, 'workspace' | 'settings' | 'memory' | 'actions'>;

export class Choices {
  readonly #options: Options;

  /** A pipeline for one question only. */
  #ofQuestion: { readonly question: string; readonly pipeline: Pipeline } | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The name of the corpus in view. */
  get corpus(): string {
    const { config } = this.#options.workspace();
    const names = Object.keys(config.corpora);
    const chosen = this.#recall<string>('corpus') ?? config.corpus;
    return chosen !== undefined && names.includes(chosen) ? chosen : (names[0] ?? '');
  }

  set corpus(name: string) {
    this.#remember('corpus', name);
  }

  get pipelines(): readonly NamedPipeline[] {
    return pipelinesOf(this.#options.workspace().config);
  }

  /** A pipeline chosen by name follows the configuration. */
  get pipeline(): Pipeline {
    if (this.#ofQuestion && this.#ofQuestion.question === this.query) return this.#ofQuestion.pipeline;
    const remembered = this.#recall<unknown>('pipeline');
    const first = this.pipelines[0]?.pipeline ?? DEFAULT_PIPELINE.pipeline;
    if (remembered === undefined) return first;
    try {
      const pipeline = parsePipeline(remembered);
      return this.#configured(pipeline.name) ?? pipeline;
    } catch (error) {
      // Written by another version of Parallax; not worth a message.
      this.#options.actions.log(`The remembered pipeline is no longer valid: ${String(error)}`);
      return first;
    }
  }

  /** Drops the name if the configuration has other settings under it, because reading the choice would return those. */
  set pipeline(pipeline: Pipeline) {
    this.#ofQuestion = undefined;
    const configured = this.#configured(pipeline.name);
    const isAnother = configured !== undefined && !isDeepStrictEqual(configured, pipeline);
    this.#remember('pipeline', isAnother ? { ...pipeline, name: undefined } : pipeline);
  }

  /** Uses a pipeline until another question is asked or another pipeline is chosen. */
  usePipelineFor(question: string, pipeline: Pipeline): void {
    this.#ofQuestion = { question: question.trim(), pipeline };
  }

  #configured(name: string | undefined): Pipeline | undefined {
    const match = this.pipelines.find((one) => one.name === name);
    return match && { ...match.pipeline, name: match.name };
  }

  get judges(): readonly JudgeChoice[] {
    return judgeChoices(this.#options.workspace().config);
  }

  get judge(): JudgeChoice {
    const { workspace, settings } = this.#options;
    return rememberedJudge(workspace().config, this.#recall<string>('judge'), settings().judge);
  }

  chooseJudge(name: string): void {
    this.#remember('judge', name);
  }

  /** The judge whose model writes perspectives and stances. `undefined` if no judge has the configured name. */
  get generator(): JudgeChoice | undefined {
    const { judge } = this;
    const judgeName = this.#options.workspace().config.generator ?? judge.name;
    return this.judges.find(({ name }) => name === judgeName);
  }

  get judgeView(): InspectorState['judge'] {
    const { judge, judges, generator } = this;
    return {
      name: judge.name,
      label: judge.label,
      canJudge: judge.canJudge,
      choices: judgeOffers(judges),
      ...(generator?.hasChatModel
        ? { canGenerate: true, generator: generator.label }
        : { canGenerate: false }),
    };
  }

  /** The last question, asked again at the next start. */
  get query(): string | undefined {
    return this.#recall<string>('query');
  }

  /** Newest first. */
  get history(): readonly string[] {
    return this.#recall<string[]>('history') ?? [];
  }

  rememberQuery(text: string): void {
    const history = [text, ...this.history.filter((earlier) => earlier !== text)];
    this.#remember('query', text);
    this.#remember('history', history.slice(0, this.#options.settings().historySize));
  }

  /** Perspectives that the user typed or accepted, for questions of the history. */
  get ownPerspectives(): OwnMemory {
    const all = (): Record<string, OwnPerspectives> => this.#recall('perspectives') ?? {};
    return {
      get: (question) => (Object.hasOwn(all(), question) ? all()[question] : undefined),
      set: (question, ownPerspectives) => {
        const recentQuestions = new Set([question, ...this.history]);
        const otherEntries = Object.entries(all()).filter(
          ([text]) => text !== question && recentQuestions.has(text),
        );
        this.#remember(
          'perspectives',
          Object.fromEntries([...otherEntries, ...(ownPerspectives ? [[question, ownPerspectives]] : [])]),
        );
      },
    };
  }

  clearHistory(): void {
    this.#remember('history', []);
    this.#remember('perspectives', {});
  }

  #recall<T>(key: keyof typeof KEYS): T | undefined {
    return this.#options.memory.get<T>(KEYS[key]);
  }

  #remember(key: keyof typeof KEYS, value: unknown): void {
    this.#options.memory.set(KEYS[key], value);
  }
}

/** The judges of a configuration. Each is created at the first request. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { PromptTemplate } from '../../core/judging/prompts/template.ts';
import { type JudgeConfig, isChatJudge, judgeTypeOf } from '../../shared/judge-config.ts';
import { BUILT_IN_JUDGES, chatJudgeOf } from '../../shared/named-judges.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { createCachedJudge } from '../judgements/cached-judge.ts';
import type { JudgementCache } from '../judgements/judgement-cache.ts';
import { LabelledAnswers, type LabelSource } from '../judgements/labelled-answers.ts';
import { LabelsFile } from '../judgements/labels-file.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { ChatModels } from '../models/chat-models.ts';
import { NliModels } from '../models/nli-models.ts';
import { PaidReplies } from '../models/paid-replies.ts';
import type { HostCalls } from '../host-calls.ts';
import type { Judge } from './judge.ts';
import { MAKE_JUDGE, type JudgeParts, type NamedJudges } from './judge-makers.ts';

/** For judges that need more than their configuration. */
export interface JudgeResources {
  /** Without them, no model may be loaded. The caller disposes of them. */
  readonly nliModels?: NliModels | undefined;
  /** Labels that calibrate confidences. Defaults to none. */
  readonly labels?: LabelSource | undefined;
  /** From 2. Answers are stored separately from the first ones, and asked for even if the first ones exist. */
  readonly repeat?: number | undefined;
}

/** The chat model behind a judge, and the judge's settings for asking it. */
export interface LentModel {
  readonly model: ChatModel;
  /** For each attempt. */
  readonly timeoutMs: number;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** The judge's own prompt. `undefined` for a preset. */
  readonly prompt?: PromptTemplate | undefined;
}

export class Judges {
  readonly #configs: Readonly<Record<string, JudgeConfig>>;
  readonly #parts: JudgeParts;
  readonly #made = new Map<string, Judge>();
  readonly #again: (repeat: number) => Judges;
  readonly #repeats = new Map<number, Judges>();

  constructor(
    { judges, keys }: Pick<EngineConfig, 'judges' | 'keys'>,
    cache: JudgementCache,
    host: HostCalls | undefined,
    { nliModels, labels, repeat = 1 }: JudgeResources = {},
  ) {
    this.#configs = judges;
    this.#again = (another) =>
      new Judges({ judges, keys }, cache, host, { nliModels, labels, repeat: another });
    this.#parts = {
      chatModels: new ChatModels(keys, host),
      nliModels: nliModels ?? new NliModels({ base: '', trusted: false }),
      cache,
      replies: new PaidReplies(cache.replies, Date.now, repeat),
      asRepeat: (judge) =>
        repeat === 1 ? judge : { ...judge, key: JSON.stringify([{ repeat }, judge.key]) },
      labelled: new LabelledAnswers(labels ?? new LabelsFile(undefined, () => undefined), cache),
    };
  }

  /**
   * @returns undefined for human labels, which have no judge to ask
   * @throws ParallaxError `bad-argument` for an unknown name; `bad-config` if the judge names another one that does
   *   not fit, or is part of a circle; `untrusted` and `model-missing` for a model on this machine
   */
  get(name: string): Judge | undefined {
    return this.#get(name, []);
  }

  /**
   * Judges that answer everything once more. Each repeat of an answer is stored separately.
   *
   * @param repeat from 2
   */
  repeated(repeat: number): Judges {
    const judges = this.#repeats.get(repeat) ?? this.#again(repeat);
    this.#repeats.set(repeat, judges);
    return judges;
  }

  /** Whether a judge with this name exists. */
  has(name: string): boolean {
    return Object.hasOwn(this.#configs, name) || Object.hasOwn(BUILT_IN_JUDGES, name);
  }

  /** Whether the judge is a chat model that is asked at a temperature above 0. */
  isSampled(name: string): boolean {
    const config = this.#find(name);
    return config.type === 'openai' && config.temperature > 0;
  }

  /** The judges that are no heuristics and store their answers. Leaves out those that cannot be created here. */
  remembering(): Judge[] {
    return [...Object.keys(this.#configs), ...Object.keys(BUILT_IN_JUDGES)].flatMap((name) => {
      try {
        const judge = this.get(name);
        return judge && !judge.heuristic ? judge : [];
      } catch (error) {
        if (ParallaxError.is(error)) return [];
        throw error;
      }
    });
  }

  /**
   * The model behind a judge, for other questions than judgements: for a debate its first agent's, for a filter the
   * main judge's.
   *
   * @throws ParallaxError `model-missing` if the judge has no chat model; as {@link get} if the judge names others
   */
  chatModel(name: string): LentModel {
    const config = this.#find(name);
    if (isChatJudge(config)) {
      const { timeoutMs, concurrency, prompt } = config;
      return { model: this.#parts.chatModels.get(name, config), timeoutMs, concurrency, prompt };
    }
    const otherName = chatJudgeOf(name, config);
    // A judge that cannot be created, as in a circle, has no model to lend.
    if (otherName !== undefined && this.get(name)) return this.chatModel(otherName);
    throw new ParallaxError(
      'model-missing',
      l10n.t('Configure a model in parallax.json to have perspectives suggested.'),
    );
  }

  /** @param path the judges that led to this one */
  #get(name: string, path: readonly string[]): Judge | undefined {
    checkCircle(name, path);
    const config = this.#find(name, path.at(-1));
    if (config.type === 'labels') return undefined;
    const judge = this.#made.get(name) ?? this.#create(name, config, path);
    this.#made.set(name, judge);
    return judge;
  }

  #create(name: string, config: Exclude<JudgeConfig, { type: 'labels' }>, path: readonly string[]): Judge {
    const make = MAKE_JUDGE[config.type] as (
      name: string,
      config: JudgeConfig,
      parts: JudgeParts,
      judges: NamedJudges,
    ) => Judge;
    const plainJudge = make(name, config, this.#parts, {
      configOf: (judgeName) => this.#find(judgeName, name),
      judgeOf: (judgeName) => this.#get(judgeName, [...path, name]),
    });
    const judge = this.#parts.asRepeat(plainJudge);
    // A heuristic answers again in less time than it takes to look its answer up.
    const isRecomputed = judgeTypeOf(config).answeredBy === 'heuristic';
    return isRecomputed ? judge : createCachedJudge(judge, this.#parts.cache);
  }

  /** @param by the judge that names this one; undefined if none does */
  #find(name: string, by?: string): JudgeConfig {
    const config = Object.hasOwn(this.#configs, name)
      ? this.#configs[name]
      : Object.hasOwn(BUILT_IN_JUDGES, name) && BUILT_IN_JUDGES[name];
    if (config) return config;
    if (by === undefined)
      throw new ParallaxError('bad-argument', l10n.t`There is no judge "${name}" in parallax.json.`);
    throw new ParallaxError(
      'bad-config',
      l10n.t`The judge "${by}" names "${name}", which is not in parallax.json.`,
    );
  }
}

/** @throws ParallaxError `bad-config` naming the judges of the circle */
function checkCircle(name: string, path: readonly string[]): void {
  const begins = path.indexOf(name);
  if (begins < 0) return;
  const circle = [...path.slice(begins), name].map((each) => `"${each}"`).join(' → ');
  throw new ParallaxError('bad-config', l10n.t`The judges refer to each other in a circle: ${circle}.`);
}

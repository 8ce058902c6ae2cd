/** The judges that a configuration offers, made when first asked for. */
import * as l10n from '@vscode/l10n';
import { analyze } from '../../core/text/analyzer.ts';
import { ParallaxError } from '../../core/errors.ts';
import { STANDARDS } from '../../core/judging/standard.ts';
import { BUILT_IN_JUDGES, type JudgeConfig } from '../../shared/judge-types.ts';
import { keyOf } from '../../shared/key-names.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { HostCalls } from '../host-calls.ts';
import { createCachedJudge } from '../judgements/cached-judge.ts';
import { createChatJudge } from './chat-judge.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { createConfidenceJudge } from './confidence-judge.ts';
import { createDebateJudge, type DebateAgent } from './debate-judge.ts';
import { createFilterJudge } from './filter-judge.ts';
import { createHostModel } from '../models/host-model.ts';
import type { Judge } from './judge.ts';
import type { JudgementCache } from '../judgements/judgement-cache.ts';
import { LabelledAnswers } from '../judgements/labelled-answers.ts';
import { LabelsFile } from '../judgements/labels-file.ts';
import { createLaraJudge } from './lara-judge.ts';
import { createLexicalJudge } from './lexical-judge.ts';
import { calibratedThreshold, createNliJudge, nliKey } from './nli-judge.ts';
import { NliModels } from '../models/nli-models.ts';
import { createOpenAiModel } from '../models/openai-model.ts';
import { PaidReplies } from '../models/paid-replies.ts';

type ChatConfig = Extract<JudgeConfig, { type: 'openai' | 'vscode' }>;
type DebateConfig = Extract<JudgeConfig, { type: 'debate' }>;
type FilterConfig = Extract<JudgeConfig, { type: 'filter' }>;
type NliConfig = Extract<JudgeConfig, { type: 'nli' }>;
type LaraConfig = Extract<JudgeConfig, { type: 'lara' }>;

/** What only some judges need. */
export interface JudgeParts {
  /** Left out, no model may be loaded. Whoever hands them in disposes of them. */
  readonly nliModels?: NliModels | undefined;
  /** What confidences are calibrated on; nobody has labelled anything where they are left out. */
  readonly labels?: LabelsFile | undefined;
}

export class Judges {
  readonly #config: Pick<EngineConfig, 'judges' | 'keys'>;
  readonly #cache: JudgementCache;
  readonly #host: HostCalls | undefined;
  /** Shared by all debates: those with the same agents begin with the same replies. */
  readonly #replies: PaidReplies;
  readonly #nliModels: NliModels;
  readonly #labelled: LabelledAnswers;
  readonly #made = new Map<string, Judge>();
  readonly #models = new Map<string, ChatModel>();

  constructor(
    config: Pick<EngineConfig, 'judges' | 'keys'>,
    cache: JudgementCache,
    host: HostCalls | undefined,
    parts: JudgeParts = {},
  ) {
    this.#config = config;
    this.#cache = cache;
    this.#replies = new PaidReplies(cache.replies);
    this.#host = host;
    this.#nliModels = parts.nliModels ?? new NliModels({ base: '', trusted: false });
    this.#labelled = new LabelledAnswers(parts.labels ?? new LabelsFile(undefined, () => undefined), cache);
  }

  /**
   * @returns nothing for human labels, where there is nobody to ask
   * @throws ParallaxError `bad-argument` for an unknown name; `bad-config` where the judge names another one
   *   that does not fit, or is part of a circle; `untrusted` and `model-missing` for a model on this machine
   */
  get(name: string): Judge | undefined {
    return this.#get(name, []);
  }

  /** @param path the judges that led to this one */
  #get(name: string, path: readonly string[]): Judge | undefined {
    checkCircle(name, path);
    const config = this.#find(name, path.at(-1));
    if (config.type === 'labels') return undefined;
    const made = this.#made.get(name) ?? this.#create(name, config, path);
    this.#made.set(name, made);
    return made;
  }

  /** Whether there is a judge of this name. */
  has(name: string): boolean {
    return Object.hasOwn(this.#config.judges, name) || Object.hasOwn(BUILT_IN_JUDGES, name);
  }

  /** Those that are no heuristics, and whose answers are kept. One that cannot be made here is left out. */
  remembering(): Judge[] {
    return [...Object.keys(this.#config.judges), ...Object.keys(BUILT_IN_JUDGES)].flatMap((name) => {
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
   * The model behind a judge, for other questions than judgements: of a debate its first agent's, of a filter
   * that of the judge proper.
   *
   * @throws ParallaxError `model-missing` when the judge is not a chat model
   */
  chatModel(name: string): { model: ChatModel; timeoutMs: number; concurrency: number } {
    const config = this.#find(name);
    if (config.type === 'debate') return this.chatModel(agentNames(config)[0]);
    if (config.type === 'lara') return this.chatModel(config.judge);
    if (config.type === 'filter' && this.get(name)) return this.chatModel(config.then);
    if (config.type !== 'openai' && config.type !== 'vscode')
      throw new ParallaxError(
        'model-missing',
        l10n.t('Configure a model in parallax.json to have perspectives suggested.'),
      );
    return {
      model: this.#model(name, config),
      timeoutMs: config.timeoutMs,
      concurrency: config.concurrency,
    };
  }

  /** @param by the judge that names this one, where one does */
  #find(name: string, by?: string): JudgeConfig {
    const config = Object.hasOwn(this.#config.judges, name)
      ? this.#config.judges[name]
      : Object.hasOwn(BUILT_IN_JUDGES, name) && BUILT_IN_JUDGES[name];
    if (config) return config;
    if (by === undefined)
      throw new ParallaxError('bad-argument', l10n.t`There is no judge "${name}" in parallax.json.`);
    throw new ParallaxError(
      'bad-config',
      l10n.t`The judge "${by}" names "${name}", which is not in parallax.json.`,
    );
  }

  #create(name: string, config: Exclude<JudgeConfig, { type: 'labels' }>, path: readonly string[]): Judge {
    // The heuristic is recomputed in less time than it takes to look it up.
    if (config.type === 'lexical') return createLexicalJudge(name, (text) => analyze(text, 'english'));
    if (config.type === 'debate') return createCachedJudge(this.#debate(name, config), this.#cache);
    if (config.type === 'filter') return createCachedJudge(this.#filter(name, config, path), this.#cache);
    if (config.type === 'nli') return createCachedJudge(this.#nli(name, config), this.#cache);
    if (config.type === 'lara') return createCachedJudge(this.#lara(name, config), this.#cache);
    const { concurrency, timeoutMs, standard, mode, explain, shots } = config;
    const model = this.#model(name, config);
    const form = { mode, explain, shots };
    const judge = createChatJudge({
      name,
      model,
      standard: STANDARDS[standard],
      form,
      concurrency,
      timeoutMs,
    });
    return createCachedJudge(judge, this.#cache);
  }

  #debate(name: string, config: DebateConfig): Judge {
    const { adjudicator, rounds, continueTo, standard, includeQuestion, concurrency } = config;
    const [first, second] = agentNames(config);
    return createDebateJudge({
      name,
      agents: [this.#agent(first, name), this.#agent(second, name)],
      adjudicator: adjudicator === undefined ? undefined : this.#agent(adjudicator, name),
      rounds,
      continueTo,
      standard: STANDARDS[standard],
      includeQuestion,
      concurrency,
      replies: this.#replies,
    });
  }

  /** A chat judge as a debate takes it: its model, not its prompt. */
  #agent(name: string, debate: string): DebateAgent {
    const config = this.#find(name, debate);
    if (config.type === 'openai' || config.type === 'vscode')
      return { model: this.#model(name, config), timeoutMs: config.timeoutMs };
    throw new ParallaxError(
      'bad-config',
      l10n.t`The debate "${debate}" names "${name}", which is of type "${config.type}". Only chat models ("openai", "vscode") can debate and adjudicate.`,
    );
  }

  #filter(name: string, { judges, then }: FilterConfig, path: readonly string[]): Judge {
    const stage = (stageName: string): Judge => {
      const judge = this.#get(stageName, [...path, name]);
      if (judge) return judge;
      throw new ParallaxError(
        'bad-config',
        l10n.t`The filter "${name}" names "${stageName}", which holds human labels only; there is nobody to ask.`,
      );
    };
    return createFilterJudge({ name, cheap: judges.map(stage), then: stage(then) });
  }

  #nli(name: string, config: NliConfig): Judge {
    const model = this.#nliModels.get(config);
    const { calibration, threshold } = config;
    return createNliJudge({
      name,
      model,
      threshold:
        calibration === undefined
          ? () => Promise.resolve(threshold)
          : calibratedThreshold(this.#nliModels.resolve(calibration), nliKey(model)),
    });
  }

  #lara(name: string, { judge, share, batch }: LaraConfig): Judge {
    const config = this.#find(judge, name);
    if (config.type !== 'openai')
      throw new ParallaxError(
        'bad-config',
        l10n.t`The judge "${name}" names "${judge}", which is of type "${config.type}". Only endpoints (type "openai") can give token probabilities.`,
      );
    const { standard, concurrency, timeoutMs } = config;
    const own = createConfidenceJudge({
      name,
      model: this.#model(judge, config),
      standard: STANDARDS[standard],
      concurrency,
      timeoutMs,
    });
    return createLaraJudge({
      name,
      own: createCachedJudge(own, this.#cache),
      share,
      batch,
      labelled: this.#labelled,
      cache: this.#cache,
    });
  }

  #model(name: string, config: ChatConfig): ChatModel {
    const model = this.#models.get(name) ?? this.#createModel(config);
    this.#models.set(name, model);
    return model;
  }

  #createModel(config: ChatConfig): ChatModel {
    if (config.type === 'openai') {
      const { baseUrl, model, key, maxRetries } = config;
      return createOpenAiModel({
        baseUrl,
        model,
        apiKey: keyOf(this.#config.keys, key),
        keyName: key,
        maxRetries,
      });
    }
    const { vendor, family, id, maxRetries } = config;
    const wanted = { ...(vendor ? { vendor } : {}), ...(family ? { family } : {}), ...(id ? { id } : {}) };
    return createHostModel({
      model: [vendor, family, id].filter(Boolean).join(' ') || 'default',
      maxRetries,
      request: (messages, signal) => this.#askHost({ ...wanted, messages }, signal),
    });
  }

  async #askHost(
    request: Parameters<HostCalls['complete']>[0],
    signal: AbortSignal,
  ): Promise<{ text: string }> {
    if (this.#host) return this.#host.complete(request, signal);
    throw new ParallaxError(
      'model-missing',
      l10n.t("The editor's language model can be asked in the editor only."),
    );
  }
}

/** Both agents by name; one name debates with itself. */
function agentNames({ agents }: DebateConfig): readonly [string, string] {
  return typeof agents === 'string' ? [agents, agents] : agents;
}

/** @throws ParallaxError `bad-config` naming the judges of the circle */
function checkCircle(name: string, path: readonly string[]): void {
  const begins = path.indexOf(name);
  if (begins < 0) return;
  const circle = [...path.slice(begins), name].map((each) => `"${each}"`).join(' → ');
  throw new ParallaxError('bad-config', l10n.t`The judges refer to each other in a circle: ${circle}.`);
}

/** The judges that a configuration offers, made when first asked for. */
import { analyze } from '../../core/text/analyzer.ts';
import { ParallaxError } from '../../core/errors.ts';
import { STANDARDS } from '../../core/judging/standard.ts';
import { judgeSchema, type JudgeConfig } from '../../shared/config.ts';
import type { EngineConfig } from '../../shared/rpc.ts';
import type { HostCalls } from '../server.ts';
import { createCachedJudge } from './cached-judge.ts';
import { createChatJudge } from './chat-judge.ts';
import type { ChatModel } from './chat-model.ts';
import { createHostModel } from './host-model.ts';
import type { Judge } from './judge.ts';
import type { JudgementCache } from './judgement-cache.ts';
import { createLexicalJudge } from './lexical-judge.ts';
import { createOpenAiModel } from './openai-model.ts';

/** Judges that need no entry in `parallax.json`. */
const BUILT_IN: Record<string, JudgeConfig> = {
  labels: { type: 'labels' },
  lexical: { type: 'lexical' },
  vscode: judgeSchema.parse({ type: 'vscode' }),
};

type ChatConfig = Extract<JudgeConfig, { type: 'openai' | 'vscode' }>;

export class Judges {
  readonly #config: Pick<EngineConfig, 'judges' | 'keys'>;
  readonly #cache: JudgementCache;
  readonly #host: HostCalls | undefined;
  readonly #made = new Map<string, Judge>();
  readonly #models = new Map<string, ChatModel>();

  constructor(
    config: Pick<EngineConfig, 'judges' | 'keys'>,
    cache: JudgementCache,
    host: HostCalls | undefined,
  ) {
    this.#config = config;
    this.#cache = cache;
    this.#host = host;
  }

  /**
   * @returns nothing for human labels, where there is nobody to ask
   * @throws ParallaxError `bad-argument` for an unknown name
   */
  get(name: string): Judge | undefined {
    const config = this.#find(name);
    if (config.type === 'labels') return undefined;
    const made = this.#made.get(name) ?? this.#create(name, config);
    this.#made.set(name, made);
    return made;
  }

  /**
   * The model behind a judge, for other questions than judgements.
   *
   * @throws ParallaxError `model-missing` when the judge is not a chat model
   */
  chatModel(name: string): { model: ChatModel; timeoutMs: number } {
    const config = this.#find(name);
    if (config.type !== 'openai' && config.type !== 'vscode')
      throw new ParallaxError(
        'model-missing',
        'Configure a model in parallax.json to have perspectives suggested.',
      );
    return { model: this.#model(name, config), timeoutMs: config.timeoutMs };
  }

  #find(name: string): JudgeConfig {
    const config = Object.hasOwn(this.#config.judges, name) ? this.#config.judges[name] : BUILT_IN[name];
    if (!config) throw new ParallaxError('bad-argument', `There is no judge "${name}" in parallax.json.`);
    return config;
  }

  #create(name: string, config: Exclude<JudgeConfig, { type: 'labels' }>): Judge {
    // The heuristic is recomputed in less time than it takes to look it up.
    if (config.type === 'lexical') return createLexicalJudge(name, (text) => analyze(text, 'english'));
    const { concurrency, timeoutMs, standard } = config;
    const model = this.#model(name, config);
    const judge = createChatJudge({ name, model, standard: STANDARDS[standard], concurrency, timeoutMs });
    return createCachedJudge(judge, this.#cache);
  }

  #model(name: string, config: ChatConfig): ChatModel {
    const model = this.#models.get(name) ?? this.#createModel(config);
    this.#models.set(name, model);
    return model;
  }

  #createModel(config: ChatConfig): ChatModel {
    if (config.type === 'openai') {
      const { baseUrl, model, key, maxRetries } = config;
      return createOpenAiModel({ baseUrl, model, apiKey: this.#config.keys[key], keyName: key, maxRetries });
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
    throw new ParallaxError('model-missing', "The editor's language model can be asked in the editor only.");
  }
}

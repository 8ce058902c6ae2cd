/** Chat models behind any endpoint with the OpenAI protocol. */
import * as l10n from '@vscode/l10n';
import type OpenAI from 'openai';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import { withoutSecret } from '../without-secret.ts';
import type { ChatAnswer, ChatModel, CompleteOptions } from './chat-model.ts';
import { readCompletion, readResponse, thoughtTooLong } from './openai-answers.ts';
import { createClient, type OpenAiSettings } from './openai-client.ts';
import { EndpointFailures } from './openai-failures.ts';
import {
  chatRequest,
  completionBody,
  lacksTemperature,
  mannerAfter,
  refusesTokenProbabilities,
  responseBody,
  usualManner,
  type ChatRequest,
  type Manner,
  type TokenProbabilities,
} from './openai-requests.ts';
import { systemTiming, untilAnswered, withRetries, type Timing } from './retry.ts';

/** Abilities of a model and its endpoint. */
interface Abilities {
  /** Whether it can be restricted to JSON. */
  readonly json: boolean;
  readonly tokenProbabilities: boolean;
}

export interface ProbedModel extends ChatModel {
  /** Sends one real request to find out what the endpoint accepts. @throws ParallaxError as `complete` */
  probe(options: CompleteOptions): Promise<Abilities>;
}

export function createOpenAiModel(settings: OpenAiSettings, timing: Timing = systemTiming): ProbedModel {
  return new OpenAiModel(settings, timing);
}

/** Asks for a minimal answer, in the form of the judges' requests. */
const PROBE: readonly ChatMessage[] = [
  { role: 'system', content: 'Answer with the JSON object {"ok": true} and nothing else.' },
  { role: 'user', content: 'Are you there?' },
];

class OpenAiModel implements ProbedModel {
  readonly id: string;
  readonly model: string;
  readonly label: string;
  readonly #settings: OpenAiSettings;
  readonly #timing: Timing;
  readonly #client: OpenAI;
  readonly #failures: EndpointFailures;
  #manner: Manner;

  constructor(settings: OpenAiSettings, timing: Timing) {
    this.#settings = settings;
    this.#timing = timing;
    this.#client = createClient(settings);
    this.#failures = new EndpointFailures(settings, timing);
    this.#manner = usualManner(settings);
    this.model = settings.model;
    const { baseUrl, temperature = 0 } = settings;
    const warmth = temperature === 0 ? '' : ` temperature ${temperature}`;
    this.id = `openai ${baseUrl} ${settings.model}${warmth}`;
    this.label = `${settings.model} at ${new URL(settings.baseUrl).host}`;
  }

  complete(messages: readonly ChatMessage[], options: CompleteOptions): Promise<ChatAnswer> {
    const tokenProbabilities = options.tokenProbabilities ? 'needed' : 'unwanted';
    return this.#retried(options, this.#settings.maxRetries, () =>
      this.#attempt(messages, tokenProbabilities, options),
    );
  }

  async probe(options: CompleteOptions): Promise<Abilities> {
    const { tokens } = await this.#retried(options, 0, () => this.#attempt(PROBE, 'welcome', options));
    return {
      json: !this.#manner.refused.includes('json_object'),
      tokenProbabilities: tokens !== undefined,
    };
  }

  #retried(
    { signal, onRetry }: CompleteOptions,
    maxRetries: number,
    attempt: () => Promise<ChatAnswer>,
  ): Promise<ChatAnswer> {
    const explain = (error: unknown) => this.#failures.explain(error);
    return withRetries(attempt, explain, { maxRetries, timing: this.#timing, signal, onRetry });
  }

  /** Repeats the request until it has a form that the endpoint accepts. */
  async #attempt(
    messages: readonly ChatMessage[],
    tokenProbabilities: TokenProbabilities,
    options: CompleteOptions,
  ): Promise<ChatAnswer> {
    await this.#failures.untilWelcome(options.signal);
    for (let probabilities = tokenProbabilities; ;) {
      const request = chatRequest(messages, this.#manner, probabilities, options.form);
      try {
        throwIfCancelled(options.signal);
        options.onRequest?.();
        const answer = await untilAnswered(options.signal, this.#timing, (signal) =>
          this.#send(request, { ...options, signal }),
        );
        if (!this.#givesRoom(request, answer)) return this.#withoutKey(answer);
      } catch (error) {
        probabilities = this.#giveWay(request, error);
      }
    }
  }

  /** Asks a model that turns out to think once more, and from now on, with room for its reasoning. */
  #givesRoom({ form, manner }: ChatRequest, answer: ChatAnswer): boolean {
    if (!form || manner.thinks || !thoughtTooLong(answer)) return false;
    this.#manner = { ...this.#manner, thinks: true };
    return true;
  }

  async #send(request: ChatRequest, { signal, timeoutMs }: CompleteOptions): Promise<ChatAnswer> {
    const { model } = this.#settings;
    const options = { timeout: timeoutMs, ...(signal && { signal }) };
    const answer: unknown = request.manner.byResponses
      ? await this.#client.responses.create(responseBody(model, request), options)
      : await this.#client.chat.completions.create(completionBody(model, request), options);
    this.#failures.answered();
    return request.manner.byResponses ? readResponse(answer) : readCompletion(answer);
  }

  /**
   * Adapts to a refusal.
   *
   * @returns the token probabilities to ask for in the next request
   * @throws the error, if another request would fail as well
   */
  #giveWay(request: ChatRequest, error: unknown): TokenProbabilities {
    const { tokenProbabilities } = request;
    if (tokenProbabilities !== 'unwanted' && refusesTokenProbabilities(error)) {
      if (tokenProbabilities === 'needed') throw this.#noTokenProbabilities(error);
      return 'unwanted';
    }
    const manner = mannerAfter(this.#manner, request, error);
    if (!manner) throw error;
    if (lacksTemperature(manner)) throw this.#noTemperature(error);
    this.#manner = manner;
    return tokenProbabilities;
  }

  #noTokenProbabilities(cause: unknown): ParallaxError {
    const reason = withoutSecret(messageOf(cause), this.#settings.apiKey);
    return new ParallaxError(
      'bad-config',
      l10n.t`${this.label} gives no token probabilities (${reason}). Name a judge whose endpoint answers "logprobs".`,
      { cause },
    );
  }

  #noTemperature(cause: unknown): ParallaxError {
    const reason = withoutSecret(messageOf(cause), this.#settings.apiKey);
    return new ParallaxError(
      'bad-config',
      l10n.t`${this.label} takes no temperature (${reason}). Leave "temperature" of the judge out.`,
      { cause },
    );
  }

  /** Removes the key, since an answer is stored, shown and exported. */
  #withoutKey(answer: ChatAnswer): ChatAnswer {
    const { text, incomplete } = answer;
    const { apiKey } = this.#settings;
    return {
      ...answer,
      text: withoutSecret(text, apiKey),
      incomplete: incomplete === undefined ? undefined : withoutSecret(incomplete, apiKey),
    };
  }
}

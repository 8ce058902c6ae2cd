/** Embeddings from any endpoint with the OpenAI protocol: OpenAI, Ollama, vLLM, LM Studio, … */
import * as l10n from '@vscode/l10n';
import type OpenAI from 'openai';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { normalizeRows } from '../../core/embedding/pooling.ts';
import { ParallaxError, cancelled, messageOf, throwIfCancelled } from '../../core/errors.ts';
import type { OpenAiEmbedderConfig } from '../../shared/config.ts';
import type { WorkOptions } from '../types.ts';
import { outgoingFetch, refusalIn } from '../network/outgoing.ts';
import { requestHeaders } from '../network/request-headers.ts';
import { withoutSecret } from '../without-secret.ts';
import type { Embedder } from './embedder.ts';
import { listOf, numbers } from '../../core/formats/lists.ts';

type OpenAiModule = typeof OpenAI;

/** Vectors of earlier runs, by the text that was sent. */
export interface KeptVectors {
  /**
   * @param model identity of the endpoint and its model
   * @returns a vector of length 1; `undefined` if there is none, or if it is damaged
   */
  get(model: string, text: string): Float32Array | undefined;
  /**
   * Stores vectors durably.
   *
   * @throws ParallaxError `store-unusable` if they cannot be stored
   */
  put(model: string, vectors: readonly (readonly [text: string, vector: Float32Array])[]): void;
}

export interface Endpoint {
  /** `undefined` for endpoints without a key, such as local ones. */
  readonly apiKey: string | undefined;
  /** The time limit of one attempt. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first, on 408, 409, 429, 5xx and broken connections, with growing pauses. */
  readonly maxRetries?: number | undefined;
  /** Of passages only if `passages`, because most indexes keep theirs. */
  readonly kept?: { readonly cache: KeptVectors; readonly passages: boolean } | undefined;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 4;
const MAX_SHOWN = 200;
/** Ten times a batch of the longest vectors, written as decimals. */
const MAX_BYTES = 64 * 1024 * 1024;

const answerSchema = z.object({
  data: listOf(z.object({ index: z.number().int().min(0), embedding: numbers })),
});
type Row = Read<typeof answerSchema>['data'][number];

/** Scales vectors to length 1, which not all endpoints guarantee. */
export class OpenAiEmbedder implements Embedder {
  readonly key: string;
  readonly label: string;
  readonly heuristic = false;
  readonly #config: OpenAiEmbedderConfig;
  readonly #endpoint: Endpoint;
  /** Identity of the model in the cache. */
  readonly #model: string;
  #client: Promise<OpenAI> | undefined;
  #dimensions: number | undefined;

  constructor(name: string, config: OpenAiEmbedderConfig, endpoint: Endpoint) {
    const { baseUrl, model, dimensions, passagePrefix } = config;
    this.#config = config;
    this.#endpoint = endpoint;
    this.#dimensions = dimensions;
    this.label = `${name} (${model})`;
    this.#model = JSON.stringify([baseUrl, model, dimensions]);
    this.key = `openai|${JSON.stringify({ baseUrl, model, dimensions, passagePrefix })}`;
  }

  get dimensions(): number | undefined {
    return this.#dimensions;
  }

  async embedPassages(texts: readonly string[], work: WorkOptions = {}): Promise<Float32Array> {
    const { passages = false, cache } = this.#endpoint.kept ?? {};
    const { passagePrefix } = this.#config;
    return await this.#embed(
      texts.map((text) => passagePrefix + text),
      passages ? cache : undefined,
      work,
    );
  }

  async embedQuery(text: string, work: WorkOptions = {}): Promise<Float32Array> {
    const { signal, onRequest } = work;
    return await this.#embed([this.#config.queryPrefix + text], this.#endpoint.kept?.cache, {
      signal,
      onRequest,
    });
  }

  async dispose(): Promise<void> {
    this.#client = undefined;
  }

  /** @param cache of the vectors of such texts */
  async #embed(
    texts: readonly string[],
    cache: KeptVectors | undefined,
    { signal, onProgress, onRequest }: WorkOptions,
  ): Promise<Float32Array> {
    const { batchSize } = this.#config;
    const vectors = texts.map((text) => this.#cached(text, cache));
    const missing = [...texts.keys()].filter((place) => !vectors[place]);
    for (let from = 0; from < missing.length; from += batchSize) {
      throwIfCancelled(signal);
      const batch = missing.slice(from, from + batchSize);
      const rows = this.#check(
        await this.#request(
          batch.map((place) => texts[place]!),
          { signal, onRequest },
        ),
        batch.length,
      );
      for (const { index, embedding } of rows) {
        const vector = Float32Array.from(embedding);
        normalizeRows(vector, vector.length);
        vectors[batch[index]!] = vector;
      }
      cache?.put(
        this.#model,
        batch.map((place) => [texts[place]!, vectors[place]!]),
      );
      onProgress?.({ done: texts.length - missing.length + from + batch.length, total: texts.length });
    }
    const dimensions = vectors[0]?.length ?? 0;
    const all = new Float32Array(texts.length * dimensions);
    for (const [place, vector] of vectors.entries()) all.set(vector!, place * dimensions);
    return all;
  }

  #cached(text: string, cache: KeptVectors | undefined): Float32Array | undefined {
    const vector = cache?.get(this.#model, text);
    if (!vector) return undefined;
    this.#dimensions ??= vector.length;
    return vector.length === this.#dimensions ? vector : undefined;
  }

  async #request(input: string[], { signal, onRequest }: WorkOptions): Promise<unknown> {
    const { model, dimensions } = this.#config;
    const { default: openai } = await import('openai');
    const refusing = new AbortController();
    const send = outgoingFetch({ maxBytes: MAX_BYTES });
    const announced: typeof send = (url, init) => {
      try {
        onRequest?.();
      } catch (error) {
        // The package would try a failed request again.
        refusing.abort(error);
        throw error;
      }
      return send(url, init);
    };
    try {
      const client = await (this.#client ??= Promise.resolve(this.#connect(openai)));
      return await client
        .withOptions({ fetch: announced })
        .embeddings.create(
          { model, input, encoding_format: 'float', ...(dimensions === undefined ? {} : { dimensions }) },
          { signal: signal ? AbortSignal.any([signal, refusing.signal]) : refusing.signal },
        );
    } catch (error) {
      refusing.signal.throwIfAborted();
      throw signal?.aborted ? cancelled() : this.#explain(error, openai);
    }
  }

  #connect(openai: OpenAiModule): OpenAI {
    const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, maxRetries = DEFAULT_RETRIES } = this.#endpoint;
    return new openai({
      baseURL: this.#config.baseUrl,
      // The package requires a key. Without one, no such header is sent.
      apiKey: apiKey ?? 'none',
      defaultHeaders: requestHeaders({ ...this.#config, apiKey }),
      ...(this.#config.query ? { defaultQuery: { ...this.#config.query } } : {}),
      // Without these, the package would read them from the environment.
      organization: null,
      project: null,
      timeout: timeoutMs,
      maxRetries,
    });
  }

  /** The rows of a complete answer with the right dimension, else an error that says what is wrong. */
  #check(answer: unknown, count: number): Row[] {
    const { baseUrl, model } = this.#config;
    const badAnswer = (sentence: string): ParallaxError => new ParallaxError('model-answer', sentence);
    const parsed = answerSchema.safeParse(answer);
    if (!parsed.success)
      throw badAnswer(l10n.t`The answer of ${baseUrl} (${model}) is not a list of embeddings.`);
    const rows = parsed.data.data;
    const indexes = new Set(rows.map((row) => row.index));
    if (rows.length !== count || indexes.size !== count || rows.some((row) => row.index >= count))
      throw badAnswer(
        l10n.t`The answer of ${baseUrl} (${model}) has ${rows.length} embeddings for ${count} texts, or numbers them wrongly.`,
      );
    const expected = (this.#dimensions ??= rows[0]!.embedding.length);
    const odd = rows.find((row) => row.embedding.length !== expected);
    if (odd)
      throw badAnswer(
        l10n.t`The answer of ${baseUrl} (${model}) has ${odd.embedding.length} dimensions instead of ${expected}.`,
      );
    if (rows.some((row) => row.embedding.some((value) => !Number.isFinite(Math.fround(value)))))
      throw badAnswer(l10n.t`The answer of ${baseUrl} (${model}) contains a number that is too large.`);
    if (rows.some((row) => row.embedding.every((value) => Math.fround(value) === 0)))
      throw badAnswer(l10n.t`The answer of ${baseUrl} (${model}) contains an embedding of zeros.`);
    return rows;
  }

  #explain(error: unknown, openai: OpenAiModule): ParallaxError {
    const refusal = refusalIn(error);
    if (refusal) return refusal;
    const { baseUrl, model } = this.#config;
    if (error instanceof openai.AuthenticationError || error instanceof openai.PermissionDeniedError)
      return new ParallaxError('model-key', this.#refusedKey(error.status), { cause: error });
    if (error instanceof openai.NotFoundError)
      return new ParallaxError(
        'model-missing',
        l10n.t`${baseUrl} has no embedding model "${model}" (404): ${this.#shown(error)}`,
      );
    return new ParallaxError(
      'model-unreachable',
      l10n.t`${baseUrl} (${model}) gave no embeddings: ${this.#shown(error)}`,
      {
        cause: error,
      },
    );
  }

  #refusedKey(status: number): string {
    const { baseUrl, key } = this.#config;
    return this.#endpoint.apiKey === undefined
      ? l10n.t`${baseUrl} needs an API key (${status}), and none is stored under "${key}". Set the key.`
      : l10n.t`${baseUrl} does not accept the API key "${key}" (${status}). Set the key again.`;
  }

  /** The message of the endpoint or the network, without the key in case it repeats it. */
  #shown(error: unknown): string {
    return withoutSecret(messageOf(error), this.#endpoint.apiKey).slice(0, MAX_SHOWN);
  }
}

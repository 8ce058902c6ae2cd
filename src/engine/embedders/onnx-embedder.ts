/**
 * Sentence encoders in the Hugging Face layout: a folder with model.onnx (or onnx/model.onnx),
 * tokenizer.json and, where there is one, tokenizer_config.json.
 *
 * Which output is used: for `mean` and `cls` the states of the tokens (`last_hidden_state`,
 * `token_embeddings`, or the first output of rank 3), pooled here. Only a graph without token states is
 * taken at its own `sentence_embedding`: such an output pools as its exporter chose, which the
 * configuration could contradict. `pooler` takes `pooler_output`, else `sentence_embedding`.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchesByLength } from '../../core/embedding/batches.ts';
import { clsPool, meanPool, normalizeRows, type Pooling } from '../../core/embedding/pooling.ts';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { EmbedderConfig } from '../../shared/config.ts';
import type { WorkOptions } from '../types.ts';
import type { Embedder } from './embedder.ts';
import { EncoderTokenizer } from './encoder-tokenizer.ts';
import { OnnxModel, type ModelOutput, type TokenBatch } from './onnx-model.ts';

type OnnxConfig = Extract<EmbedderConfig, { type: 'onnx' }>;

const DEFAULT_MODEL_FILES = ['model.onnx', 'onnx/model.onnx'];
const TOKEN_STATES = ['last_hidden_state', 'token_embeddings'];
const POOLED = ['pooler_output', 'sentence_embedding'];
const MAX_BATCH_TEXTS = 8;
/** Batches make a CPU no faster, and each holds the thread until it ends: only short texts share one. */
const MAX_BATCH_TOKENS = 256;
const SLICE_MS = 8;

const FINGERPRINT_SAMPLES = 16;
const FINGERPRINT_SAMPLE_BYTES = 65_536;

interface Loaded {
  readonly model: OnnxModel;
  readonly tokenizer: EncoderTokenizer;
  readonly output: ModelOutput;
  /** How the output becomes one vector per text; undefined when it is one already. */
  readonly pool: 'mean' | 'cls' | undefined;
}

export class OnnxEmbedder implements Embedder {
  readonly key: string;
  readonly label: string;
  readonly heuristic = false;
  readonly #config: OnnxConfig;
  readonly #folder: string;
  readonly #modelFile: string;
  #loading: Promise<Loaded> | undefined;
  #dimensions: number | undefined;

  /**
   * Finds the files; the model itself is loaded on first use.
   *
   * @param baseDir what a relative path starts from
   * @throws ParallaxError `model-missing` naming the file that is not there
   */
  constructor(name: string, config: OnnxConfig, baseDir: string) {
    const { pooling, maxTokens, passagePrefix, normalize } = config;
    this.#config = config;
    this.#folder = resolve(baseDir, config.path);
    this.#modelFile = findModel(this.#folder, config.file);
    const tokenizerFile = join(this.#folder, 'tokenizer.json');
    if (!existsSync(tokenizerFile)) throw new ParallaxError('model-missing', `${tokenizerFile} is missing.`);
    const files = fingerprintOf([this.#modelFile, tokenizerFile]);
    this.label = `${name} (${basename(this.#folder)})`;
    this.key = `onnx|${JSON.stringify({ files, pooling, maxTokens, passagePrefix, normalize })}`;
  }

  get dimensions(): number | undefined {
    return this.#dimensions;
  }

  async embedPassages(texts: readonly string[], work: WorkOptions = {}): Promise<Float32Array> {
    return await this.#embed(texts, this.#config.passagePrefix, work);
  }

  async embedQuery(text: string, work: WorkOptions = {}): Promise<Float32Array> {
    return await this.#embed([text], this.#config.queryPrefix, { signal: work.signal });
  }

  async dispose(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    if (!loading) return;
    const loaded = await loading;
    await loaded.model.release();
  }

  async #embed(
    texts: readonly string[],
    prefix: string,
    { signal, onProgress }: WorkOptions,
  ): Promise<Float32Array> {
    if (texts.length === 0) return new Float32Array(0);
    throwIfCancelled(signal);
    const loaded = await this.#load();
    const encoded = await encodeAll(loaded.tokenizer, texts, prefix, signal);
    const lengths = encoded.map((ids) => ids.length);
    let vectors = new Float32Array(0);
    let done = 0;
    for (const batch of batchesByLength(lengths, MAX_BATCH_TEXTS, MAX_BATCH_TOKENS)) {
      throwIfCancelled(signal);
      const rows = await this.#embedBatch(
        loaded,
        batch.map((index) => encoded[index]!),
      );
      const dimensions = rows.length / batch.length;
      if (done === 0) vectors = new Float32Array(texts.length * dimensions);
      batch.forEach((index, row) =>
        vectors.set(rows.subarray(row * dimensions, (row + 1) * dimensions), index * dimensions),
      );
      done += batch.length;
      onProgress?.({ done, total: texts.length });
    }
    return vectors;
  }

  /** @returns [texts, d] */
  async #embedBatch(
    { model, tokenizer, output, pool }: Loaded,
    encoded: readonly (readonly number[])[],
  ): Promise<Float32Array> {
    const batch = padded(encoded, tokenizer.padId);
    const { values, shape } = await model.run(batch, output.name);
    const dimensions = shape.at(-1) ?? 0;
    const expected = pool ? [batch.texts, batch.length, dimensions] : [batch.texts, dimensions];
    if (dimensions === 0 || shape.join() !== expected.join())
      throw new ParallaxError(
        'bad-file',
        `${model.file}: the output ${output.name} has the shape [${shape.join(', ')}].`,
      );
    const rows = poolStates(values, batch, dimensions, pool);
    if (!rows.every(Number.isFinite))
      throw new ParallaxError(
        'model-answer',
        `${model.file} gave values that are not numbers. The file may be damaged.`,
      );
    if (this.#config.normalize) normalizeRows(rows, dimensions);
    this.#dimensions = dimensions;
    return rows;
  }

  /** A failed attempt is not kept: the next call tries again. */
  #load(): Promise<Loaded> {
    return (this.#loading ??= this.#loadParts().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    }));
  }

  async #loadParts(): Promise<Loaded> {
    const tokenizer = await EncoderTokenizer.load(this.#folder, this.#config.maxTokens);
    const model = await OnnxModel.load(this.#modelFile);
    const { output, pool } = chooseOutput(model, this.#config.pooling);
    this.#dimensions = output.width;
    return { model, tokenizer, output, pool };
  }
}

function chooseOutput(model: OnnxModel, pooling: Pooling): Pick<Loaded, 'output' | 'pool'> {
  const named = (names: readonly string[]): ModelOutput | undefined =>
    names
      .map((name) => model.outputs.find((output) => output.name === name))
      .find((output) => output !== undefined);
  const pooled = named(pooling === 'pooler' ? POOLED : ['sentence_embedding']);
  const states = named(TOKEN_STATES) ?? model.outputs.find((output) => output.rank === 3);
  if (pooling !== 'pooler' && states) return { output: states, pool: pooling };
  if (pooled) return { output: pooled, pool: undefined };
  const names = model.outputs.map((output) => output.name).join(', ');
  const wanted = pooling === 'pooler' ? POOLED : [...TOKEN_STATES, 'sentence_embedding'];
  throw new ParallaxError(
    'bad-file',
    `${model.file} has the outputs ${names}; pooling "${pooling}" needs ${wanted.join(' or ')}.`,
  );
}

function poolStates(
  values: Float32Array,
  batch: TokenBatch,
  dimensions: number,
  pool: Loaded['pool'],
): Float32Array {
  if (pool === 'mean') return meanPool(values, batch.mask, batch.texts, dimensions);
  if (pool === 'cls') return clsPool(values, batch.texts, dimensions);
  return values.slice();
}

/** @returns ids of each text, tokenized in short turns */
async function encodeAll(
  tokenizer: EncoderTokenizer,
  texts: readonly string[],
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<(readonly number[])[]> {
  const encoded: (readonly number[])[] = [];
  let turnEnd = performance.now() + SLICE_MS;
  for (const text of texts) {
    encoded.push(tokenizer.encode(prefix + text));
    if (performance.now() < turnEnd) continue;
    await nextTurn();
    throwIfCancelled(signal);
    turnEnd = performance.now() + SLICE_MS;
  }
  return encoded;
}

function padded(encoded: readonly (readonly number[])[], padId: number): TokenBatch {
  const length = Math.max(...encoded.map((ids) => ids.length));
  const ids = new Int32Array(encoded.length * length).fill(padId);
  const mask = new Int32Array(ids.length);
  encoded.forEach((text, row) => {
    ids.set(text, row * length);
    mask.fill(1, row * length, row * length + text.length);
  });
  return { texts: encoded.length, length, ids, mask };
}

function findModel(folder: string, file: string | undefined): string {
  const candidates = (file === undefined ? DEFAULT_MODEL_FILES : [file]).map((name) => join(folder, name));
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found !== undefined) return found;
  const others = ['', 'onnx'].flatMap((sub) => onnxFilesIn(folder, sub));
  const hint = others.length > 0 ? ` The folder has ${others.join(', ')}: name one as "file".` : '';
  throw new ParallaxError('model-missing', `There is no ${candidates.join(' and no ')}.${hint}`);
}

function onnxFilesIn(folder: string, sub: string): string[] {
  if (!existsSync(join(folder, sub))) return [];
  const names = readdirSync(join(folder, sub)).filter((name) => name.endsWith('.onnx'));
  return names.map((name) => join(sub, name));
}

/** Tells models apart without reading all of a gigabyte: the size of each file, and samples of it. */
function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  const sample = Buffer.alloc(FINGERPRINT_SAMPLE_BYTES);
  for (const file of files) {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      hash.update(`${size};`);
      for (let i = 0; i < FINGERPRINT_SAMPLES; i++) {
        const position = Math.floor((Math.max(0, size - sample.length) * i) / (FINGERPRINT_SAMPLES - 1));
        hash.update(sample.subarray(0, readSync(handle, sample, 0, sample.length, position)));
      }
    } finally {
      closeSync(handle);
    }
  }
  return hash.digest('hex').slice(0, 32);
}

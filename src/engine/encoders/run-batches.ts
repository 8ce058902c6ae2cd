/** Runs texts through an encoder: tokenized in short turns, then run in small batches of similar length. */
import { batchesByLength } from '../../core/embedding/batches.ts';
import { throwIfCancelled } from '../../core/errors.ts';
import { Pace } from '../concurrency/pace.ts';
import type { WorkOptions } from '../types.ts';
import type { TokenBatch } from './onnx-model.ts';

const MAX_BATCH_TEXTS = 8;
/** Batches do not speed up a CPU, and each blocks the thread until it ends, so only short texts share one. */
const MAX_BATCH_TOKENS = 256;

/** One text, or a pair, as input of a model. */
export interface Encoding {
  readonly ids: readonly number[];
  /** One entry per id: 1 for the second text of a pair, else 0. Defaults to all 0. */
  readonly types?: readonly number[];
}

/**
 * @returns the result of `encode` for each text, with pauses for other work
 * @throws ParallaxError `cancelled`
 */
export async function encodeInTurns(
  texts: readonly string[],
  encode: (text: string) => Encoding,
  { signal }: WorkOptions,
): Promise<Encoding[]> {
  const pace = new Pace({ signal });
  const encodings: Encoding[] = [];
  for (const text of texts) {
    encodings.push(encode(text));
    if (pace.due) await pace.rest();
  }
  return encodings;
}

/**
 * @param run receives each batch with the indexes into `encodings` of its rows
 * @throws ParallaxError `cancelled` between batches
 */
export async function runInBatches(
  encodings: readonly Encoding[],
  padId: number,
  run: (batch: TokenBatch, indexes: readonly number[]) => Promise<void>,
  { signal, onProgress }: WorkOptions,
): Promise<void> {
  const lengths = encodings.map(({ ids }) => ids.length);
  let done = 0;
  for (const indexes of batchesByLength(lengths, MAX_BATCH_TEXTS, MAX_BATCH_TOKENS)) {
    throwIfCancelled(signal);
    await run(
      padded(
        indexes.map((index) => encodings[index]!),
        padId,
      ),
      indexes,
    );
    done += indexes.length;
    onProgress?.({ done, total: encodings.length });
  }
}

function padded(encodings: readonly Encoding[], padId: number): TokenBatch {
  const length = Math.max(...encodings.map(({ ids }) => ids.length));
  const ids = new Int32Array(encodings.length * length).fill(padId);
  const mask = new Int32Array(ids.length);
  const types = new Int32Array(ids.length);
  encodings.forEach((encoding, row) => {
    ids.set(encoding.ids, row * length);
    mask.fill(1, row * length, row * length + encoding.ids.length);
    if (encoding.types) types.set(encoding.types, row * length);
  });
  return { texts: encodings.length, length, ids, mask, types };
}

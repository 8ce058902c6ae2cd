/** Reduces one vector per token to one vector per text. */

/** `mean` of the tokens, the first token (`cls`), or the output of the model's own pooler. */
export type Pooling = 'mean' | 'cls' | 'pooler';

/**
 * Mean of the token vectors without padding (Reimers and Gurevych 2019, arXiv:1908.10084, section 3).
 *
 * @param states [batch, length, d]
 * @param mask [batch, length], 1 for tokens and 0 for padding
 * @returns [batch, d]; zeros for a text without tokens
 */
export function meanPool(
  states: Float32Array,
  mask: ArrayLike<number>,
  batch: number,
  dimensions: number,
): Float32Array {
  const length = mask.length / batch;
  const pooled = new Float32Array(batch * dimensions);
  const sum = new Float64Array(dimensions);
  for (let text = 0; text < batch; text++) {
    sum.fill(0);
    let tokens = 0;
    for (let position = text * length; position < (text + 1) * length; position++) {
      if (mask[position] === 0) continue;
      tokens++;
      for (let i = 0; i < dimensions; i++) sum[i]! += states[position * dimensions + i]!;
    }
    for (let i = 0; i < dimensions; i++) pooled[text * dimensions + i] = sum[i]! / Math.max(tokens, 1);
  }
  return pooled;
}

/**
 * The vector of each text's first token.
 *
 * @param states [batch, length, d]
 * @returns [batch, d]
 */
export function clsPool(states: Float32Array, batch: number, dimensions: number): Float32Array {
  const perText = states.length / batch;
  const pooled = new Float32Array(batch * dimensions);
  for (let text = 0; text < batch; text++)
    pooled.set(states.subarray(text * perText, text * perText + dimensions), text * dimensions);
  return pooled;
}

/** Scales each row of [n, d] to length 1, in place. Zero rows stay. */
export function normalizeRows(vectors: Float32Array, dimensions: number): void {
  for (let start = 0; start < vectors.length; start += dimensions) {
    let sum = 0;
    for (let i = start; i < start + dimensions; i++) sum += vectors[i]! * vectors[i]!;
    const scale = sum > 0 ? 1 / Math.sqrt(sum) : 0;
    for (let i = start; i < start + dimensions; i++) vectors[i]! *= scale;
  }
}

/** Cosine similarity between the passages of one candidate list. */
import { ParallaxError } from '../errors.ts';

/**
 * The candidates' vectors, checked once, with what is needed to compare any two of them.
 *
 * A vector of zeros has no direction: its similarity to everything, itself included, is 0.
 */
export class CandidateVectors {
  readonly count: number;
  readonly #vectors: Float32Array;
  readonly #dimensions: number;
  /** `[n]` 1 / length of each vector; 0 for a vector of zeros. */
  readonly #inverseLengths: Float64Array;

  /**
   * @param vectors `[n, d]`, of any length, row after row
   * @param count n
   * @throws ParallaxError `bad-argument` when the vectors are not n rows, or one is not finite
   */
  constructor(vectors: Float32Array, count: number) {
    const dimensions = count === 0 ? 0 : vectors.length / count;
    if (
      !Number.isInteger(dimensions) ||
      (count > 0 && dimensions === 0) ||
      (count === 0 && vectors.length > 0)
    )
      throw new ParallaxError(
        'bad-argument',
        `${vectors.length} numbers are not one vector for each of ${count} candidates.`,
      );
    this.count = count;
    this.#vectors = vectors;
    this.#dimensions = dimensions;
    this.#inverseLengths = Float64Array.from({ length: count }, (_, row) => this.#inverseLength(row));
  }

  /** Cosine of candidates a and b, in [−1, 1]; the same in both orders, to the last bit. */
  similarity(a: number, b: number): number {
    const cosine = this.#dot(a, b) * (this.#inverseLengths[a]! * this.#inverseLengths[b]!);
    return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
  }

  #inverseLength(row: number): number {
    const length = Math.sqrt(this.#dot(row, row));
    if (!Number.isFinite(length))
      throw new ParallaxError(
        'bad-argument',
        `The vector of candidate ${row + 1} holds a value that is not a finite number.`,
      );
    return length === 0 ? 0 : 1 / length;
  }

  /** Four sums, so that an addition need not wait for the one before it. */
  #dot(a: number, b: number): number {
    const vectors = this.#vectors;
    let x = a * this.#dimensions;
    let y = b * this.#dimensions;
    const end = x + this.#dimensions;
    let sum0 = 0;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (const unrolledEnd = end - 3; x < unrolledEnd; x += 4, y += 4) {
      sum0 += vectors[x]! * vectors[y]!;
      sum1 += vectors[x + 1]! * vectors[y + 1]!;
      sum2 += vectors[x + 2]! * vectors[y + 2]!;
      sum3 += vectors[x + 3]! * vectors[y + 3]!;
    }
    for (; x < end; x++, y++) sum0 += vectors[x]! * vectors[y]!;
    return sum0 + sum1 + (sum2 + sum3);
  }
}

/**
 * The cosine of every pair of candidates.
 *
 * @param vectors `[n, d]`, see {@link CandidateVectors}
 * @returns `[n, n]`
 * @throws ParallaxError as {@link CandidateVectors}
 */
export function similarityMatrix(vectors: Float32Array, count: number): Float64Array {
  const candidates = new CandidateVectors(vectors, count);
  const matrix = new Float64Array(count * count);
  for (let a = 0; a < count; a++)
    for (let b = 0; b <= a; b++) matrix[a * count + b] = matrix[b * count + a] = candidates.similarity(a, b);
  return matrix;
}

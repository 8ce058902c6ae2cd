/** Cosine similarity between the passages of one candidate list. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/** The inner product of candidates a and b of a list, in double precision. */
export type InnerProduct = (a: number, b: number) => number;

/** Provides the inner products of a list of vectors `[n, d]`, precomputed or on demand. */
export type InnerProducts = (vectors: Float32Array, dimensions: number) => InnerProduct;

/**
 * The candidates' vectors, validated once, with precomputed values for comparing any two of them.
 *
 * A zero vector has no direction: its similarity to everything, including itself, is 0.
 */
export class CandidateVectors {
  readonly #product: InnerProduct;
  /** `[n]` 1 / length of each vector, 0 for a zero vector. */
  readonly #inverseLengths: Float64Array;

  /**
   * @param vectors `[n, d]`, of any length, row by row
   * @param count n
   * @param products computes inner products; implementations must agree to the last bit
   * @throws ParallaxError `bad-argument` if the vectors are not n rows, or one is not finite
   */
  constructor(vectors: Float32Array, count: number, products: InnerProducts = plainProducts) {
    const dimensions = vectors.length / (count || 1);
    if (!Number.isInteger(dimensions) || (dimensions === 0) !== (count === 0))
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${vectors.length} numbers cannot be ${count} vectors of equal length.`,
      );
    this.#product = products(vectors, dimensions);
    this.#inverseLengths = Float64Array.from({ length: count }, (_, row) =>
      inverseLength(this.#product(row, row), row),
    );
  }

  /** Cosine of candidates a and b, in [−1, 1]. Symmetric to the last bit. */
  similarity(a: number, b: number): number {
    const cosine = this.#product(a, b) * (this.#inverseLengths[a]! * this.#inverseLengths[b]!);
    return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
  }
}

function inverseLength(squaredLength: number, position: number): number {
  const length = Math.sqrt(squaredLength);
  if (!Number.isFinite(length))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The vector of candidate ${position + 1} has a value that is not a finite number.`,
    );
  return length === 0 ? 0 : 1 / length;
}

const plainProducts: InnerProducts = (vectors, dimensions) => {
  const rows = Array.from({ length: vectors.length / (dimensions || 1) }, (_, row) =>
    vectors.subarray(row * dimensions, (row + 1) * dimensions),
  );
  return (a, b) => dot(rows[a]!, rows[b]!);
};

/**
 * Inner product in four partial sums, so that additions do not wait for each other. Element i goes to sum i mod 4, as
 * in implementations that pad vectors with zeros and process four elements at once.
 */
function dot(a: Float32Array, b: Float32Array): number {
  const whole = a.length & ~3;
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  for (let i = 0; i < whole; i += 4) {
    sum0 += a[i]! * b[i]!;
    sum1 += a[i + 1]! * b[i + 1]!;
    sum2 += a[i + 2]! * b[i + 2]!;
    sum3 += a[i + 3]! * b[i + 3]!;
  }
  if (whole < a.length) sum0 += a[whole]! * b[whole]!;
  if (whole + 1 < a.length) sum1 += a[whole + 1]! * b[whole + 1]!;
  if (whole + 2 < a.length) sum2 += a[whole + 2]! * b[whole + 2]!;
  return sum0 + sum1 + (sum2 + sum3);
}

/**
 * The cosine of every pair of candidates.
 *
 * @param vectors `[n, d]`, see {@link CandidateVectors}
 * @returns `[n, n]`
 * @throws ParallaxError like {@link CandidateVectors}
 */
export function similarityMatrix(vectors: Float32Array, count: number): Float64Array {
  const candidates = new CandidateVectors(vectors, count);
  const matrix = new Float64Array(count * count);
  for (let a = 0; a < count; a++)
    for (let b = 0; b <= a; b++) matrix[a * count + b] = matrix[b * count + a] = candidates.similarity(a, b);
  return matrix;
}

/** Checks on vectors before anything is computed with them. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { ScoringPlan } from '../../core/projection/project.ts';
import { squaredLengths } from '../kernels/products.ts';
import type { Slot } from '../types.ts';

const MAX_SLOT = 2 ** 31 - 1;
/** Inner products of vectors within this norm stay finite in single precision. */
const MAX_NORM = 1e18;
/** From this square on, single precision lost nothing significant in the sum. */
const MIN_SQUARE = 1e-30;

/** @throws ParallaxError `bad-argument` unless there is one valid vector, [d], for each slot */
export function assertRows(slots: ArrayLike<Slot>, vectors: Float32Array, dimensions: number): void {
  if (vectors.length !== slots.length * dimensions || !Number.isInteger(dimensions) || dimensions < 1)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The embedder gave ${vectors.length} numbers for ${slots.length} passages of ${dimensions} dimensions.`,
    );
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i]!;
    if (!Number.isInteger(slot) || slot < 0 || slot > MAX_SLOT)
      throw new ParallaxError('bad-argument', l10n.t`${slot} is not the number of a passage.`);
  }
  squaredLengths(vectors, dimensions).forEach((squared, i) => {
    // In single precision, very short vectors have length 0. They, and all invalid ones, are checked closely.
    if (squared > MIN_SQUARE && squared <= MAX_NORM ** 2) return;
    const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
    assertVector(vector, dimensions, l10n.t`The vector of passage ${slots[i]!}`);
  });
}

/** @throws ParallaxError `bad-argument` unless `vector` has d numbers, finite and not all zero */
export function assertVector(vector: Float32Array, dimensions: number, what: string): void {
  if (vector.length !== dimensions)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${what} has ${vector.length} dimensions; the index has ${dimensions}.`,
    );
  const norm = Math.sqrt(squareSum(vector));
  if (!(norm <= MAX_NORM))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${what} contains values that are not finite, or too large.`,
    );
  if (norm === 0)
    throw new ParallaxError('bad-argument', l10n.t`${what} is a zero vector, so its direction is undefined.`);
}

/** @throws ParallaxError `bad-argument` unless the kernels can compute with the plan's numbers */
export function assertPlan({ direction, offset, norm }: ScoringPlan, dimensions: number): void {
  const terms = [offset, norm?.linear ?? 0, norm?.quadratic ?? 0, norm?.constant ?? 0];
  if (!terms.every((term) => Math.abs(term) <= MAX_NORM))
    throw new ParallaxError(
      'bad-argument',
      l10n.t('The weight of the perspective is too large to compute with.'),
    );
  assertVector(Float32Array.from(direction), dimensions, l10n.t('The query as projected'));
  if (norm) assertVector(Float32Array.from(norm.axis), dimensions, l10n.t('The perspective'));
}

function squareSum(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return sum;
}

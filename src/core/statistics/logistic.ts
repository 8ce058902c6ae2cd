/**
 * Logistic regression with few features: the probability of an outcome, learnt from labelled examples.
 *
 * Learning online means refitting on all examples instead of taking a gradient step for each: there are few, a fit
 * takes milliseconds, and the result only depends on the examples. Labels come from a file that git merges, so their
 * order differs between people.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

export interface Example {
  /** `[d]`, finite. */
  readonly features: readonly number[];
  readonly positive: boolean;
}

export interface LogisticOptions {
  /** `[1 + d]` the weights to shrink towards, intercept first. Also the result without examples. */
  readonly prior: readonly number[];
  /** `[1 + d]` the strength of each, above 0. */
  readonly strengths: readonly number[];
  /** Index of a weight that must not be negative, so that the probability never falls with its feature. */
  readonly nonNegative?: number | undefined;
}

const MAX_STEPS = 100;
/** The minimum counts as reached if no component of the gradient is larger. */
const TOLERANCE = 1e-10;
/** The share of the expected decrease that a step must achieve (Armijo's rule). */
const SUFFICIENT = 1e-4;

/**
 * The weights that minimise `Σ log loss + Σ λ/2 (w − prior)²` with the strengths as λ (ridge-penalised maximum
 * likelihood, le Cessie and van Houwelingen 1992), by damped Newton steps. The penalty makes the minimum unique and
 * finite, even if the examples are separable.
 *
 * @returns `[1 + d]`, intercept first
 * @throws ParallaxError `bad-argument` for features that are not finite or not d, and for strengths that are not above
 *   0
 */
export function fitLogistic(examples: readonly Example[], options: LogisticOptions): readonly number[] {
  check(examples, options);
  const { prior, nonNegative } = options;
  const places = prior.map((_, place) => place);
  const fitted = minimise(examples, options, [...prior], places);
  if (nonNegative === undefined || fitted[nonNegative]! >= 0) return fitted;
  // The loss is convex, so if the free minimum violates the bound, the constrained one lies on it.
  const onBound = prior.with(nonNegative, 0);
  return minimise(
    examples,
    options,
    onBound,
    places.filter((place) => place !== nonNegative),
  );
}

/** @param weights `[1 + d]`, intercept first @param features `[d]` */
export function probabilityOf(weights: readonly number[], features: readonly number[]): number {
  return sigmoid(linear(weights, features));
}

/** 1 / (1 + e^−x), in (0, 1) up to rounding, without overflow. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const power = Math.exp(x);
  return power / (1 + power);
}

/** ln(p / (1 − p)) for p in (0, 1). */
export function logit(p: number): number {
  return Math.log(p) - Math.log1p(-p);
}

function check(examples: readonly Example[], { prior, strengths }: LogisticOptions): void {
  if (strengths.length !== prior.length || !strengths.every((strength) => strength > 0))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A prior of ${prior.length} weights has as many strengths above 0, not [${strengths.join(', ')}].`,
    );
  for (const { features } of examples)
    if (features.length !== prior.length - 1 || !features.every(Number.isFinite))
      throw new ParallaxError(
        'bad-argument',
        l10n.t`An example has ${prior.length - 1} finite features, not [${features.join(', ')}].`,
      );
}

/** Newton steps in the weights at `places`; the others are fixed. */
function minimise(
  examples: readonly Example[],
  options: LogisticOptions,
  start: readonly number[],
  places: readonly number[],
): readonly number[] {
  let weights = start;
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = derivatives(examples, options, weights, places);
    if (gradient.every((slope) => Math.abs(slope) <= TOLERANCE)) break;
    const next = lineSearch(examples, options, weights, places, gradient, solve(hessian, gradient));
    if (!next) break;
    weights = next;
  }
  return weights;
}

/** The weights after a full step, or after the first of its halvings that lowers the loss. `undefined` if none does. */
function lineSearch(
  examples: readonly Example[],
  options: LogisticOptions,
  weights: readonly number[],
  places: readonly number[],
  gradient: readonly number[],
  direction: readonly number[],
): readonly number[] | undefined {
  const before = lossOf(examples, options, weights);
  const expected = direction.reduce((sum, value, i) => sum + value * gradient[i]!, 0);
  for (let length = 1; length > Number.EPSILON; length /= 2) {
    const next = [...weights];
    places.forEach((place, i) => (next[place]! -= length * direction[i]!));
    if (lossOf(examples, options, next) < before - SUFFICIENT * length * expected) return next;
  }
  return undefined;
}

function lossOf(
  examples: readonly Example[],
  { prior, strengths }: LogisticOptions,
  weights: readonly number[],
): number {
  const penalty = prior.reduce((sum, value, i) => sum + (strengths[i]! / 2) * (weights[i]! - value) ** 2, 0);
  return examples.reduce(
    (sum, { features, positive }) => sum + softplus(linear(weights, features) * (positive ? -1 : 1)),
    penalty,
  );
}

/** @returns derivatives of the loss with respect to the weights at `places` */
function derivatives(
  examples: readonly Example[],
  { prior, strengths }: LogisticOptions,
  weights: readonly number[],
  places: readonly number[],
): { readonly gradient: readonly number[]; readonly hessian: readonly number[][] } {
  const gradient = places.map((place) => strengths[place]! * (weights[place]! - prior[place]!));
  const hessian = places.map((place, i) => places.map((_, j) => (i === j ? strengths[place]! : 0)));
  for (const { features, positive } of examples) {
    const p = probabilityOf(weights, features);
    const values = places.map((place) => (place === 0 ? 1 : features[place - 1]!));
    values.forEach((value, i) => {
      gradient[i]! += (p - (positive ? 1 : 0)) * value;
      values.forEach((other, j) => (hessian[i]![j]! += p * (1 - p) * value * other));
    });
  }
  return { gradient, hessian };
}

/** Solves A·x = b for a symmetric positive definite A by Gaussian elimination, which needs no pivoting then. */
function solve(a: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = a.map((row, i) => [...row, b[i]!]);
  const n = b.length;
  for (let column = 0; column < n; column++)
    for (let row = column + 1; row < n; row++) {
      const factor = rows[row]![column]! / rows[column]![column]!;
      for (let i = column; i <= n; i++) rows[row]![i]! -= factor * rows[column]![i]!;
    }
  const x = new Array<number>(n).fill(0);
  for (let row = n - 1; row >= 0; row--) {
    const known = x.reduce((sum, value, i) => (i > row ? sum + rows[row]![i]! * value : sum), 0);
    x[row] = (rows[row]![n]! - known) / rows[row]![row]!;
  }
  return x;
}

function linear(weights: readonly number[], features: readonly number[]): number {
  return features.reduce((sum, value, i) => sum + weights[i + 1]! * value, weights[0]!);
}

/** ln(1 + e^x) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

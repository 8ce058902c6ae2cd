/** Projects vectors onto the plane of their largest variance, the first two principal components. */

const AXES = 2;
/** Relative change of the spread at which the iteration ends. Far finer than a map shows. */
const PRECISION = 1e-10;
const MAX_STEPS = 300;

export interface Plane {
  /** `[d]` mean of the vectors. */
  readonly mean: Float64Array;
  /** Two of `[d]`, orthogonal, of length 1, or 0 without remaining variance. */
  readonly axes: readonly Float64Array[];
  /** The share of the variance in the plane, in [0, 1]. 1 without any variance. */
  readonly explained: number;
}

/**
 * Principal components by subspace iteration from a fixed start, so that the plane is deterministic. Axes are oriented
 * so that their largest component is positive.
 *
 * @param vectors `[n, d]`, row by row
 */
export function principalPlane(vectors: Float32Array, n: number): Plane {
  const d = n === 0 ? 0 : vectors.length / n;
  const mean = new Float64Array(d);
  for (let place = 0; place < vectors.length; place++) mean[place % d]! += vectors[place]! / n;
  const centred = Float64Array.from(vectors, (value, place) => value - mean[place % d]!);
  const total = centred.reduce((sum, value) => sum + value * value, 0);
  const axes: Float64Array[] = [];
  let within = 0;
  for (let axis = 0; axis < AXES; axis++) {
    const component = direction(centred, n, axes);
    within += component.spread;
    axes.push(component.axis);
  }
  return { mean, axes, explained: total === 0 ? 1 : Math.min(1, within / total) };
}

/** Coordinates of a vector in the plane. */
export function placeIn({ mean, axes }: Plane, vector: ArrayLike<number>): { x: number; y: number } {
  const along = (axis: Float64Array): number =>
    axis.reduce((sum, value, at) => sum + value * (vector[at]! - mean[at]!), 0);
  return { x: along(axes[0]!), y: along(axes[1]!) };
}

/** The direction of the largest spread orthogonal to the known axes, by the power method. */
function direction(
  centred: Float64Array,
  n: number,
  known: readonly Float64Array[],
): { readonly axis: Float64Array; readonly spread: number } {
  const d = n === 0 ? 0 : centred.length / n;
  let axis = Float64Array.from({ length: d }, (_, at) => Math.sin(at + 1));
  let spread = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = new Float64Array(d);
    for (let row = 0; row < n; row++) {
      let along = 0;
      for (let at = 0; at < d; at++) along += centred[row * d + at]! * axis[at]!;
      for (let at = 0; at < d; at++) next[at]! += along * centred[row * d + at]!;
    }
    const before = spread;
    spread = makeUnit(next, known);
    axis = next;
    if (Math.abs(spread - before) <= PRECISION * spread) break;
  }
  if (largest(axis) < 0) axis = axis.map((value) => -value);
  return { axis, spread };
}

/** @returns the previous length; a vector too short for a direction becomes zero */
function makeUnit(vector: Float64Array, known: readonly Float64Array[]): number {
  for (const axis of known) {
    const along = vector.reduce((sum, value, at) => sum + value * axis[at]!, 0);
    for (let at = 0; at < vector.length; at++) vector[at]! -= along * axis[at]!;
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  for (let at = 0; at < vector.length; at++) vector[at] = length > 1e-12 ? vector[at]! / length : 0;
  return length > 1e-12 ? length : 0;
}

function largest(axis: Float64Array): number {
  return axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
}

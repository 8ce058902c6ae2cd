/** The likeness of the passages of a list, by the cosines of their vectors. */
import { symmetricEigenvalues } from './eigenvalues.ts';

/**
 * The Vendi score of a list: the number of completely different passages that would be as varied. 1 if all are the
 * same, n if all vectors are orthogonal.
 *
 * It is the exponential of the Shannon entropy of the eigenvalues of K/n. K contains the cosines with ones on the
 * diagonal, so it has no negative eigenvalues. Negative ones from rounding count as 0.
 *
 * Source: Friedman and Dieng 2023, definition 3.1.
 *
 * @param cosines `[n, n]`, symmetric
 * @returns in [1, n]; 0 for an empty list
 */
export function vendiScore(cosines: Float64Array, n: number): number {
  const kernel = cosines.map((cosine) => cosine / n);
  // A zero vector is similar only to itself.
  for (let row = 0; row < n; row++) kernel[row * n + row] = 1 / n;
  let entropy = 0;
  for (const share of symmetricEigenvalues(kernel, n)) if (share > 0) entropy -= share * Math.log(share);
  return Math.min(n, Math.max(1, Math.exp(entropy)));
}

/**
 * The mean cosine of all pairs of a list.
 *
 * @param cosines `[n, n]`, symmetric
 * @returns in [−1, 1]; `undefined` without pairs
 */
export function meanCosine(cosines: Float64Array, n: number): number | undefined {
  if (n < 2) return undefined;
  let sum = 0;
  for (let row = 0; row < n; row++)
    for (let column = 0; column < row; column++) sum += cosines[row * n + column]!;
  return sum / ((n * (n - 1)) / 2);
}

/** The cosines of selected passages, in the order of `places`: `[places, places]` of `[n, n]`. */
export function cosinesOf(cosines: Float64Array, n: number, places: readonly number[]): Float64Array {
  const picked = new Float64Array(places.length ** 2);
  places.forEach((a, row) =>
    places.forEach((b, column) => (picked[row * places.length + column] = cosines[a * n + b]!)),
  );
  return picked;
}

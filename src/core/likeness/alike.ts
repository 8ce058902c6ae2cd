/** How alike the passages of a list are, by the cosines of their vectors. */
import { symmetricEigenvalues } from './eigenvalues.ts';

/**
 * The Vendi score of a list: how many passages without anything in common would be as varied. 1 where all are the same,
 * n where each is unlike every other (their vectors at right angles).
 *
 * It is the exponential of the Shannon entropy of the eigenvalues of K/n. K are the cosines with ones on the diagonal,
 * which has no negative eigenvalue, whatever the signs of the cosines; what rounding leaves below 0 counts as 0.
 *
 * Source: Friedman and Dieng 2023, definition 3.1.
 *
 * @param cosines `[n, n]`, symmetric
 * @returns in [1, n]; 0 of an empty list
 */
export function vendiScore(cosines: Float64Array, n: number): number {
  const kernel = cosines.map((cosine) => cosine / n);
  // A vector of zeros is like no other, and like itself.
  for (let row = 0; row < n; row++) kernel[row * n + row] = 1 / n;
  let entropy = 0;
  for (const share of symmetricEigenvalues(kernel, n)) if (share > 0) entropy -= share * Math.log(share);
  return Math.min(n, Math.max(1, Math.exp(entropy)));
}

/**
 * The mean cosine of all pairs of a list.
 *
 * @param cosines `[n, n]`, symmetric
 * @returns in [−1, 1]; nothing where there is no pair
 */
export function meanCosine(cosines: Float64Array, n: number): number | undefined {
  if (n < 2) return undefined;
  let sum = 0;
  for (let row = 0; row < n; row++)
    for (let other = 0; other < row; other++) sum += cosines[row * n + other]!;
  return sum / ((n * (n - 1)) / 2);
}

/** The cosines of some of n passages, in the order of their places: `[places, places]` of `[n, n]`. */
export function cosinesOf(cosines: Float64Array, n: number, places: readonly number[]): Float64Array {
  const picked = new Float64Array(places.length ** 2);
  places.forEach((a, row) =>
    places.forEach((b, column) => (picked[row * places.length + column] = cosines[a * n + b]!)),
  );
  return picked;
}

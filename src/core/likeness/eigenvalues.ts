/** Eigenvalues of small symmetric matrices. */

/** Enough to halve any interval of doubles completely. */
const MAX_HALVINGS = 100;

/** Shorter vectors count as zero, as their square would lose precision. */
const NEGLIGIBLE = 1e-150;

/** A symmetric matrix with zeros outside of the diagonal and its neighbours. */
interface Tridiagonal {
  /** `[n]` */
  readonly diagonal: Float64Array;
  /** `[n − 1]` squares of the values next to the diagonal. */
  readonly besideSquared: Float64Array;
  /** The largest possible absolute eigenvalue. */
  readonly bound: number;
}

/**
 * All eigenvalues of a symmetric matrix, accurate to the last few bits of its largest one. Householder reflections make
 * it tridiagonal, and bisection finds each eigenvalue by counting those below a number (Golub and Van Loan, Matrix
 * Computations, sections 8.3 and 8.4). About n³ steps.
 *
 * @param matrix `[n, n]`, symmetric and finite
 * @returns `[n]`, ascending
 */
export function symmetricEigenvalues(matrix: Float64Array, n: number): Float64Array {
  const reduced = tridiagonal(matrix, n);
  return Float64Array.from({ length: n }, (_, place) => eigenvalue(reduced, place));
}

function tridiagonal(matrix: Float64Array, n: number): Tridiagonal {
  const a = matrix.slice();
  const beside = new Float64Array(Math.max(0, n - 1));
  for (let column = 0; column < n - 2; column++) beside[column] = reflect(a, n, column);
  if (n > 1) beside[n - 2] = a[(n - 1) * n + n - 2]!;
  const diagonal = Float64Array.from({ length: n }, (_, row) => a[row * n + row]!);
  let bound = 0;
  for (let row = 0; row < n; row++) {
    const around = Math.abs(beside[row - 1] ?? 0) + Math.abs(beside[row] ?? 0);
    bound = Math.max(bound, Math.abs(diagonal[row]!) + around);
  }
  return { diagonal, besideSquared: beside.map((value) => value * value), bound };
}

/**
 * Reflects the part of the matrix below and right of `column`, so that the column has one value below the diagonal.
 *
 * @returns that value
 */
function reflect(a: Float64Array, n: number, column: number): number {
  const from = column + 1;
  const v = new Float64Array(n);
  for (let row = from; row < n; row++) v[row] = a[row * n + column]!;
  const length = norm(v);
  if (length < NEGLIGIBLE) return 0;
  const first = v[from]!;
  const value = first > 0 ? -length : length;
  v[from] = first - value;
  const ownLength = norm(v);
  for (let row = from; row < n; row++) v[row]! /= ownLength;
  const q = new Float64Array(n);
  for (let row = from; row < n; row++)
    for (let other = from; other < n; other++) q[row]! += a[row * n + other]! * v[other]!;
  let along = 0;
  for (let row = from; row < n; row++) along += v[row]! * q[row]!;
  for (let row = from; row < n; row++) q[row]! -= along * v[row]!;
  for (let row = from; row < n; row++)
    for (let other = from; other < n; other++)
      a[row * n + other]! -= 2 * (v[row]! * q[other]! + q[row]! * v[other]!);
  return value;
}

function norm(vector: Float64Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** The eigenvalue at index `place` in ascending order. */
function eigenvalue(matrix: Tridiagonal, place: number): number {
  let low = -matrix.bound;
  let high = matrix.bound;
  for (let step = 0; step < MAX_HALVINGS; step++) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (countBelow(matrix, middle) > place) high = middle;
    else low = middle;
  }
  return low + (high - low) / 2;
}

/** The number of eigenvalues below a number, which is the number of negative pivots (Sturm's sequence). */
function countBelow({ diagonal, besideSquared }: Tridiagonal, number: number): number {
  let count = 0;
  let pivot = 1;
  for (const [row, value] of diagonal.entries()) {
    pivot = value - number - (row === 0 ? 0 : besideSquared[row - 1]! / pivot);
    if (pivot === 0) pivot = Number.MIN_VALUE;
    if (pivot < 0) count++;
  }
  return count;
}

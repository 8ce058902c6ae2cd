/** Arithmetic on single vectors, in double precision. */

/** Inner product of two vectors of the same length. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Euclidean length. */
export function length(a: ArrayLike<number>): number {
  return Math.sqrt(dot(a, a));
}

/** a + factor · b, as a new vector. */
export function addScaled(a: ArrayLike<number>, factor: number, b: ArrayLike<number>): Float64Array {
  return Float64Array.from(a, (value, i) => value + factor * b[i]!);
}

/** factor · a, as a new vector. */
export function scaled(factor: number, a: ArrayLike<number>): Float64Array {
  return Float64Array.from(a, (value) => factor * value);
}

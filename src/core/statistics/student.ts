/**
 * The 97.5% quantile of Student's t, accurate to 0.1% from 5 degrees of freedom.
 *
 * Source: Abramowitz and Stegun 1964, 26.7.5.
 */
export function studentReach(freedom: number): number {
  const z = 1.959964;
  return (
    z +
    (z ** 3 + z) / 4 / freedom +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96 / freedom ** 2 +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384 / freedom ** 3
  );
}

import type { Random } from './random.ts';

/**
 * A random number of the gamma distribution with scale 1.
 *
 * Source: Marsaglia and Tsang 2000, ACM TOMS 26:363; section 6 for shapes below 1.
 *
 * @param shape above 0
 */
export function gammaDeviate(shape: number, random: Random): number {
  if (shape < 1) return gammaDeviate(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normalDeviate(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Source: Box and Muller 1958. */
function normalDeviate(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

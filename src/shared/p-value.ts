/** How p-values are written, the same on all faces of the product. Pure. */

/** Below this, a difference is called significant. */
export const SIGNIFICANT = 0.05;

/**
 * Without the leading zero, three decimals below .1 and two from there on: `.031`, `.31`, `1`, `< .001`. One that is
 * just below {@link SIGNIFICANT} is not rounded to it.
 *
 * @param p in [0, 1]
 */
export function shortP(p: number): string {
  if (p < 0.001) return '< .001';
  // Rounded, it would look as if it were not below the level.
  if (p < SIGNIFICANT && p >= SIGNIFICANT - 0.0005) return '< .05';
  const text = p.toFixed(p < 0.0995 ? 3 : 2);
  return text.startsWith('1') ? '1' : text.slice(1);
}

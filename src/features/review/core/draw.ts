/** Random samples. */
import type { Random } from '../../../core/statistics/random.ts';

/** `count` random items with equal probability, in random order. All items if there are no more. */
export function drawn<T>(items: readonly T[], count: number, random: Random): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    const place = Math.floor(random() * rest.length);
    chosen.push(rest[place]!);
    // The last item fills the gap.
    rest[place] = rest[rest.length - 1]!;
    rest.pop();
  }
  return chosen;
}

/** {@link drawn} items, with the probability in (0, 1] that each had. */
export function drawnAlike<T>(
  items: readonly T[],
  count: number,
  random: Random,
): { readonly item: T; readonly chance: number }[] {
  const chosen = drawn(items, count, random);
  return chosen.map((item) => ({ item, chance: chosen.length / items.length }));
}

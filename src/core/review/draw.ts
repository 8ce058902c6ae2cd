/** Random samples. */
import type { Random } from '../statistics/random.ts';

/** `count` of the items, each as likely as any other, in random order; all of them where there are no more. */
export function drawn<T>(items: readonly T[], count: number, random: Random): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    const place = Math.floor(random() * rest.length);
    chosen.push(rest[place]!);
    // The last one takes the place of the one that was drawn.
    rest[place] = rest[rest.length - 1]!;
    rest.pop();
  }
  return chosen;
}

/** As {@link drawn}, each with the chance in (0, 1] that it had of being drawn: the same for all. */
export function drawnAlike<T>(
  items: readonly T[],
  count: number,
  random: Random,
): { readonly item: T; readonly chance: number }[] {
  const chosen = drawn(items, count, random);
  return chosen.map((item) => ({ item, chance: chosen.length / items.length }));
}

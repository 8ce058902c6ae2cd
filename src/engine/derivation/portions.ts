/**
 * Slots in portions of `size`, the last one with what is left. Copies, because a view goes to a thread together with
 * all the memory behind it.
 */
export function portions(slots: Uint32Array, size: number): Uint32Array[] {
  return Array.from({ length: Math.ceil(slots.length / size) }, (_, number) =>
    slots.slice(number * size, (number + 1) * size),
  );
}

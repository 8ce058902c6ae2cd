/**
 * Splits slots into portions of `size`; the last one may be smaller. Copies, because sending a view to a thread would
 * send all the memory behind it.
 */
export function portions(slots: Uint32Array, size: number): Uint32Array[] {
  return Array.from({ length: Math.ceil(slots.length / size) }, (_, number) =>
    slots.slice(number * size, (number + 1) * size),
  );
}

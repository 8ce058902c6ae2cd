/** Slots in portions of `size`, the last one with what is left. */
export function portions(slots: Uint32Array, size: number): Uint32Array[] {
  return Array.from({ length: Math.ceil(slots.length / size) }, (_, number) =>
    slots.subarray(number * size, (number + 1) * size),
  );
}

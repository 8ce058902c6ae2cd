/** The array itself if it has `length` values, else a copy with room to spare, filled with `rest`. */
export function grownArray<T extends Uint32Array | Int32Array | Float32Array>(
  array: T,
  length: number,
  rest = 0,
): T {
  if (length <= array.length) return array;
  const copy = new (array.constructor as new (length: number) => T)(
    Math.max(length, Math.ceil(array.length * 1.5)),
  );
  copy.set(array);
  return copy.fill(rest, array.length) as T;
}

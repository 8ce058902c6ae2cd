/** FNV-1a over UTF-16 code units (Fowler, Noll and Vo). */

/** The hash of no units. */
export const FNV_OFFSET: u32 = 0x811c9dc5;
export const FNV_PRIME: u32 = 0x01000193;

/** Extends the hash of the units before this one. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
export function extended(hash: u32, unit: u32): u32 {
  return (hash ^ unit) * FNV_PRIME;
}

/** Splitting queries into a part to choose on and a part to report on. */

/**
 * Divides queries by their ids, so that the same query always falls on the same side, whatever the others
 * are and in whatever order they come.
 *
 * @param developmentShare how much to choose on, in (0, 1)
 */
export function splitQueries<T extends { readonly id: string }>(
  queries: readonly T[],
  developmentShare = 0.5,
): { readonly development: readonly T[]; readonly test: readonly T[] } {
  const isDevelopment = ({ id }: T): boolean => fnv1a(id) / 2 ** 32 < developmentShare;
  return {
    development: queries.filter(isDevelopment),
    test: queries.filter((query) => !isDevelopment(query)),
  };
}

/** FNV-1a over UTF-16 code units, mixed once more because its high bits vary little for short ids; 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

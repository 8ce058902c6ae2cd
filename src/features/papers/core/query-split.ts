/** Splits queries into a development and a test part. */

/**
 * Divides queries by their ids, so that a query always falls on the same side, independent of the other queries and of
 * their order.
 *
 * @param developmentShare the share of the development part, in (0, 1)
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

/**
 * FNV-1a over UTF-16 code units, 32 bits, with an additional mixing step because its high bits vary little for short
 * ids.
 */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

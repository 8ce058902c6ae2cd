/**
 * Groups texts of similar length, to minimise padding.
 *
 * @param lengths tokens of each text
 * @param maxTexts most texts in one batch
 * @param maxTokens most tokens in one batch, including padding; a longer text is a batch by itself
 * @returns every index of `lengths` once, shorter texts first
 */
export function batchesByLength(lengths: readonly number[], maxTexts: number, maxTokens: number): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengths[a]! - lengths[b]!);
  const batches: number[][] = [];
  for (const index of order) {
    const last = batches.at(-1);
    const fits = last && last.length < maxTexts && (last.length + 1) * lengths[index]! <= maxTokens;
    if (fits) last.push(index);
    else batches.push([index]);
  }
  return batches;
}

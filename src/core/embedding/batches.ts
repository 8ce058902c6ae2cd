/**
 * Groups texts of similar length, so that little is padded.
 *
 * @param lengths tokens of each text
 * @param maxTexts most texts in one batch
 * @param maxTokens most tokens in one batch, padding included; a text that alone has more is a batch of its own
 * @returns indexes into `lengths`, every one once, shorter texts first
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

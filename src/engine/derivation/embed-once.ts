import type { Embedder } from '../embedders/embedder.ts';
import type { WorkOptions } from '../types.ts';

/** Vectors by text, of the texts that were repeated or embedded last. */
export type EmbeddedTexts = Map<string, Float32Array>;

/** The most texts to remember, so that copies far apart do not fill the memory. */
const MAX_REMEMBERED = 4_096;

/**
 * Vectors of texts. Embeds each distinct text once.
 *
 * @param memory of earlier calls, which is updated; defaults to one for this call only
 * @returns [n, d]
 * @throws what the embedder throws
 */
export async function embedOnce(
  embedder: Pick<Embedder, 'embedPassages'>,
  texts: readonly string[],
  { signal, onRequest }: WorkOptions,
  memory: EmbeddedTexts = new Map(),
): Promise<Float32Array> {
  const missing = [...new Set(texts)].filter((text) => !memory.has(text));
  const embedded = await embedder.embedPassages(missing, { signal, onRequest });
  if (missing.length === texts.length) return remembered(memory, missing, embedded);
  const known = new Map(texts.flatMap((text) => [[text, memory.get(text)] as const]));
  const width = missing.length > 0 ? embedded.length / missing.length : [...known.values()][0]!.length;
  missing.forEach((text, row) => known.set(text, embedded.subarray(row * width, (row + 1) * width)));
  remembered(memory, missing, embedded);
  const vectors = new Float32Array(texts.length * width);
  texts.forEach((text, row) => vectors.set(known.get(text)!, row * width));
  return vectors;
}

function remembered(memory: EmbeddedTexts, texts: readonly string[], vectors: Float32Array): Float32Array {
  if (memory.size + texts.length > MAX_REMEMBERED) memory.clear();
  const width = vectors.length / texts.length;
  texts.forEach((text, row) => memory.set(text, vectors.slice(row * width, (row + 1) * width)));
  return vectors;
}

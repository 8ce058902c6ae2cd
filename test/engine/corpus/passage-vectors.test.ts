/** Vectors of passages that are not in the index: embedded once, and used beside those of the index. */
import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForeignVectors, passageVectors } from '../../../src/engine/corpora/passage-vectors.ts';
import type { Embedder } from '../../../src/engine/embedders/embedder.ts';

/** Two dimensions: the length of the text, and a mark of the embedder. */
function scripted(key: string, mark: number): { readonly embedder: Embedder; readonly asked: string[] } {
  const asked: string[] = [];
  const embedder = {
    key,
    embedPassages: async (texts: readonly string[]) => {
      asked.push(...texts);
      return Float32Array.from(texts.flatMap((text) => [text.length, mark]));
    },
  } as unknown as Embedder;
  return { embedder, asked };
}

test('a foreign text is embedded once by each embedder, and only missing ones are', async () => {
  const [first, second] = [scripted('a', 1), scripted('b', 2)];
  const vectors = new ForeignVectors();
  const rows = async (embedder: Embedder, ...texts: string[]): Promise<number[][]> =>
    (await vectors.vectors(embedder, texts, {})).map((row) => [...row]);
  assert.deepEqual(await rows(first.embedder, 'one', 'three', 'one'), [
    [3, 1],
    [5, 1],
    [3, 1],
  ]);
  assert.deepEqual(await rows(first.embedder, 'three', 'eleven'), [
    [5, 1],
    [6, 1],
  ]);
  assert.deepEqual(await rows(second.embedder, 'one'), [[3, 2]]);
  assert.deepEqual([first.asked, second.asked], [['one', 'three', 'eleven'], ['one']]);
});

test('vectors of the index and foreign ones come in the requested order', async () => {
  const { embedder, asked } = scripted('a', 1);
  const sources = {
    passages: { textsOf: (slots: readonly number[]) => slots.map((slot) => 'x'.repeat(-slot)) },
    records: { vectors: async () => new Map() },
    indexes: {
      vectors: async (_: unknown, slots: readonly number[]) =>
        Float32Array.from(slots.flatMap((slot) => [slot, 9])),
    },
    foreign: new ForeignVectors(),
  } as unknown as Parameters<typeof passageVectors>[0];
  const rows = await passageVectors(sources, embedder, [7, -2, 5, -4], {});
  assert.deepEqual([...rows], [7, 9, 2, 1, 5, 9, 4, 1]);
  assert.deepEqual(asked, ['xx', 'xxxx']);
});

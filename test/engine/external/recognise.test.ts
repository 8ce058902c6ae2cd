import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchCorpus } from '../../../src/engine/external/recognise.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { StoredPassage } from '../../../src/engine/types.ts';

const CATS = 'Cats purr when they are content, and some purr when they are hurt. It calms them.';
const NOTICE = 'All rights reserved by the authors of these pages, in whichever form they appear.';
const TEXTS = { 'docs/cats.md': `${CATS} ${NOTICE}`, 'docs/dogs.md': `Dogs bark at night. ${NOTICE}` };

test('a passage without a source is from the only document that contains its words', async () => {
  const passages = Object.entries(TEXTS).map(
    ([documentId, text], slot) => ({ slot, documentId, text }) as unknown as StoredPassage,
  );
  const store = {
    passages: {
      bySlot: (slot: number) => passages[slot],
      ofDocument: (id: string) => passages.filter(({ documentId }) => documentId === id),
    },
  } as unknown as Pick<Store, 'passages'>;
  const corpus = matchCorpus(store, async () => ({
    hits: passages.map(({ slot }) => ({ item: slot, score: 1 })),
  }));
  const documentOf = (text: string, source?: string): Promise<string | undefined> =>
    corpus.documentOf!({ text, score: 1, about: source === undefined ? undefined : { source } });
  assert.equal(await documentOf(CATS.slice(2, -3)), 'docs/cats.md');
  assert.equal(await documentOf(CATS, 'Of cats'), 'docs/cats.md');
  assert.equal(await documentOf(CATS, 'docs/dogs.md'), undefined);
  assert.equal(await documentOf(NOTICE), undefined);
  assert.equal(await documentOf('Cats purr when they'), undefined);
});

/** Files of one index copied into another. The long run is `npm run bench -- faults --exchanges 2000`. */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { CorpusIndex, type CorpusIndexOptions } from '../../../src/engine/corpora/corpus-index.ts';
import { ExchangeHarness } from './support/exchange.ts';
import { Workspace } from './support/workspace.ts';
import '../../fixtures/built.ts';

const SEED = 20_261_123;
const EXCHANGES = 20;

test(`after ${EXCHANGES} exchanges of files between indexes, no answer is wrong`, async (t) => {
  const harness = await ExchangeHarness.start(SEED);
  t.after(() => harness.close());
  let refused = 0;
  for (let n = 0; n < EXCHANGES; n++) if ((await harness.exchange()).end === 'refused') refused++;
  t.diagnostic(`${refused} of ${EXCHANGES} were refused in words before an update`);
});

const nobody = (): never => assert.fail('no model is asked');
const OPTIONS: CorpusIndexOptions = {
  embedder: nobody,
  crossEncoders: { score: nobody },
  externals: { search: nobody, store: nobody },
  approximateAbove: 1_000_000,
  log: () => undefined,
};

test('the cache of an index is not used for a copy with other texts in the same slots', async (t) => {
  const workspace = new Workspace({ seed: SEED, files: 2 });
  t.after(() => workspace.remove());
  const [one, other] = [workspace.config('one'), workspace.config('other')];
  const indexed = async (
    { corpora }: typeof one,
    text?: string,
  ): Promise<[slots: number[], name: string]> => {
    if (text !== undefined) writeFileSync(workspace.file(workspace.files[0]!), text);
    const index = await CorpusIndex.open(corpora[0]!, OPTIONS);
    await index.update({});
    const found: [number[], string] = [index.slots(), index.fingerprint];
    await index.close();
    return found;
  };
  const before = await indexed(one);
  cpSync(one.storage, other.storage, { recursive: true });
  assert.deepEqual(await indexed(other), before, 'a copy is the same until one of them is written to');
  const [slots, name] = await indexed(one, 'a few words');
  const [sameSlots, otherName] = await indexed(other, 'some other words');
  assert.deepEqual(sameSlots, slots);
  assert.notEqual(otherName, name);
});

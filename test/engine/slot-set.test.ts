import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SlotSet } from '../../src/engine/slot-set.ts';

const slots = fc.array(fc.oneof(fc.nat(200_000), fc.nat(2 ** 31 - 1)), { maxLength: 60 });

test('adding many slots at once equals adding them one by one', () => {
  fc.assert(
    fc.property(slots, slots, slots, (first, gone, second) => {
      const [together, singly] = [new SlotSet(), new SlotSet()];
      together.addAll(Uint32Array.from(first));
      for (const slot of first) singly.add(slot);
      for (const set of [together, singly]) for (const slot of gone) set.delete(slot);
      together.addAll(Uint32Array.from(second));
      for (const slot of second) singly.add(slot);
      for (const slot of [...first, ...gone, ...second, 0, 65_535, 65_536]) {
        const isThere = second.includes(slot) || (first.includes(slot) && !gone.includes(slot));
        assert.equal(together.has(slot), isThere, String(slot));
        assert.equal(together.word(slot >>> 5), singly.word(slot >>> 5));
      }
    }),
  );
});

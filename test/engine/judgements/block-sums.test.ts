/** Checksums by block: a part is found in what it is a part of, and in nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BlockSums } from '../../../src/engine/judgements/block-sums.ts';

const BLOCK = 4;

/** @param cuts lengths of the pieces in which the bytes come */
function passed(sums: BlockSums, bytes: Buffer, cuts: readonly number[]): BlockSums {
  let rest = bytes;
  for (const cut of cuts) {
    sums.pass(rest.subarray(0, cut));
    rest = rest.subarray(cut);
  }
  sums.pass(rest);
  return sums;
}

test('bytes are known again in whatever pieces they come, from the first byte of any block on', () => {
  const pieces = fc.array(fc.nat({ max: 9 }), { maxLength: 6 });
  const bytes = fc.uint8Array({ maxLength: 30 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(bytes, pieces, pieces, fc.nat({ max: 8 }), fc.nat(), (all, first, second, block, at) => {
      const sums = passed(new BlockSums(BLOCK), all, first);
      const begin = Math.min(block, Math.floor(all.length / BLOCK)) * BLOCK;
      const part = all.subarray(begin);
      assert.ok(sums.holds(passed(sums.from(begin), part, second)));
      assert.equal(passed(sums.from(begin), part, second).end, all.length);
      if (part.length === 0) return;
      const other = Buffer.from(part);
      other[at % part.length]! ^= 1;
      assert.ok(!sums.holds(passed(sums.from(begin), other, second)));
      assert.ok(!sums.holds(passed(sums.from(begin), Buffer.concat([part, part]), second)));
    }),
    { seed: 20_261_126 },
  );
});

test('the first blocks are held against what was passed until now, as long as they are whole', () => {
  const sums = passed(new BlockSums(BLOCK), Buffer.from('abcdefghij'), []);
  assert.ok(sums.holds(passed(sums.from(0), Buffer.from('abcdefgh'), [])));
  assert.ok(!sums.holds(passed(sums.from(0), Buffer.from('abcdefg'), [])), 'within a block nothing is known');
  assert.deepEqual(
    [1, 2, 3, 9].map((count) => sums.lastBlocks(count)),
    [8, 4, 0, 0],
  );
});

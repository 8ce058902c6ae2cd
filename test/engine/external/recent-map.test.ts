/** Recently set or read entries are kept, and the size is limited. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from '../../../src/engine/external/recent-map.ts';

test('at least the last half is kept, reading renews an entry, and the rest is dropped', () => {
  const map = new RecentMap<number, string>(8);
  for (let key = 0; key < 100; key++) {
    map.set(key, `value ${key}`);
    assert.equal(map.get(0), 'value 0');
    for (let recent = Math.max(0, key - 1); recent <= key; recent++)
      assert.equal(map.get(recent), `value ${recent}`);
  }
  const left = Array.from({ length: 100 }, (_, key) => key).filter((key) => map.get(key) !== undefined);
  assert.ok(left.length <= 8, left.join());
  map.clear();
  assert.equal(map.get(0), undefined);
});

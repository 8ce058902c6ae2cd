/** Who is notified when figures change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Changes, type Part } from '../../src/extension/services/changes.ts';

test('changed figures notify all but the source; other events notify their listeners', () => {
  const changes = new Changes();
  const told: string[] = [];
  for (const part of ['side panel', 'compare', 'testing'] satisfies Part[])
    changes.subscribe(part, { figuresChanged: () => told.push(part) });
  changes.subscribe('capture', { indexedChanged: () => told.push('indexed') });
  changes.subscribe('inline', { capturedChanged: () => told.push('captured') });
  changes.figuresChanged('compare', 'side panel');
  changes.figuresChanged('agents');
  changes.indexedChanged();
  changes.capturedChanged();
  assert.deepEqual(told, ['testing', 'side panel', 'compare', 'testing', 'indexed', 'captured']);
});

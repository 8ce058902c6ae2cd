/** The guards of panels are those that the schemas come to, and refuse what the schemas refuse. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type * as z from 'zod';
import { messageGuards } from '../../../scripts/guards.ts';
import { toCompareSchema } from '../../../src/shared/panels/compare.ts';
import { toHistorySchema } from '../../../src/shared/panels/history-panel.ts';
import { toInspectorSchema } from '../../../src/shared/panels/inspector.ts';
import { isToCompare } from '../../../webview/compare/message-guards.ts';
import { isToHistory } from '../../../webview/history/message-guards.ts';
import { isToInspector } from '../../../webview/inspector/message-guards.ts';
import { COMPARE_FIXTURES } from '../../panels/compare-fixtures.ts';
import { FIXTURES } from '../../panels/fixtures.ts';
import { HISTORY_FIXTURES } from '../../panels/history-fixtures.ts';

test('the guards are the ones that the schemas come to', async () => {
  for (const [name, content] of Object.entries(await messageGuards()))
    assert.equal(readFileSync(name, 'utf8'), content, `run: node scripts/guards.ts (${name})`);
});

/** Every way to leave out a field or to put a value of another kind in its place, at any depth, with its path. */
function* broken(value: unknown, path = ''): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  // One item of a list is like another.
  for (const [key, own] of Object.entries(value).slice(0, Array.isArray(value) ? 2 : undefined)) {
    const put = (changed: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    const others = [undefined, null, true, [], {}, 'text', 7].filter(
      (wrong) => typeof wrong === 'object' || typeof wrong !== typeof own,
    );
    for (const wrong of others) yield [`${path}.${key} = ${JSON.stringify(wrong)}`, put(wrong)];
    for (const [where, changed] of broken(own, `${path}.${key}`)) yield [where, put(changed)];
  }
}

const { comparison } = COMPARE_FIXTURES.compared;
const CASES: readonly [string, z.ZodType, (value: unknown) => boolean, object][] = [
  ['inspector', toInspectorSchema, isToInspector, { type: 'state', state: FIXTURES.answered }],
  ['compare', toCompareSchema, isToCompare, { type: 'state', state: COMPARE_FIXTURES.movement.state }],
  ['pool', toCompareSchema, isToCompare, { type: 'state', state: COMPARE_FIXTURES['pool-open'].state }],
  ['comparison', toCompareSchema, isToCompare, { type: 'comparison', comparison }],
  ['history', toHistorySchema, isToHistory, { type: 'state', state: HISTORY_FIXTURES.compared.state }],
  ['runs', toHistorySchema, isToHistory, { type: 'runs', revision: 1, runs: HISTORY_FIXTURES.runs.runs }],
];

for (const [name, schema, guard, message] of CASES)
  test(`${name}: a field that is missing or of another kind is refused as the schema refuses it`, () => {
    assert.equal(guard(message), true);
    let refused = 0;
    for (const [path, changed] of broken(message)) {
      // Of a pipeline, panels know of which kind the outermost fields are.
      if (/\.pipeline\.\w+(?:\.| = [{[])/u.test(path) || schema.safeParse(changed).success) continue;
      assert.equal(guard(changed), false, path);
      refused++;
    }
    assert.ok(refused > 50, `${refused}`);
  });

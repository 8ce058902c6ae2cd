import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallHalves } from '../../../src/features/capture/core/agent-logs.ts';
import type { CapturedSpan } from '../../../src/features/capture/core/spans.ts';

const half = (call: number, field: string, value: string): CapturedSpan => ({
  traceId: 'trace',
  spanId: `${call} ${field}`,
  name: 'find',
  startedAt: 0,
  attributes: new Map([
    ['gen_ai.tool.call.id', String(call)],
    [`gen_ai.tool.call.${field}`, value],
  ]),
  service: '',
  scope: '',
});

test('calls without their other half take a limited number of characters', () => {
  const halves = new CallHalves();
  const million = 'x'.repeat(1_000_000);
  for (let call = 0; call < 100; call++) halves.join(half(call, 'arguments', million));
  // Sent again, it takes no more.
  for (let turn = 0; turn < 100; turn++) halves.join(half(99, 'arguments', million));
  const joined = Array.from({ length: 100 }, (_, call) => call).filter((call) =>
    halves.join(half(call, 'result', '')),
  );
  assert.deepEqual(
    joined.slice(-20),
    Array.from({ length: 20 }, (_, place) => 80 + place),
  );
  assert.ok(joined.length < 32);
  // Their places are free again.
  halves.join(half(1000, 'arguments', million));
  assert.ok(halves.join(half(1000, 'result', '')));
});

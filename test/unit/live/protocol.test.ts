import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  livePlanSchema,
  parallaxMessageSchema,
  programMessageSchema,
  type WrittenLivePlan,
  type WrittenProgramMessage,
} from '../../../src/features/live/contract/protocol.ts';

const PLAN: WrittenLivePlan = {
  protocol: 1,
  port: 40_000,
  token: 'a-token-of-24-characters',
  spool: '/tmp/parallax-live/spool',
  files: {
    '/app/rag.ts': {
      sha256: 'a'.repeat(64),
      calls: [
        {
          site: 'rag.ts similaritySearch 0',
          start: [4, 10],
          end: [4, 51],
          callee: { start: [4, 16], end: [4, 32] },
          returns: 'passages',
          question: { path: [0], at: { start: [4, 33], end: [4, 41] } },
          k: null,
        },
      ],
    },
  },
};

const MESSAGES: readonly WrittenProgramMessage[] = [
  {
    type: 'hello',
    protocol: 1,
    token: 'a-token-of-24-characters',
    language: 'python',
    version: '3.11.7',
    pid: 2,
    ppid: 1,
    command: ['python', 'app.py'],
  },
  { type: 'instrumented', file: '/app/rag.py', calls: 2 },
  { type: 'skipped', file: '/app/old.py', reason: 'changed' },
  {
    type: 'retrieval',
    id: '2-1',
    site: 'rag.py similarity_search 0',
    startedAt: 1,
    durationMs: 12.5,
    question: 'Do cats purr?',
    k: 4,
    result: [{ $type: 'Document', page_content: 'Cats purr.', metadata: {} }],
  },
  { type: 'dropped', site: 's', count: 480 },
  {
    type: 'failed-call',
    site: 's',
    startedAt: 1,
    durationMs: 0,
    question: null,
    error: { name: 'ValueError', message: 'no' },
  },
  { type: 'answer', request: 'r1', durationMs: 3, result: ['a'], k: null, unit: 'call' },
  { type: 'failed-answer', request: 'r1', reason: 'time-limit' },
  { type: 'measured', site: 's' },
];

test('a plan omits defaults', () => {
  const plan = livePlanSchema.parse(PLAN);
  const call = plan.files['/app/rag.ts']?.calls[0];
  assert.deepEqual(
    { methods: call?.methods, awaited: call?.awaited, enclosing: call?.enclosing, cells: plan.cells },
    { methods: [], awaited: false, enclosing: [], cells: [] },
  );
});

test('refuses a plan of another protocol', () => {
  assert.equal(livePlanSchema.safeParse({ ...PLAN, protocol: 2 }).success, false);
});

for (const message of MESSAGES)
  test(`the message "${message.type}" survives JSON`, () => {
    const received = programMessageSchema.parse(JSON.parse(JSON.stringify(message)));
    assert.deepEqual({ ...received, ...message }, received);
  });

test('a retrieval has defaults for rare fields', () => {
  const received = programMessageSchema.parse(MESSAGES.find(({ type }) => type === 'retrieval'));
  assert.ok(received.type === 'retrieval');
  assert.deepEqual({ units: received.units, dropped: received.dropped }, { units: [], dropped: 0 });
});

test('refuses unknown messages and unknown reasons', () => {
  for (const message of [{ type: 'other' }, { type: 'skipped', file: 'a', reason: 'because' }, 4])
    assert.equal(programMessageSchema.safeParse(message).success, false);
});

test('Parallax sends a question with a time limit, and cancels it', () => {
  const ask = { type: 'ask', request: 'r1', retrieval: '2-1', unit: 'call', question: 'Why?', limitMs: 1000 };
  assert.deepEqual(parallaxMessageSchema.parse(ask), ask);
  assert.deepEqual(parallaxMessageSchema.parse({ type: 'cancel', request: 'r1' }), {
    type: 'cancel',
    request: 'r1',
  });
  assert.equal(parallaxMessageSchema.safeParse({ ...ask, limitMs: 0 }).success, false);
});

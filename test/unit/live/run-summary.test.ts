import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RunSummary } from '../../../src/features/live/cli/run-summary.ts';
import type { LiveRetrieval } from '../../../src/features/live/contract/requests.ts';

const SITE = 'rag.py##search#0';

function retrieval(question: string, texts: readonly string[], handed = question): LiveRetrieval {
  return {
    id: question,
    process: '1',
    site: SITE,
    at: 0,
    durationMs: 1,
    question,
    passages: texts.map((text) => ({ text })),
    more: 0,
    units: [{ unit: 'f', file: 'rag.py', line: 1, function: 'f', parameter: 'q', question: handed }],
    dropped: 1,
  };
}

test('a long-running server keeps counts but no texts', () => {
  const summary = new RunSummary();
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < 5_000; number++) {
    const own = Buffer.alloc(10_000, String(number)).toString('latin1');
    summary.take({ type: 'retrieval', ...retrieval(`Question ${number}?`, ['a', 'b'], own) });
    summary.take({ type: 'failed-call', process: '1', site: SITE, at: 0, error: own });
    summary.take({ type: 'unreadable', message: own });
  }
  gc();
  const kept = process.memoryUsage().heapUsed - before;
  assert.ok(kept < 20e6, `${kept} bytes are kept`);
  assert.equal(summary.retrievals, 5_000);
});

test('a call shows its number of retrievals, passages and questions', () => {
  const summary = new RunSummary();
  const told = (): string =>
    summary.text(
      [{ key: SITE, file: 'rag.py', line: 4, site: { callee: 'search' } } as never],
      new Set([SITE]),
      '/',
    );
  summary.take({ type: 'retrieval', ...retrieval('Why?', ['a']) });
  summary.take({ type: 'retrieval', ...retrieval('Why?', ['a', 'b', 'c']) });
  summary.take({ type: 'dropped', process: '1', site: SITE, count: 3 });
  summary.take({ type: 'failed-call', process: '1', site: SITE, at: 0, error: 'Error: down' });
  assert.equal(
    told(),
    'parallax: 2 retrievals at 1 call.\n  rag.py:4 search: 2 retrievals, k=1–3, 1 question; 1 call failed (Error: down); 5 more calls within a second left out\n',
  );
  for (let number = 0; number < 1001; number++)
    summary.take({ type: 'retrieval', ...retrieval(`${number}`, []) });
  assert.match(told(), /1,003 retrievals, k=0–3, more than 1,000 questions/u);
});

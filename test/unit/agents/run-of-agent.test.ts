import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentTools } from '../../../src/features/agents/tools/agent-tools.ts';
import { runsOfFile } from '../../../src/core/formats/captured-runs.ts';
import { runOf } from '../capture/support.ts';
import { hostOf, QUESTION } from './support.ts';

test('the newest captured run of the editor is told, with its queries asked again', async () => {
  const own = runOf({ id: 't:2', run: 't', question: QUESTION, query: 'noise', at: 2 });
  const host = hostOf({
    captured: () => ({
      indexed: true,
      runs: [
        own,
        runOf({ id: 't:1', run: 't', question: QUESTION, query: 'home', at: 1 }),
        runOf({ id: 'u:1', run: 'u' }),
      ],
      unused: [],
    }),
    status: () => ({ indexed: true, passages: 9 }) as never,
    runPicture: ({ run, queries, again }) => {
      assert.deepEqual(run, { captured: 't' });
      assert.equal(queries[0]?.perspectives.length, 2);
      assert.equal(again?.retriever.type, 'bm25');
      return {
        question: QUESTION,
        perspectives: [...queries[0]!.perspectives],
        searches: [],
        never: ['no'],
        searchesAfter: 0,
        passages: 0,
        judgedPairs: 0,
        pairs: 0,
      };
    },
  });
  const answer = JSON.parse(await new AgentTools(host).call('run_of_agent', {}, {})) as Record<
    string,
    unknown
  >;
  assert.deepEqual([answer['run'], answer['never'], answer['judgedShare']], ['t', [2], 0]);
  assert.deepEqual(
    (answer['otherRuns'] as { run: string }[]).map(({ run }) => run),
    ['u'],
  );
});

test('lines of a file are grouped by run; a line without one is its own', () => {
  const line = (entry: object): string => JSON.stringify({ results: [{ id: 'a' }], ...entry });
  const text = [
    line({ query: 'second', run: 'r', at: '2026-01-01T00:00:02Z', question: 'Why?' }),
    line({ query: 'alone' }),
    line({ query: 'first', run: 'r', at: '2026-01-01T00:00:01Z', name: 'search' }),
  ].join('\n');
  const runs = runsOfFile(text, 'c.jsonl');
  assert.deepEqual(
    runs.map(({ id, question, searches }) => [id, question, searches.map(({ query }) => query)]),
    [
      ['r', 'Why?', ['first', 'second']],
      ['c.jsonl:2', undefined, ['alone']],
    ],
  );
  assert.throws(() => runsOfFile('{"query":"q","results":"x"}', 'c.jsonl'), /c\.jsonl:1/u);
  assert.throws(() => runsOfFile('no', 'c.jsonl'), /c\.jsonl:1 is no captured retrieval/u);
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkCommand } from '../../../src/cli/commands/check-command.ts';
import { closedPort } from './stores/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

async function check(t: TestContext, ...options: string[]): Promise<{ code: number; out: string }> {
  const folder = temporaryFolder(t);
  const config = path.join(folder, 'parallax.json');
  writeFileSync(path.join(folder, 'run.jsonl'), '{"id": "q1", "results": [{"id": "a"}]}\n');
  writeFileSync(
    config,
    JSON.stringify({
      pipelines: {
        file: { retriever: { type: 'run', file: 'run.jsonl' } },
        both: {
          retriever: {
            type: 'hybrid',
            retrievers: [
              { type: 'bm25' },
              { type: 'run', file: 'run.jsonl' },
              {
                type: 'qdrant',
                url: `http://127.0.0.1:${await closedPort()}`,
                collection: 'c',
                embedder: 'hashing',
              },
            ],
          },
        },
      },
    }),
  );
  let out = '';
  const io = { stdout: (text: string) => void (out += text), stderr: () => undefined };
  return { code: await checkCommand([...options, '--config', config], io), out };
}

test('each external retriever of a pipeline is asked, and its faults are reported', async (t) => {
  const { code, out } = await check(t, '--pipeline', 'both', '--pipeline', 'bm25');
  assert.equal(code, 1);
  const lines = out.trim().split('\n');
  assert.equal(lines[0], 'ok      both: run (run.jsonl). run.jsonl holds the results of 1 question.');
  assert.match(lines[1]!, /^failed {2}both: Qdrant \(c\)\. Qdrant at http:\S+ could not be reached/);
  assert.equal(lines[2], 'ok      bm25: BM25. Searches the index of a corpus.');
});

test('scripts get the result as exit code and JSON', async (t) => {
  const { code, out } = await check(t, '--pipeline', 'file', '--json');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(out), [
    {
      pipeline: 'file',
      retriever: 'run (run.jsonl)',
      ok: true,
      message: 'run.jsonl holds the results of 1 question.',
      count: 1,
    },
  ]);
});

/** A program started from an editor's terminal through `parallax run` or another editor: only one of them observes it. */
import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CapturedRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import { KeptRetrievals } from '../../../src/features/capture/engine/kept-retrievals.ts';
import { liveEnvironment } from '../../../src/features/live/contract/environment.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { PACKAGES } from './observed-program.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const HOOKS = fileURLToPath(new URL('../../../media/live/', import.meta.url));
const PYTHON = '/usr/bin/python3';

const NODE_PROGRAM = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
console.log((await store.similaritySearch('Do cats purr?', 2)).length);
`;
const PYTHON_PROGRAM = `import sqlite3
db = sqlite3.connect(':memory:')
db.execute('create virtual table docs using fts5(body)')
db.execute("insert into docs values ('cats purr')")
def search(question, k=2):
    return db.execute('SELECT body FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?', (question, k)).fetchall()
print(len(search('cats')))
`;

for (const [language, command, output] of [
  ['Node', [process.execPath, 'app.mjs'], '2\n'],
  ['Python', [PYTHON, 'app.py'], '1\n'],
] as const) {
  const skip = existsSync(command[0]) ? false : `cannot run here: no ${command[0]}`;
  test(
    `a program for ${language} in a terminal that an editor observes reports once, in one of them`,
    { skip },
    async (t) => {
      const folder = temporaryFolder(t);
      const files = { ...PACKAGES, 'app.mjs': NODE_PROGRAM, 'app.py': PYTHON_PROGRAM };
      for (const [name, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
        await writeFile(path.join(folder, name), text);
      }
      // The editor has another copy of the hooks than the command line.
      const hooks = path.join(folder, 'editor');
      cpSync(HOOKS, hooks, { recursive: true });
      const plan = path.join(folder, 'plan.json');
      writeFileSync(plan, '{}');
      const environment = liveEnvironment(
        {
          plan,
          node: pathToFileURL(path.join(hooks, 'node', 'register.mjs')).href,
          python: path.join(hooks, 'python'),
          delimiter: path.delimiter,
        },
        {},
      );
      const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
        const env = { ...process.env, ...environment };
        const argv = [MAIN, 'run', '--out', 'out.jsonl', '--', ...command];
        execFile(process.execPath, argv, { cwd: folder, env }, (_, out, err) =>
          resolve({ stdout: out, stderr: err }),
        );
      });
      assert.equal(stdout, output);
      assert.match(
        stderr,
        /an editor observes this terminal\. It does not see what this command retrieves\./u,
      );
      assert.match(stderr, /1 retrieval at 1 call/u);
      assert.doesNotMatch(stderr, /not observed|Traceback/u);
      assert.equal(readFileSync(path.join(folder, 'out.jsonl'), 'utf8').trim().split('\n').length, 1);
    },
  );
}

test('two windows that capture at once keep the retrievals of both', async (t) => {
  const file = path.join(temporaryFolder(t), 'captured.jsonl');
  const [one, other] = [new KeptRetrievals(file, assert.fail), new KeptRetrievals(file, assert.fail)];
  await one.read();
  await other.read();
  const kept: Record<'one' | 'other', CapturedRetrieval[]> = { one: [], other: [] };
  for (let each = 0; each < 50; each++) {
    kept.one.push(retrieval(`one ${each}`));
    one.add(kept.one.at(-1)!, kept.one);
    kept.other.push(retrieval(`other ${each}`));
    other.add(kept.other.at(-1)!, kept.other);
  }
  const { retrievals } = await new KeptRetrievals(file, assert.fail).read();
  assert.equal(retrievals.length, 100);
});

function retrieval(query: string): CapturedRetrieval {
  return { id: query, name: 'search', service: '', scope: '', at: 0, step: 'retriever', query, results: [] };
}

/** What is wrong in the programs of a workspace, without opening one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf, type Program } from '../../../src/features/agents/tools/programs.ts';
import { CodeFaults } from '../../../src/features/lens/host/code-faults.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';
import { detector } from '../sites/support.ts';

const IGNORED_K = `from langchain_chroma import Chroma

store = Chroma()
retriever = store.as_retriever(k=8)
`;

function faultsIn(files: Readonly<Record<string, string>>): {
  faults: CodeFaults;
  read: string[];
  changes: number[];
} {
  const read: string[] = [];
  const changes: number[] = [];
  async function* programs(): AsyncIterable<Program> {
    for (const [file, text] of Object.entries(files)) {
      read.push(file);
      yield programOf(file, text)!;
      await Promise.resolve();
    }
  }
  const faults = new CodeFaults(
    {
      detector,
      neighbours: () => ({ around: () => Promise.resolve(undefined) }) as never,
      programs,
      workspace: () => Promise.resolve({ rules: builtInRules() } as never),
    },
    () => changes.push(faults.faults.length),
  );
  return { faults, read, changes };
}

test('an argument without effect is found with its file and line', async () => {
  const { faults, changes } = faultsIn({ 'app/rag.py': IGNORED_K, 'app/other.py': 'print("retrieve")\n' });
  await faults.find();
  assert.deepEqual(
    faults.faults.map(({ file, line }) => [file, line]),
    [['app/rag.py', 4]],
  );
  assert.match(faults.faults[0]!.message, /as_retriever ignores k.*k stays 4/u);
  await faults.find();
  assert.deepEqual(changes, [1], 'the same faults change nothing');
});

test('what may be intended is left to the file; three faults are enough', async () => {
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`a${n}.py`, IGNORED_K]));
  const { faults, read } = faultsIn(files);
  await faults.find();
  assert.equal(faults.faults.length, 3);
  assert.equal(read.length, 3, 'the rest is not read');
});

/**
 * The thread of the extension host that detects calls gives the same results as without it, and is ended if it hangs.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { SiteThread, type SiteThreadOptions } from '../../../src/site-thread/site-thread.ts';
import { builtInRules, mergeRules } from '../../../src/sites/rules/library.ts';
import { detectAmong } from '../../../src/sites/workspace/detect-among.ts';
import { Neighbours } from '../../../src/sites/workspace/neighbours.ts';
import { detectFixture, fixtureFiles } from './fixture-corpus.ts';
import { brief, CHROMA, detector } from './support.ts';
import { detectIn, type Files } from './workspace-support.ts';

const place = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const threads: SiteThread[] = [];
after(() => Promise.all(threads.map((thread) => thread.dispose())));

function begin(options: Partial<SiteThreadOptions> = {}): SiteThread {
  const thread = new SiteThread({
    program: place('../../../src/site-thread/thread.ts'),
    wasmFolder: place('../../../node_modules/@vscode/tree-sitter-wasm/wasm'),
    texts: undefined,
    log: () => undefined,
    ...options,
  });
  threads.push(thread);
  return thread;
}

const PROGRAM = `${CHROMA}store.similarity_search("q", k=5)\n`;
/** Looking for it in a long run of one letter takes for ever. */
const ENDLESS = mergeRules(builtInRules(), [
  {
    library: 'endless',
    languages: ['python'],
    imports: ['langchain_chroma'],
    matching: [{ by: 'words' }],
    calls: [{ callee: 'sql', names: ['execute'], contains: '(?:x+)+y', k: { from: ['k'] } }],
  },
]);
const HELD_UP = `${PROGRAM}text = "${'x'.repeat(5_000)}"\n`;

test('the thread gives the same results as without it', async () => {
  const thread = begin();
  for (const file of await fixtureFiles())
    assert.deepEqual(await detectFixture(thread, file), await detectFixture(detector, file), file.name);
});

test('earlier sites are kept while a call is half typed', async () => {
  const thread = begin();
  const before = await thread.detect(PROGRAM, 'python');
  const { sites } = await thread.detect(PROGRAM.replace('k=5)', 'k='), 'python', { previous: before });
  assert.deepEqual(brief(sites), ['similarity_search 5']);
  assert.ok(sites[0]?.held);
});

test('the thread uses other files and their calls', async () => {
  const files: Files = {
    'store.py': `${CHROMA}def find(q, k=4):\n    return store.similarity_search(q, k=k)\n\nretriever = store.as_retriever()\n`,
    'main.py': 'from store import find, retriever\nfind("q")\nretriever.invoke("q")\n',
  };
  const thread = begin();
  const neighbours = new Neighbours({
    files: () => Promise.resolve(new Set(Object.keys(files))),
    read: (file) => Promise.resolve(files[file]),
    exports: (...asked) => thread.exports(...asked),
    callers: (...asked) => thread.callers(...asked),
  });
  for (const [file, text] of Object.entries(files)) {
    const found = await detectAmong(thread, neighbours, { file, text, languageId: 'python' });
    assert.deepEqual(found, await detectIn(files, file), file);
    assert.ok(found.sites.length > 0, file);
  }
});

test('sends rules of a workspace once and uses them', async () => {
  const thread = begin();
  const rules = mergeRules(builtInRules(), [
    {
      library: 'ours',
      languages: ['python'],
      imports: ['ours'],
      matching: [{ by: 'words' }],
      calls: [{ callee: 'function', names: ['ours.find'], k: { from: ['limit'] } }],
    },
  ]);
  for (const k of [3, 4]) {
    const { sites } = await thread.detect(`from ours import find\nfind("q", limit=${k})\n`, 'python', {
      rules,
    });
    assert.deepEqual(brief(sites), [`find ${k}`]);
  }
});

test('a text that blocks the thread is reported by name; the next thread continues', async () => {
  const thread = begin({ giveUpAfter: 3_000 });
  const before = await thread.detect(PROGRAM, 'python');
  const hanging = thread.detect(HELD_UP, 'python', { rules: ENDLESS, file: 'app/hostile.py' });
  const behind = thread.detect(PROGRAM, 'python', { file: 'app/rag.py', previous: before });
  const exported = thread.exports(`${PROGRAM}retriever = store.as_retriever()\n`, 'python', { file: 'b.py' });
  await assert.rejects(
    hanging,
    (error) =>
      ParallaxError.is(error, 'internal') &&
      /app\/hostile\.py: it did not answer within 3 s/u.test(error.message),
  );
  assert.deepEqual(brief((await behind).sites), ['similarity_search 5']);
  assert.deepEqual([...(await exported).keys()].includes('retriever'), true);
});

test('a file that ended three threads is excluded until something changes', async () => {
  const said: string[] = [];
  const thread = begin({ giveUpAfter: 3_000, log: (message) => said.push(message) });
  const held = (): Promise<unknown> =>
    thread.detect(HELD_UP, 'python', { rules: ENDLESS, file: 'hostile.py' });
  for (let i = 0; i < 3; i++) await assert.rejects(held(), /hostile\.py: it did not answer/u);
  await assert.rejects(held(), /hostile\.py: it repeatedly ended the thread that looks for calls/u);
  assert.equal((await thread.exports(HELD_UP, 'python', { file: 'hostile.py' })).size, 0);
  assert.match(said.join(), /hostile\.py/u);
  assert.deepEqual(brief((await thread.detect(PROGRAM, 'python', { file: 'other.py' })).sites), [
    'similarity_search 5',
  ]);
  thread.tryAgain();
  const { sites } = await thread.detect(HELD_UP, 'python', { file: 'hostile.py' });
  assert.deepEqual(brief(sites), ['similarity_search 5']);
});

test('stops restarting a thread that cannot start, and blames no file', async () => {
  const thread = begin({ program: place('./no-such-thread.ts') });
  for (let i = 0; i < 2; i++)
    await assert.rejects(thread.detect(PROGRAM, 'python'), /thread that looks .* failed: .*no-such-thread/u);
});

test('a parser that cannot be loaded is the same error as without the thread', async () => {
  const thread = begin({ wasmFolder: place('./nowhere') });
  await assert.rejects(thread.detect(PROGRAM, 'python'), (error) =>
    ParallaxError.is(error, 'native-missing'),
  );
});

test('after its end it detects nothing and settles every request', async () => {
  const thread = begin();
  const asked = thread.detect(PROGRAM, 'python');
  await Promise.all([assert.rejects(asked, /it has ended/u), thread.dispose()]);
  await assert.rejects(thread.detect(PROGRAM, 'python'), /it has ended/u);
});

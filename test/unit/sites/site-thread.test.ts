/** The thread of the extension host that looks for calls says what is said without it, and is ended where it hangs. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { SiteThread, type SiteThreadOptions } from '../../../src/extension/call-sites/site-thread.ts';
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
    program: place('../../../src/extension/call-sites/thread.ts'),
    wasmFolder: place('../../../node_modules/@vscode/tree-sitter-wasm/wasm'),
    texts: undefined,
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

test('the thread says of every program what is said without it', async () => {
  const thread = begin();
  for (const file of await fixtureFiles())
    assert.deepEqual(await detectFixture(thread, file), await detectFixture(detector, file), file.name);
});

test('what was found before counts while a call is half typed', async () => {
  const thread = begin();
  const before = await thread.detect(PROGRAM, 'python');
  const { sites } = await thread.detect(PROGRAM.replace('k=5)', 'k='), 'python', { previous: before });
  assert.deepEqual(brief(sites), ['similarity_search 5']);
  assert.ok(sites[0]?.held);
});

test('what other files make known, and who calls from there, counts in the thread', async () => {
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

test('rules of a workspace are sent once, and count', async () => {
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

test('a text that holds the thread ends it with a sentence; the next text has a new one', async () => {
  const thread = begin({ giveUpAfter: 3_000 });
  const before = await thread.detect(PROGRAM, 'python');
  const hanging = thread.detect(HELD_UP, 'python', { rules: ENDLESS });
  // Was asked for meanwhile: it, too, is told.
  const behind = thread.detect(PROGRAM, 'python');
  for (const each of [hanging, behind])
    await assert.rejects(
      each,
      (error) =>
        ParallaxError.is(error, 'internal') && /did not answer within 3 seconds/u.test(error.message),
    );
  const { sites } = await thread.detect(PROGRAM, 'python', { previous: before });
  assert.deepEqual(brief(sites), ['similarity_search 5']);
});

test('a thread that was ended three times is not begun again before something else is asked', async () => {
  const thread = begin({ program: place('./no-such-thread.ts') });
  for (let i = 0; i < 3; i++) await assert.rejects(thread.detect(PROGRAM, 'python'), /no-such-thread/u);
  await assert.rejects(thread.detect(PROGRAM, 'python'), /ended too often/u);
  thread.tryAgain();
  await assert.rejects(thread.detect(PROGRAM, 'python'), /no-such-thread/u);
});

test('a parser that cannot be loaded is the error that it is without the thread', async () => {
  const thread = begin({ wasmFolder: place('./nowhere') });
  await assert.rejects(thread.detect(PROGRAM, 'python'), (error) =>
    ParallaxError.is(error, 'native-missing'),
  );
});

test('after its end nothing is looked at, and nobody waits for ever', async () => {
  const thread = begin();
  const asked = thread.detect(PROGRAM, 'python');
  await Promise.all([assert.rejects(asked, /it has ended/u), thread.dispose()]);
  await assert.rejects(thread.detect(PROGRAM, 'python'), /it has ended/u);
});

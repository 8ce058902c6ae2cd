/** Small programs run the same with and without the hook: values, errors, order, exit codes and signals. */
import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { observe, PACKAGES } from './observed-program.ts';

const MODULE =
  "import { MemoryVectorStore } from '@langchain/core/vectorstores';\nconst store = new MemoryVectorStore();\n";
const COMMON =
  "const { MemoryVectorStore } = require('@langchain/core/common');\nconst store = new MemoryVectorStore();\n";

/** By what is written around the call; the number is how many retrievals are captured, unless a signal loses them. */
const PROGRAMS: Readonly<
  Record<string, readonly [file: string, code: string, retrievals: number | undefined]>
> = {
  'an awaited call': ['app.mjs', "console.log((await store.similaritySearch('a', 1))[0].pageContent);", 1],
  'a promise': ['app.mjs', "store.similaritySearch('a').then(({ length }) => console.log(length));", 1],
  'a synchronous call': ['app.mjs', "console.log(store.similaritySearchNow('a', 2).length);", 0],
  'the identity of what comes back': [
    'app.mjs',
    "const kept = []; store.similaritySearch = () => kept;\nconsole.log((await store.similaritySearch('a')) === kept);",
    1,
  ],
  'a rejection that is caught': [
    'app.mjs',
    "try { await store.similaritySearch('fail'); } catch ({ name, message }) { console.log(name, message); }",
    0,
  ],
  'a rejection that ends the program': ['app.mjs', "await store.similaritySearch('fail');", 0],
  'an error in the line of the call': [
    'app.mjs',
    "async function ask(q) {\n\tconst [{ metadata }] = await store.similaritySearch(q, 1), other = metadata.none.deeper;\n  return other;\n}\nawait ask('a');",
    1,
  ],
  'an error before the call, in its line': [
    'app.mjs',
    'const none = {}; const [one] = await store.similaritySearch(none.a.b, 1);\nconsole.log(one);',
    0,
  ],
  'an error that is thrown beside the call': [
    'app.mjs',
    "async function ask(q) {\n  if ((await store.similaritySearch(q, 1)).length > 0) throw new RangeError('no answer');\n}\nawait ask('a');",
    1,
  ],
  'an error within the call': [
    'app.cjs',
    "const failing = { similaritySearch() { throw new TypeError('within'); } };\nstore.similaritySearch = failing.similaritySearch;\nfunction ask(q) {\n  return store.similaritySearch(q, 1);\n}\nsetTimeout(() => ask('a'));",
    0,
  ],
  'an error in a call of several lines': [
    'app.mjs',
    "const [{ pageContent }] = await store.similaritySearch(\n  'a',\n  1,\n);\npageContent.none.deeper;",
    1,
  ],
  'an error whose stack was printed': [
    'app.cjs',
    "process.on('uncaughtException', (error) => console.log(error.message));\nstore.similaritySearch('a', 1).then((found) => found.none.deeper);",
    1,
  ],
  'a cyclic result, and properties that fail': [
    'app.mjs',
    `class Lazy { pageContent = 'b'; get relation() { throw new Error('no session'); } get metadata() { throw new Error('detached'); } }
const cyclic = { pageContent: 'a' };
cyclic.self = cyclic;
const refuse = () => { throw new Error('refused'); };
const hostile = new Proxy({}, { get: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse });
store.similaritySearch = async () => [cyclic, new Lazy(), hostile];
console.log((await store.similaritySearch('a'))[0].self.self.pageContent);`,
    1,
  ],
  'output of 100 MB': [
    'app.mjs',
    "for (let n = 0; n < 10; n++) {\n  await store.similaritySearch('a', 1);\n  console.log('x'.repeat(10_000_000));\n}",
    10,
  ],
  'an exit code': ['app.mjs', "await store.similaritySearch('a');\nprocess.exit(7);", 1],
  'a signal': [
    'app.mjs',
    "await store.similaritySearch('a');\nprocess.kill(process.pid, 'SIGTERM');\nsetTimeout(() => {}, 5000);",
    undefined,
  ],
  'finally and return': [
    'app.mjs',
    "async function f() { try { return await store.similaritySearch('a', 1); } finally { console.log('end'); } }\nconsole.log((await f()).length);",
    1,
  ],
  'calls at once': [
    'app.mjs',
    "console.log((await Promise.all(['a', 'b', 'c'].map((q) => store.similaritySearch(q, 1)))).length);",
    3,
  ],
  'the first of two': [
    'app.mjs',
    "const found = await Promise.race([store.similaritySearch('a', 1), store.similaritySearch('b', 2)]);\nconsole.log(found.length);",
    2,
  ],
  'settled calls': [
    'app.mjs',
    "const all = await Promise.allSettled([store.similaritySearch('a', 1), store.similaritySearch('fail')]);\nconsole.log(all.map(({ status }) => status).join());",
    1,
  ],
  'a loop that awaits': [
    'app.mjs',
    "for await (const found of [store.similaritySearch('a', 1), store.similaritySearch('b', 2)]) console.log(found.length);",
    2,
  ],
  'an asynchronous generator': [
    'app.mjs',
    "async function* all(qs) { for (const q of qs) yield* await store.similaritySearch(q, 2); }\nfor await (const { pageContent } of all(['a', 'b'])) console.log(pageContent);",
    2,
  ],
  'a generator that is left early': [
    'app.mjs',
    "async function* all() { yield* await store.similaritySearch('a', 4); }\nfor await (const { pageContent } of all()) { console.log(pageContent); break; }",
    1,
  ],
  'destructured results': [
    'app.mjs',
    "const [{ pageContent, metadata: { source } }] = await store.similaritySearch('a', 1);\nconsole.log(pageContent, source);",
    1,
  ],
  'spread arguments': [
    'app.mjs',
    "const given = ['a', 2];\nconsole.log((await store.similaritySearch(...given)).length);",
    1,
  ],
  'an optional call': [
    'app.mjs',
    "const none = undefined;\nconsole.log(await none?.similaritySearch('a'), (await store?.similaritySearch('a', 1)).length);",
    1,
  ],
  'a private field': [
    'app.mjs',
    "class Search { #store = store; async ask(q) { return (await this.#store.similaritySearch(q, 2)).length; } }\nconsole.log(await new Search().ask('a'));",
    1,
  ],
  'a getter and super': [
    'app.mjs',
    "class Base { async ask(q) { return store.similaritySearch(q, 1); } }\nclass Above extends Base { get size() { return 1; } async ask(q) { return (await super.ask(q)).length + this.size; } }\nconsole.log(await new Above().ask('a'));",
    1,
  ],
  'a bound method': [
    'app.mjs',
    "const ask = store.similaritySearch.bind(store);\nconsole.log((await ask('a', 1)).length);",
    0,
  ],
  'a tagged template': [
    'app.mjs',
    'const ask = ([q]) => store.similaritySearch(q, 1);\nconsole.log((await ask`a`).length);',
    1,
  ],
  'a comma, a condition and a template': [
    'app.mjs',
    "const q = (0, 'a');\nconsole.log(`${(q ? await store.similaritySearch(q, 1) : []).length}`);",
    1,
  ],
  'an event': [
    'app.mjs',
    "const { EventEmitter } = await import('node:events');\nconst events = new EventEmitter();\nevents.on('ask', async (q) => console.log((await store.similaritySearch(q, 1)).length));\nevents.emit('ask', 'a');",
    1,
  ],
  'a timer': [
    'app.mjs',
    "setTimeout(async () => console.log((await store.similaritySearch('a', 1)).length), 1);",
    1,
  ],
  'a worker': [
    'app.mjs',
    "import { Worker, isMainThread } from 'node:worker_threads';\nif (isMainThread) new Worker(new URL(import.meta.url)).on('exit', (code) => console.log('ended', code));\nelse console.log((await store.similaritySearch('a', 1)).length);",
    1,
  ],
  'a child process': [
    'app.mjs',
    "import { fork } from 'node:child_process';\nif (process.argv[2]) console.log((await store.similaritySearch('a', 1)).length);\nelse fork(new URL(import.meta.url).pathname, ['child']).on('exit', (code) => console.log('ended', code));",
    1,
  ],
  'the text of a function': [
    'app.mjs',
    "async function ask(q) { return store.similaritySearch(q, 1); }\nconsole.log(ask.name, ask.length, (await ask('a')).length);",
    1,
  ],
  'the line of an error': [
    'app.mjs',
    "const at = () => new Error('here').stack.split('\\n')[1].match(/:(\\d+):\\d+/)[1];\nawait store.similaritySearch('a');\nconsole.log(at());",
    1,
  ],
  'strict mode and hoisting': [
    'app.cjs',
    "'use strict';\n(async () => console.log((await later('a')).length))();\nfunction later(q) { return store.similaritySearch(q, 1); }",
    1,
  ],
  'this of a module': [
    'app.cjs',
    "console.log(this === module.exports, typeof __filename, arguments.length);\nstore.similaritySearch('a', 1).then(({ length }) => console.log(length));",
    1,
  ],
  'unhandled errors in CommonJS': [
    'app.cjs',
    "store.similaritySearch('a').then(() => { throw new RangeError('late'); });",
    1,
  ],
  'text without ASCII': [
    'app.mjs',
    "const ärger = '😀 ümlaut';\nconsole.log((await store.similaritySearch(ärger, 1))[0].pageContent);",
    1,
  ],
  'types that are stripped': [
    'app.ts',
    "async function ask<T extends string>(q: T, k?: number): Promise<readonly unknown[]> { return await store.similaritySearch(q as string, k ?? 2); }\nconsole.log((await ask('a')).length);",
    1,
  ],
};

for (const [name, [file, code, count]] of Object.entries(PROGRAMS))
  test(`a program runs the same: ${name}`, async () => {
    const text = `${file.endsWith('.cjs') ? COMMON : MODULE}${code}\n`;
    const files = { ...PACKAGES, 'package.json': '{"type":"module"}', [file]: text };
    const { plain, observed, events } = await observe(files, { run: [file] });
    assert.deepEqual(observed, plain);
    if (count !== undefined) assert.equal(events.filter(({ type }) => type === 'retrieval').length, count);
  });

test('the corpora of both languages have at least 40 programs', () => {
  const python = readdirSync('test/fixtures/live/python').filter((name) => name.endsWith('.py')).length;
  assert.ok(python + Object.keys(PROGRAMS).length >= 40);
});

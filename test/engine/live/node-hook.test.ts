import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import type { LiveMeasure } from '../../../src/features/live/contract/protocol.ts';
import type { LiveAnswer, LiveEvent } from '../../../src/features/live/contract/requests.ts';
import { observe, PACKAGES, type Observed } from './observed-program.ts';

type EventOf<Type extends LiveEvent['type']> = Extract<LiveEvent, { readonly type: Type }>;

function only<Type extends LiveEvent['type']>(events: readonly LiveEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

function assertUnharmed({ plain, observed }: Observed): void {
  assert.deepEqual(observed, plain);
}

/** Question, k and number of passages of each retrieval. */
function retrievals({ events }: Observed): unknown[] {
  return only(events, 'retrieval').map(({ question, k, passages }) => [question, k, passages.length]);
}

const FORMS = `
import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
class Search {
  constructor(store) { this.store = store; this.depth = 2; }
  async near(question) { return await this.store.similaritySearch(question, this.depth); }
  later = (question) => this.store.similaritySearch(question);
}
const search = new Search(store);
console.log((await search.near('a method')).length);
console.log((await search.later('an arrow function')).length);
const kept = store.similaritySearch('a promise that is kept', 1);
console.log(kept instanceof Promise, Object.keys(kept), (await kept)[0].pageContent);
console.log((await Promise.all(['one', 'two'].map((query) => store.similaritySearch(query, 1)))).flat().length);
const embed = async (text) => [text.length];
async function nested(question) {
  return store.similaritySearchVectorWithScore(await embed(question), 2);
}
console.log((await nested('a vector'))[1][1]);
try { await store.similaritySearch('fail'); } catch (error) { console.log(error.name, error.message); }
const retriever = store.asRetriever(2);
console.log(await retriever.pipe((found) => found.length).invoke('a chain'));
console.log((await store?.similaritySearch('optional', 1)).length);
`;

const OTHER_REALMS = `
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import { MemoryVectorStore } from '@langchain/core/vectorstores';
class Store extends MemoryVectorStore {}
const store = new Store();
let evaluated = 0;
const text = (words) => (evaluated++, words)
async function inPage(question) {
  const here = this
  const found = []
  store.similaritySearch(text(question), 3).then((first) => found.push(first.length))
  found.push((await store.similaritySearch(await text(question))).length)
  found.push((await here.store.similaritySearch(question, 2)).length)
  return found
}
const page = vm.createContext({ store, text });
page.page = page;
console.log(await vm.runInContext('(' + inPage + ').call({ store }, "a page")', page), evaluated);
console.log(await inPage.call({ store }, 'at home'), evaluated);
const stub = 'const store = { similaritySearch: async (question, k = 4) => new Array(k) }; const text = (words) => words;';
const code = stub + '(' + inPage + ').call({ store }, "a worker").then((found) => console.log(found));';
await new Promise((resolve, reject) => new Worker(code, { eval: true }).on('exit', resolve).on('error', reject));
`;

test('functions that are sent as text to a page or a worker run there as they are', async () => {
  const run = await observe({ ...PACKAGES, 'app.mjs': OTHER_REALMS }, { run: ['app.mjs'] });
  assertUnharmed(run);
  assert.equal(run.plain.code, 0, run.plain.stderr);
  assert.deepEqual(retrievals(run), [
    ['at home', 3, 3],
    ['at home', undefined, 4],
    ['at home', 2, 2],
  ]);
});

test('JavaScript modules run unchanged, and every form of a call is captured', async () => {
  const run = await observe({ ...PACKAGES, 'app.mjs': FORMS }, { run: ['app.mjs'] });
  assertUnharmed(run);
  assert.equal(run.plain.code, 0, run.plain.stderr);
  assert.deepEqual(retrievals(run), [
    ['a method', 2, 2],
    ['an arrow function', undefined, 4],
    ['a promise that is kept', 1, 1],
    ['one', 1, 1],
    ['two', 1, 1],
    ['a vector', 2, 2],
    ['a chain', 2, 2],
    ['optional', 1, 1],
  ]);
  assert.deepEqual(
    only(run.events, 'failed-call').map(({ error }) => error),
    ['TypeError: no such query'],
  );
});

test('a chat engine that gets a message is asked its question', async () => {
  const files = {
    'node_modules/llamaindex/package.json': JSON.stringify({ name: 'llamaindex', exports: './index.mjs' }),
    'node_modules/llamaindex/index.mjs': `
export class VectorStoreIndex {
  static async fromDocuments() { return new VectorStoreIndex(); }
  asChatEngine() { return { chat: async ({ message }) => ({ sourceNodes: [{ node: { text: 'of ' + message }, score: 1 }] }) }; }
}
`,
    'app.mjs': `
import { VectorStoreIndex } from 'llamaindex';
const index = await VectorStoreIndex.fromDocuments([]);
const engine = index.asChatEngine({ similarityTopK: 5 });
console.log((await engine.chat({ message: 'trams at night' })).sourceNodes.length);
`,
  };
  const run = await observe(files, { run: ['app.mjs'] });
  assertUnharmed(run);
  assert.deepEqual(
    only(run.events, 'retrieval').map(({ question, passages }) => [question, passages[0]?.text]),
    [['trams at night', 'of trams at night']],
  );
});

test('TypeScript by type stripping keeps its lines', async () => {
  const code = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
interface Found { readonly pageContent: string }
const store: MemoryVectorStore = new MemoryVectorStore();
export async function ask(question: string, k: number = 3): Promise<readonly Found[]> {
  const found: Found[] = await store.similaritySearch(question, k);
  return found;
}
console.log((await ask('Do cats purr?')).length, new Error('here').stack?.split('\\n')[1]?.includes(':8:'));
`;
  const run = await observe(
    { ...PACKAGES, 'app.ts': code, 'package.json': '{"type":"module"}' },
    { run: ['app.ts'] },
  );
  assertUnharmed(run);
  assert.deepEqual(retrievals(run), [['Do cats purr?', 3, 3]]);
});

test('CommonJS is observed in the main script and in what it requires', async () => {
  const main = `const { MemoryVectorStore } = require('@langchain/core/common');
const { search } = require('./search.js');
const store = new MemoryVectorStore();
(async () => {
  console.log((await store.similaritySearch('main', 1)).length, (await search('required')).length);
})();
`;
  const search = `const { MemoryVectorStore } = require('@langchain/core/common');
const store = new MemoryVectorStore();
exports.search = (query) => store.similaritySearch(query, 2);
`;
  const run = await observe({ ...PACKAGES, 'app.cjs': main, 'search.js': search }, { run: ['app.cjs'] });
  assertUnharmed(run);
  assert.deepEqual(retrievals(run).toSorted(), [
    ['main', 1, 1],
    ['required', 2, 2],
  ]);
});

const SCRIPT = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
console.log((await store.similaritySearch('Do cats purr?', 2)).length);
`;

test('a file changed since it was read runs unchanged, with a warning', async () => {
  const run = await observe(
    { ...PACKAGES, 'app.mjs': SCRIPT },
    { run: ['app.mjs'], between: (folder) => appendFile(path.join(folder, 'app.mjs'), '\n// changed\n') },
  );
  assertUnharmed(run);
  assert.deepEqual(
    only(run.events, 'skipped').map(({ reason }) => reason),
    ['changed'],
  );
});

test('a program that ends at once leaves unsent messages in the spool', async () => {
  const run = await observe({ ...PACKAGES, 'app.mjs': `${SCRIPT}process.exit(3);\n` }, { run: ['app.mjs'] });
  assertUnharmed(run);
  assert.equal(run.observed.code, 3);
  assert.deepEqual(retrievals(run), [['Do cats purr?', 2, 2]]);
});

test('passages are sent as they were when the call returned', async () => {
  const code = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
const found = await store.similaritySearch('a', 2);
found[0].pageContent = 'changed';
found.pop();
`;
  const run = await observe({ ...PACKAGES, 'app.mjs': code }, { run: ['app.mjs'] });
  const [retrieval] = only(run.events, 'retrieval');
  assert.deepEqual(
    retrieval!.passages.map(({ text }) => text),
    ['a has an answer, number 0', 'a has an answer, number 1'],
  );
});

test('an unhandled rejection ends the program as without Parallax', async () => {
  const code = `${SCRIPT}const forgotten = store.similaritySearch('fail');\nsetTimeout(() => console.log('not reached'), 200, forgotten);\n`;
  const run = await observe({ ...PACKAGES, 'app.mjs': code }, { run: ['app.mjs'] });
  assert.equal(run.plain.code, 1);
  assert.deepEqual([run.observed.code, run.observed.stdout], [run.plain.code, run.plain.stdout]);
});

test('a call in a hot loop is sampled, and the others are counted', async () => {
  const code = `${SCRIPT}for (let n = 0; n < 500; n++) await store.similaritySearch('again', 1);\n`;
  const run = await observe({ ...PACKAGES, 'app.mjs': code }, { run: ['app.mjs'] });
  assertUnharmed(run);
  const again = only(run.events, 'retrieval').filter(({ question }) => question === 'again');
  assert.ok(again.length < 70, `${again.length} were sent`);
  const dropped = only(run.events, 'dropped').reduce((sum, { count }) => sum + count, 0);
  assert.equal(again.length + again.reduce((sum, each) => sum + each.dropped, dropped), 500);
});

test('the call is measured in place, and the program gets its result', async () => {
  const code = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
const embed = async (text) => [text.length];
async function vectors(question) {
  const vector = await embed(question);
  return store.similaritySearchVectorWithScore(vector, 2);
}
const found = await store.similaritySearch('own', 3);
console.log(found.length, (await vectors('four')).length);
`;
  const questions = [
    { id: 'q1', text: 'first question' },
    { id: 'q2', text: 'fail' },
    { id: 'q3', text: 'third' },
  ];
  const measured = (place: number): Promise<Observed> =>
    observe(
      { ...PACKAGES, 'app.mjs': code },
      {
        run: ['app.mjs'],
        measure: (sites) => ({
          site: sites[place]!,
          questions,
          limitMs: 5000,
          ...(place === 1 ? { k: 5 } : {}),
        }),
      },
    );
  const call = await measured(1);
  assertUnharmed(call);
  assert.deepEqual(
    only(call.events, 'answer').map(({ question, k, passages }) => [
      question,
      k,
      passages.length,
      passages[0]?.text,
    ]),
    [
      ['q1', 5, 5, 'first question has an answer, number 0'],
      ['q3', 5, 5, 'third has an answer, number 0'],
    ],
  );
  assert.deepEqual(
    only(call.events, 'failed-answer').map(({ question, reason, error }) => [question, reason, error]),
    [['q2', 'threw', 'TypeError: no such query']],
  );
  const vector = await measured(0);
  assertUnharmed(vector);
  assert.deepEqual(
    only(vector.events, 'answer').map(({ question, passages }) => [question, passages[0]?.text]),
    [
      ['q1', 'number 14 has an answer, number 0'],
      ['q2', 'number 4 has an answer, number 0'],
      ['q3', 'number 5 has an answer, number 0'],
    ],
  );
  assert.deepEqual(
    only(vector.events, 'measured').map(({ unit }) => [unit?.function, unit?.parameter]),
    [['vectors', 'question']],
  );
});

const ENDLESS = `
const passages = function* (q) { for (let n = 0; ; n++) yield { pageContent: q + n, metadata: {} }; };
export class MemoryVectorStore {
  async *similaritySearch(q) { yield* passages(q); }
  *similaritySearchWithScore(q) { yield* passages(q); }
}`;
const taking = (count: number, then: string): string =>
  `let n = 0; for await (const each of store.similaritySearch('own')) if (++n === ${count}) ${then}`;
const endless = (code: string, measure?: (sites: readonly string[]) => LiveMeasure): Promise<Observed> =>
  observe(
    {
      ...PACKAGES,
      'node_modules/@langchain/core/vectorstores.mjs': ENDLESS,
      'app.mjs': `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
${code}
`,
    },
    { run: ['app.mjs'], ...(measure ? { measure } : {}) },
  );

for (const [way, code, count] of [
  ['left by the program', taking(3, 'break;'), 3],
  ['left after many passages', taking(1000, 'break;'), 200],
  ['not left before the program exits', taking(5, 'process.exit(3);'), 5],
  [
    'left in a synchronous loop',
    "let n = 0; for (const each of store.similaritySearchWithScore('own')) if (++n === 3) break;",
    3,
  ],
  [
    'abandoned',
    "const all = store.similaritySearch('own'); for (let n = 0; n < 5; n++) await all.next(); console.log('end');",
    5,
  ],
] as const)
  test(`a generator that never ends is one retrieval: ${way}`, async () => {
    const run = await endless(code);
    assertUnharmed(run);
    const passages = only(run.events, 'retrieval').map((retrieval) => retrieval.passages.length);
    assert.deepEqual(passages, [count]);
  });

for (const [kind, code] of [
  ['an asynchronous', taking(3, 'break;')],
  ['a', "let n = 0; for (const each of store.similaritySearchWithScore('own')) if (++n === 3) break;"],
])
  test(`${kind} generator that never ends is asked for as many passages as the program takes`, async () => {
    const run = await endless(code!, ([site]) => ({
      site: site!,
      questions: [{ id: 'q1', text: 'first' }],
      limitMs: 5000,
    }));
    assertUnharmed(run);
    assert.deepEqual(
      only(run.events, 'answer').map(({ passages }) => passages.map(({ text }) => text)),
      [['first0', 'first1', 'first2']],
    );
  });

test('a text derived from the question is not replaced by the question', async () => {
  const code = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
async function search(question, language) {
  const words = question.split(' ').join(' OR ');
  return store.similaritySearch(words, 2);
}
async function unrelated(name) {
  return store.similaritySearch('a question of its own', 1);
}
console.log((await search('cats purr', 'en')).length, (await unrelated('Ada')).length);
`;
  const run = await observe({ ...PACKAGES, 'app.mjs': code }, { run: ['app.mjs'] });
  assertUnharmed(run);
  assert.deepEqual(
    only(run.events, 'retrieval').map(({ question, units }) => [
      question,
      units.map((unit) => unit.function ?? unit.unit),
    ]),
    [
      ['cats purr', ['search', 'call']],
      ['a question of its own', ['call']],
    ],
  );
});

test('a server is asked again over its connection, and its requests are kept apart', async () => {
  const code = `import { createServer } from 'node:http';
import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
const server = createServer(async (request, response) => {
  const found = await store.similaritySearch(decodeURI(request.url.slice(1)), 2);
  const more = await store.similaritySearch('more', 1);
  response.end(String(found.length + more.length));
  if (request.url === '/end') server.close();
});
server.listen(0, '127.0.0.1', async () => {
  const ask = async (path) => (await fetch('http://127.0.0.1:' + server.address().port + path)).text();
  console.log(await ask('/cats'));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  console.log(await ask('/end'));
  server.closeAllConnections();
});
`;
  const answers: Promise<unknown>[] = [];
  const run = await observe(
    { ...PACKAGES, 'app.mjs': code },
    {
      run: ['app.mjs'],
      meanwhile: (live, event) => {
        if (event.type === 'retrieval' && event.question === 'cats')
          answers.push(
            live.ask(
              { retrieval: event.id, unit: 'call', question: 'dogs', k: 7, limitMs: 5000 },
              new AbortController().signal,
            ),
          );
      },
    },
  );
  assertUnharmed(run);
  const [answer] = (await Promise.all(answers)) as { passages: { text: string }[]; k: number }[];
  assert.deepEqual(
    [answer?.k, answer?.passages.length, answer?.passages[0]?.text],
    [7, 7, 'dogs has an answer, number 0'],
  );
  const requests = only(run.events, 'retrieval').map(({ request }) => request);
  assert.equal(requests.length, 4);
  assert.deepEqual(
    [requests[0] === requests[1], requests[2] === requests[3], requests[0] === requests[2]],
    [true, true, false],
  );
});

const SOURCE = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
interface Found { readonly pageContent: string }
const store = new MemoryVectorStore() as MemoryVectorStore;
const embed = async (text: string): Promise<number[]> => [text.length];
export async function ask(question: string, k: number = 3): Promise<readonly Found[]> {
  const near = await store.similaritySearchVectorWithScore(await embed(question), 2);
  return [...near, ...(await store.similaritySearch(question, k))];
}
void ask('Do cats purr?').then((found) => console.log(found.length));
`;

/** A module as webpack and Next.js evaluate it in development. */
function evaluated(): string {
  const { code } = transformSync(SOURCE, {
    loader: 'ts',
    sourcefile: 'webpack://app/(rsc)/./src/app.ts?4a5f',
    sourcemap: 'inline',
    format: 'cjs',
  });
  return `eval(${JSON.stringify(`${code}//# sourceURL=webpack-internal:///(rsc)/./src/app.ts\n`)});\n`;
}

/** A chunk as Turbopack writes it: one map of the maps of its modules. */
function chunk(): string {
  const { code, map } = transformSync(SOURCE, {
    loader: 'ts',
    sourcefile: 'turbopack:///[project]/src/app.ts',
    sourcemap: 'external',
    format: 'esm',
  });
  const sections = [{ offset: { line: 1, column: 0 }, map: JSON.parse(map) as unknown }];
  const whole = JSON.stringify({ version: 3, sources: [], sections });
  const address = `data:application/json;base64,${Buffer.from(whole).toString('base64')}`;
  return `// a chunk\n${code}//# sourceMappingURL=${address}`;
}

for (const [name, compiled, file = 'dist/app.mjs'] of [
  [
    'the compiler of TypeScript',
    ts.transpileModule(SOURCE, {
      fileName: 'src/app.ts',
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        inlineSourceMap: true,
        sourceRoot: '../src',
      },
    }).outputText,
  ],
  [
    'esbuild, minified',
    transformSync(SOURCE, {
      loader: 'ts',
      sourcefile: '../src/app.ts',
      sourcemap: 'inline',
      format: 'esm',
      minifyWhitespace: true,
      minifySyntax: true,
    }).code,
  ],
  ['webpack, to be evaluated', evaluated(), 'dist/app.cjs'],
  ['Turbopack', chunk()],
] as const)
  test(`code compiled by ${name} is observed by its source map`, async () => {
    const run = await observe({ ...PACKAGES, 'src/app.ts': SOURCE, [file]: compiled }, { run: [file] });
    assertUnharmed(run);
    assert.equal(run.plain.code, 0, run.plain.stderr);
    assert.deepEqual(only(run.events, 'skipped'), []);
    assert.deepEqual(retrievals(run), [
      ['Do cats purr?', 2, 2],
      ['Do cats purr?', 3, 3],
    ]);
  });

const BUILDER = `import { cosineSimilarity } from 'ai';
import { cosineDistance, sql } from 'drizzle-orm';
import * as lancedb from '@lancedb/lancedb';
import { db, embeddings } from './db';
interface Row { readonly content: string; readonly embedding: number[] }
async function ask(question: string, embedding: number[]): Promise<void> {
  const near = sql\`1 - (\${cosineDistance(embeddings.embedding, embedding)})\`;
  const rows = await db.select({ content: embeddings.content, near }).from(embeddings).orderBy(near).limit(4);
  console.log(question, rows.length, rank(rows, embedding));
  const table = await (await lancedb.connect('x')).openTable('t');
  console.log((await table.query().nearestTo(embedding).limit(1).toArrow()).numRows);
}
function rank(rows: readonly Row[], embedding: number[]): string {
  return rows
    .map((row) => ({ row, score: cosineSimilarity(embedding, row.embedding) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 1)
    .map(({ row }) => row.content)
    .join();
}
void ask('Do cats purr?', [1, 0]);
`;

const LANCEDB = `
class Table {
  numRows = 1; schema = { fields: [] };
  slice() { return this; } toArray() { return [{ doc: 'Cats purr.' }]; }
}
class Query { nearestTo() { return this; } limit() { return this; } async toArrow() { return new Table(); } }
exports.connect = async () => ({ openTable: async () => ({ query: () => new Query() }) });
`;

test('lazy queries, Arrow tables and rankings in compiled code are one retrieval each', async () => {
  const stub = (name: string, code: string): Record<string, string> => ({
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, main: 'index.cjs' }),
    [`node_modules/${name}/index.cjs`]: code,
  });
  const { code } = transformSync(BUILDER, {
    loader: 'ts',
    sourcefile: '../src/app.ts',
    sourcemap: 'inline',
    format: 'cjs',
    minifyWhitespace: true,
  });
  const run = await observe(
    {
      ...stub('@lancedb/lancedb', LANCEDB),
      ...stub('ai', 'exports.cosineSimilarity = (a, b) => a[0] * b[0] + a[1] * b[1];'),
      ...stub('drizzle-orm', 'exports.sql = (texts) => texts.join(); exports.cosineDistance = () => 0;'),
      'src/app.ts': BUILDER,
      'src/db.ts': '',
      'dist/db.js': `
class Query {
  from() { return this; } orderBy() { return this; } limit() { return this; }
  async execute() { return [{ content: 'Dogs bark.', embedding: [0, 1] }, { content: 'Cats purr.', embedding: [1, 0] }]; }
  then(take, refuse) { return this.execute().then(take, refuse); }
}
exports.db = { select: () => new Query() };
exports.embeddings = {};
`,
      'dist/app.cjs': code,
    },
    { run: ['dist/app.cjs'] },
  );
  assertUnharmed(run);
  assert.equal(run.plain.stdout, 'Do cats purr? 2 Cats purr.\n1\n', run.plain.stderr);
  assert.deepEqual(only(run.events, 'skipped'), []);
  assert.deepEqual(
    only(run.events, 'retrieval').map(({ site, k, passages }) => [site, k, passages.map(({ text }) => text)]),
    [
      ['src/app.ts#ask#select#0', 4, ['Dogs bark.', 'Cats purr.']],
      ['src/app.ts#rank#cosineSimilarity#0', 1, ['Cats purr.']],
      ['src/app.ts#ask#nearestTo#0', 1, ['Cats purr.']],
    ],
  );
});

test('code compiled without a source map runs unchanged', async () => {
  const compiled = transformSync(SOURCE, { loader: 'ts', format: 'esm' }).code;
  const run = await observe(
    { ...PACKAGES, 'src/app.ts': SOURCE, 'dist/app.mjs': compiled },
    { run: ['dist/app.mjs'] },
  );
  assertUnharmed(run);
  assert.deepEqual(retrievals(run), []);
});

test('a call with a vector is asked through its enclosing function, for more passages too', async () => {
  const code = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
async function retrieve(question) {
  return store.similaritySearchVectorWithScore([question.length, 1], 2);
}
const found = await retrieve('cats?');
console.log(found.length);
await new Promise((resolve) => setTimeout(resolve, 1500));
`;
  const answers: Promise<LiveAnswer>[] = [];
  const run = await observe(
    { ...PACKAGES, 'app.mjs': code },
    {
      run: ['app.mjs'],
      meanwhile: (live, event) => {
        if (event.type !== 'retrieval') return;
        assert.equal(event.question, 'cats?');
        const [unit] = event.units;
        const ask = { retrieval: event.id, unit: unit!.unit, question: 'dogs and cats?', limitMs: 5000 };
        const { signal } = new AbortController();
        answers.push(live.ask(ask, signal), live.ask({ ...ask, k: 6 }, signal));
      },
    },
  );
  assertUnharmed(run);
  const [plain, larger] = await Promise.all(answers);
  assert.equal(plain!.passages.length, 2);
  assert.match(plain!.passages[0]!.text!, /^number 14 /u);
  assert.equal(larger!.passages.length, 6);
});

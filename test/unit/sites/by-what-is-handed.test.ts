/** Calls that are known by what they are handed, whoever's they are, and ways from there that must not be endless. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, CHROMA, inPython, inTypeScript } from './support.ts';

test('a name that is changed over and over is not looked for along every order of its changes', async () => {
  const changes = Array.from({ length: 60 }, (_, i) => `    page = page.replace("{${i}}", cut(page))\n`);
  const { sites } = await inPython(
    `${CHROMA}def show(query, page):\n${changes.join('')}    store.similarity_search(page, k=3)\n    return page.search(query)\n`,
  );
  assert.deepEqual(brief(sites), ['similarity_search 3']);
});

const SQL = `def made(vector, wanted):
    q = f"SELECT id FROM {TABLE} "
    q += where(wanted)
    q += f"ORDER BY embedding <-> {vector} LIMIT 5"
    return q, wanted

`;

for (const [what, code, wanted] of [
  [
    'is given back among others',
    `${SQL}def ask(v):\n    q, values = made(v, 1)\n    return fetch_rows(q, values)\n`,
    ['fetch_rows ?'],
  ],
  [
    'is kept on the object',
    'class Store:\n    near = "SELECT id FROM docs ORDER BY embedding <-> %s LIMIT 4"\n\n    def ask(self, cursor, v):\n        cursor.execute(self.near, (v,))\n',
    ['execute 4'],
  ],
  [
    'is kept on an object of another class',
    'class Store:\n    near = "SELECT id FROM docs ORDER BY embedding <-> %s LIMIT 4"\n\nclass Other:\n    def ask(self, cursor):\n        cursor.execute(self.near)\n',
    [],
  ],
  [
    'makes a value of a query, beside another statement',
    'def ask(cursor, q):\n    cursor.execute("SELECT plainto_tsquery(%s)", (q,))\n    words = cursor.fetchone()\n    cursor.execute("SELECT id, ts_rank(body, %s) AS r FROM docs ORDER BY r DESC LIMIT 6", (words,))\n',
    ['execute 6'],
  ],
] as const)
  test(`a statement that ${what}`, async () => {
    assert.deepEqual(brief((await inPython(code)).sites), wanted);
  });

test('a vector with a limit is a search by whatever object, but for one of the program itself', async () => {
  const { sites } = await inTypeScript(`import { Own } from './own';
const own = new Own();
class Store {
  search(vector: number[], topK: number) {
    return this.backend.search({ vector, topK });
  }
}
export const all = (vector: number[]) => [own.search({ vector, limit: 2 }), new Store().search(vector, 3)];
`);
  assert.deepEqual(brief(sites), ['search ?']);
});

const ELASTIC = `import { Client } from '@elastic/elasticsearch';
const client = new Client({});
`;

for (const [what, query, wanted] of [
  ['match on an id', '{ match: { document_id: id } }', []],
  ['match on words', '{ match: { body: id } }', ['search 10']],
  ['a choice of filters', 'ids.length ? { bool: { filter: ids } } : { match_all: {} }', []],
  [
    'filters out of a function that checks them',
    '{ bool: { must: ids.map((id) => { check(id); return { term: { id } }; }) } }',
    [],
  ],
] as const)
  test(`Elasticsearch: ${what}`, async () => {
    const text = `${ELASTIC}export const find = (id: string, ids: string[]) => client.search({ index: 'docs', query: ${query} });\n`;
    assert.deepEqual(brief((await inTypeScript(text)).sites), wanted);
  });

test('what a module of another kind exports by default is not taken for a retriever', async () => {
  const { sites } = await inTypeScript(`import Replicate from 'replicate';
import { LLM } from '@langchain/core/language_models/llms';
export const said = (q: string) => new Replicate().stream(q);
`);
  assert.deepEqual(brief(sites), []);
});

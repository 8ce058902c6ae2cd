/** Calls recognised by their arguments, whatever their object, and searches from there that must end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, CHROMA, inPython, inTypeScript } from './support.ts';

test('a name changed many times is not searched in every order of its changes', async () => {
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

test("a vector with a limit is a search on any object except the program's own", async () => {
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

test('the default export of another kind of module is no retriever', async () => {
  const { sites } = await inTypeScript(`import Replicate from 'replicate';
import { LLM } from '@langchain/core/language_models/llms';
export const said = (q: string) => new Replicate().stream(q);
`);
  assert.deepEqual(brief(sites), []);
});

for (const [what, code, wanted] of [
  [
    'in an object, by the entry that is read',
    "const queries = {\n  near: 'SELECT id FROM docs ORDER BY e <=> $1 LIMIT 5',\n  drop: 'DELETE FROM docs WHERE id = $1',\n  deep: { words: 'SELECT id FROM docs ORDER BY e <-> $1 LIMIT 3' },\n} as const;\nexport const near = (v: any) => db.query(queries.near, [v]);\nexport const drop = (id: any) => db.query(queries.drop, [id]);\nexport const words = (v: any) => db.query(queries['deep'].words, [v]);\nexport const any = (name: string) => db.query(queries[name]);\n",
    ['query 5', 'query 3'],
  ],
  [
    'in a class, by its name',
    "class Q {\n  static NEAR = 'SELECT id FROM docs ORDER BY e <=> $1 LIMIT 5';\n}\nclass R {\n  static NEAR = 'SELECT 1';\n}\nexport const near = (v: any) => db.query(Q.NEAR, [v]);\nexport const one = (v: any) => db.query(R.NEAR, [v]);\n",
    ['query 5'],
  ],
  [
    'in a list that is joined',
    "export function near(v: any) {\n  const parts = ['SELECT id FROM docs'];\n  parts.push('ORDER BY embedding <=> $1', 'LIMIT 5');\n  return db.query(parts.join(' '), [v]);\n}\nexport const all = (promises: any[]) => Promise.all(promises);\n",
    ['query ?'],
  ],
] as const)
  test(`a stored statement ${what}`, async () => {
    assert.deepEqual(brief((await inTypeScript(`import { db } from './db';\n${code}`)).sites), wanted);
  });

for (const [what, code, wanted] of [
  [
    'in a dict, by the entry that is read',
    "QUERIES = {'near': 'SELECT id FROM docs ORDER BY e <=> %s LIMIT 5', 'drop': 'DELETE FROM docs'}\n\ndef near(cursor, v):\n    cursor.execute(QUERIES['near'], (v,))\n\ndef again(cursor, v):\n    cursor.execute(QUERIES.get('near'), (v,))\n\ndef drop(cursor):\n    cursor.execute(QUERIES['drop'])\n",
    ['execute 5', 'execute 5'],
  ],
  [
    'in promises, which are no statement',
    "def run(db, texts):\n    tasks = []\n    for text in texts:\n        tasks.append(db.wrap('SELECT id FROM docs_fts WHERE docs_fts MATCH ? ORDER BY rank'))\n    return gather.all(tasks)\n",
    [],
  ],
  [
    'in parts, with the number that the store is asked for',
    "def near(connection, v, where):\n    sql = 'SELECT id FROM ' + TABLE + ' WHERE embedding MATCH ? AND k = ?'\n    if where:\n        sql += ' AND ' + where\n    return connection.execute(sql, [v, 5]).fetchall()\n",
    ['execute ?'],
  ],
] as const)
  test(`a stored statement of Python ${what}`, async () => {
    assert.deepEqual(brief((await inPython(code)).sites), wanted);
  });

test('a rule that does not fit the surroundings leaves a call to the next rule', async () => {
  const { sites } = await inPython(`from sklearn.metrics.pairwise import cosine_similarity

def best(query, vectors):
    scores = cosine_similarity([query], vectors)[0]
    return sorted(enumerate(scores), key=lambda each: each[1], reverse=True)[:3]
`);
  assert.deepEqual(
    sites.map(({ library }) => library),
    ['similarity'],
  );
});

test('a call that the rule of a library excludes is no search by its arguments', async () => {
  const { sites } = await inTypeScript(`import { Pinecone } from '@pinecone-database/pinecone';
const index = new Pinecone().index('docs');
export const list = (size: number, topK: number) => {
  const zeroVector = new Array(size).fill(0);
  return index.query({ vector: zeroVector, topK });
};
`);
  assert.deepEqual(brief(sites), []);
});

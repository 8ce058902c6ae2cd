import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSiteDetector } from '../../../src/sites/detector.ts';
import { placeKey, plannedCalls } from '../../../src/sites/live/live-file.ts';
import { wasm } from '../sites/wasm-files.ts';

const detector = createSiteDetector({ wasm });

/** The calls of a program: the whole expression, the question, k, and how each is observed. */
async function observed(code: string, languageId: string): Promise<unknown[]> {
  const detection = await detector.detect(code, languageId, { live: true });
  const cut = (place: { start: number; end: number } | undefined): string | undefined =>
    place && code.slice(place.start, place.end);
  const calls = (detection.live ?? []).map(
    ({ whole, question, k, returns, awaited, suspends, enclosing }) => ({
      whole: cut(whole),
      question: cut(question?.at),
      k: cut(k?.at) ?? k?.missing?.as,
      returns,
      ...(awaited ? { awaited } : {}),
      ...(suspends ? { suspends } : {}),
      ...(enclosing.length > 0
        ? { enclosing: enclosing.map(({ callee, parameters }) => `${callee}(${parameters.join()})`) }
        : {}),
    }),
  );
  return calls;
}

const LANCE = `import { connect } from '@lancedb/lancedb';
const table = await (await connect('db')).openTable('docs');
class Search {
  async near(question: string, k = 4) {
    return await table.vectorSearch(await embed(question)).limit(k).toArray();
  }
}
`;

test('a chain of calls is one expression, with the question inside the embedded text', async () => {
  assert.deepEqual(await observed(LANCE, 'typescript'), [
    {
      whole: 'table.vectorSearch(await embed(question)).limit(k).toArray()',
      question: 'question',
      k: 'k',
      returns: 'passages',
      awaited: true,
      suspends: true,
      enclosing: ['this.near(question,k)'],
    },
  ]);
});

test('observes the methods of a retriever wherever it is passed', async () => {
  const code = `from langchain_chroma import Chroma
retriever = Chroma("c", e).as_retriever(search_kwargs={"k": 3})
docs = retriever.invoke(question)
`;
  assert.deepEqual(await observed(code, 'python'), [
    {
      whole: 'Chroma("c", e).as_retriever(search_kwargs={"k": 3})',
      question: undefined,
      k: '3',
      returns: 'retriever',
    },
  ]);
});

test('the question of a statement is one of its parameters', async () => {
  const code = `import { Pool } from 'pg';
const pool = new Pool();
export const search = async (question) => {
  const { rows } = await pool.query('SELECT id, body FROM docs ORDER BY embedding <=> $1 LIMIT 5', [toSql(await embed(question))]);
  return rows;
};
`;
  assert.deepEqual(await observed(code, 'javascript'), [
    {
      whole: `pool.query('SELECT id, body FROM docs ORDER BY embedding <=> $1 LIMIT 5', [toSql(await embed(question))])`,
      question: 'question',
      k: undefined,
      returns: 'passages',
      awaited: true,
      suspends: true,
      enclosing: ['search(question)'],
    },
  ]);
});

test('a call with a question and its vector is one of several', async () => {
  const severals = async (call: string): Promise<boolean[]> => {
    const code = `import { Pool } from 'pg';
const pool = new Pool();
export const search = async (question, vector, embeddings) => ${call};
`;
    const { live = [] } = await detector.detect(code, 'javascript', { live: true });
    return live.map(({ isOneOfSeveral }) => isOneOfSeveral);
  };
  const sql = `'SELECT id, body FROM docs ORDER BY body <-> $1, embedding <=> $2 LIMIT 5'`;
  assert.deepEqual(await severals(`pool.query(${sql}, [question, toSql(vector), 60])`), [true]);
  assert.deepEqual(await severals(`pool.query(${sql}, [question, await embed(question)])`), [true]);
  assert.deepEqual(await severals(`pool.query(${sql}, [await embed(question)])`), [false]);
  assert.deepEqual(await severals(`pool.query(${sql}, [question, embeddings])`), [false]);
});

test('k can be added to the options of a call without it', async () => {
  const code = `import { ChromaClient } from 'chromadb';
const docs = await (await new ChromaClient().getCollection({ name: 'docs' })).query({ queryTexts: [question] });
`;
  const [call] = await observed(code, 'typescript');
  assert.deepEqual(call, {
    whole: `(await new ChromaClient().getCollection({ name: 'docs' })).query({ queryTexts: [question] })`,
    question: 'question',
    k: 'entry',
    returns: 'passages',
    awaited: true,
    suspends: true,
  });
});

test('a plan counts lines from 1 and columns from 0', async () => {
  const detection = await detector.detect(LANCE, 'typescript', { live: true });
  const keys = new Map([[placeKey(detection.sites[0]!.range), 'the site']]);
  const [planned] = plannedCalls(LANCE, detection.live!, keys);
  assert.deepEqual(
    [planned?.site, planned?.start, planned?.end, planned?.callee, planned?.enclosing?.[0]?.line],
    ['the site', [5, 17], [5, 77], { start: [5, 23], end: [5, 35] }, 4],
  );
});

test('calls are placed only on request', async () => {
  const detection = await detector.detect(LANCE, 'typescript');
  assert.equal(detection.live, undefined);
});

test('scores computed one by one are observed as the ranking around them', async () => {
  const code = `import { cosineSimilarity } from 'ai';
export function relevant(question: string, vector: number[]) {
  return db.map((d) => ({ text: d.text, score: cosineSimilarity(vector, d.vector) })).sort((a, b) => b.score - a.score).slice(0, 3).map((d) => d.text);
}
`;
  const [call] = (await observed(code, 'typescript')) as { whole: string; k: string; enclosing: string[] }[];
  assert.equal(call!.k, '3');
  assert.match(call!.whole, /^db\.map.*slice\(0, 3\)\.map\(\(d\) => d\.text\)$/u);
  assert.deepEqual(call!.enclosing, ['relevant(question,vector)']);
});

test('a ranking of several statements is observed at the slice that is kept', async () => {
  const code = `export function relevant(question: string, notes: Note[], most: number) {
  const words = question.split(' ');
  const rated = notes.map((note) => ({ note, hits: words.filter((word) => note.text.includes(word)).length }));
  rated.sort((a, b) => b.hits - a.hits);
  return rated.slice(0, most).map(({ note }) => note);
}
`;
  const [call] = (await observed(code, 'typescript')) as { whole: string; k: string }[];
  assert.equal(call!.k, 'most');
  assert.equal(call!.whole, 'rated.slice(0, most).map(({ note }) => note)');
});

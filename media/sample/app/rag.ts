// Ask a question about the documents in ../docs, with Qdrant as the store.
//
//   npx tsx rag.ts index
//   npx tsx rag.ts ask "Should Larkspur keep its free plan?"

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { QdrantClient } from '@qdrant/js-client-rest';
import OpenAI from 'openai';

const DOCS = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'docs');
const COLLECTION = 'handbook';
const WORDS_PER_PASSAGE = 100;

const qdrant = new QdrantClient({ url: process.env.QDRANT_URL ?? 'http://localhost:6333' });
const openai = new OpenAI();

interface Passage {
  file: string;
  text: string;
}

async function loadPassages(): Promise<Passage[]> {
  const files = (await readdir(DOCS, { recursive: true })).filter((name) => /\.(md|txt)$/.test(name));
  const passages: Passage[] = [];
  for (const file of files.sort()) {
    const words = (await readFile(path.join(DOCS, file), 'utf8')).split(/\s+/).filter(Boolean);
    for (let start = 0; start < words.length; start += WORDS_PER_PASSAGE) {
      passages.push({ file, text: words.slice(start, start + WORDS_PER_PASSAGE).join(' ') });
    }
  }
  return passages;
}

async function embed(texts: string[]): Promise<number[][]> {
  const answer = await openai.embeddings.create({ model: 'text-embedding-3-small', input: texts });
  return answer.data.map((item) => item.embedding);
}

async function index(): Promise<void> {
  const passages = await loadPassages();
  const vectors = await embed(passages.map((passage) => passage.text));
  if ((await qdrant.collectionExists(COLLECTION)).exists) await qdrant.deleteCollection(COLLECTION);
  await qdrant.createCollection(COLLECTION, { vectors: { size: vectors[0].length, distance: 'Cosine' } });
  await qdrant.upsert(COLLECTION, {
    wait: true,
    points: passages.map((passage, i) => ({ id: i, vector: vectors[i], payload: { ...passage } })),
  });
  console.log(`${passages.length} passages indexed`);
}

async function retrieve(question: string): Promise<Passage[]> {
  const [vector] = await embed([question]);
  const { points } = await qdrant.query(COLLECTION, { query: vector, limit: 5, with_payload: true });
  return points.map((point) => point.payload as unknown as Passage);
}

async function ask(question: string): Promise<void> {
  const passages = await retrieve(question);
  const context = passages.map((passage) => `[${passage.file}]\n${passage.text}`).join('\n\n');
  const completion = await openai.chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [
      { role: 'system', content: 'Answer from the passages only. Give every side its due and name your files.' },
      { role: 'user', content: `Passages:\n${context}\n\nQuestion: ${question}` },
    ],
  });
  console.log(completion.choices[0].message.content);
}

const [command, question] = process.argv.slice(2);
if (command === 'index') await index();
else if (command === 'ask' && question) await ask(question);
else console.error('usage: rag.ts index | rag.ts ask "<question>"');

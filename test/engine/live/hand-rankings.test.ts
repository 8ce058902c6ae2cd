/** Rankings that programs write by hand are one retrieval each: the passages that are kept, not the scores. */
import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { interpreters } from '../live-python/observed-python.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const python = interpreters().at(-1);
const skip = python === undefined && 'cannot run here: no Python from 3.9';

const BY_WORDS = `DOCS = ["Cats purr.", "Dogs bark.", "Do cats bark?"]

def retrieve(text, documents, n=2):
    words = set(text.lower().split())
    rated = []
    for document in documents:
        rated.append((len(words & set(document.lower().split())), document))
    rated.sort(key=lambda pair: pair[0], reverse=True)
    return [document for _, document in rated[:n]]

print(retrieve("do cats purr.", DOCS))
`;

const BY_PRODUCTS = `TEXTS = ["Cats purr.", "Dogs bark.", "Do cats bark?"]

def cosine_similarity(a, b):
    return sum(x * y for x, y in zip(a, b))

def embed(text):
    return [float(text.lower().count(each)) for each in ("cat", "dog", "purr", "bark")]

def search(query):
    vector = embed(query)
    scored = [(cosine_similarity(vector, embed(text)), text) for text in TEXTS]
    scored.sort(reverse=True)
    return [text for _, text in scored[:2]]

print(search("do cats purr."))
`;

const BEST_OF_ALL = `import difflib

FAQ = {"Do cats purr?": "They do.", "Do dogs bark?": "Some."}

def answer(text):
    best, found = 0, None
    for asked, known in FAQ.items():
        ratio = difflib.SequenceMatcher(None, text, asked).ratio()
        if ratio > best:
            best, found = ratio, known
    return found

print(answer("do cats purr."))
`;

const IN_JAVASCRIPT = `const TEXTS = ['Cats purr.', 'Dogs bark.', 'Do cats bark?'];
const embed = (text) => ['cat', 'dog', 'purr', 'bark'].map((each) => Number(text.toLowerCase().includes(each)));
function find(text) {
  const vector = embed(text);
  const all = [];
  for (const each of TEXTS) {
    let sum = 0;
    const other = embed(each);
    for (let i = 0; i < vector.length; i++) sum += vector[i] * other[i];
    all.push({ each, sum });
  }
  all.sort((a, b) => b.sum - a.sum);
  return all.slice(0, 2).map(({ each }) => each);
}
console.log(find('do cats purr.'));
`;

for (const [name, file, program, texts] of [
  ['words that are shared', 'words.py', BY_WORDS, ['Cats purr.', 'Do cats bark?']],
  ['products of vectors', 'products.py', BY_PRODUCTS, ['Cats purr.', 'Do cats bark?']],
  ['the best of all', 'best.py', BEST_OF_ALL, ['They do.']],
  ['products in JavaScript', 'find.mjs', IN_JAVASCRIPT, ['Cats purr.', 'Do cats bark?']],
] as const)
  test(`a ranking by hand is one retrieval: ${name}`, { skip }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parallax-ranking-'));
    try {
      writeFileSync(path.join(folder, file), program);
      const runs = file.endsWith('.py') ? python! : process.execPath;
      const argv = [MAIN, 'run', '--out', 'out.jsonl', '--', runs, file];
      execFileSync(process.execPath, argv, { cwd: folder, stdio: 'pipe' });
      const lines = readFileSync(path.join(folder, 'out.jsonl'), 'utf8').trim().split('\n');
      const found = lines.map(
        (line) => JSON.parse(line) as { query: string; k: number; passages: { text: string }[] },
      );
      assert.deepEqual(
        found.map(({ query, k, passages }) => [query, k, passages.map(({ text }) => text)]),
        [['do cats purr.', texts.length, texts]],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

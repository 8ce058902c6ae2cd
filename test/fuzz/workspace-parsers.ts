/**
 * Files of a workspace besides its corpus: programs and rules for them, `.gitignore`, lists of questions, and pages
 * fetched from the web.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { SNAPSHOT_MANIFEST, SNAPSHOT_PAGES } from '../../src/features/web-corpus/core/snapshot.ts';
import { readQuestions } from '../../src/features/building/engine/read-questions.ts';
import { GitIgnore } from '../../src/engine/corpus/gitignore.ts';
import { SnapshotFolder } from '../../src/features/web-corpus/engine/snapshot-folder.ts';
import { parseConfig } from '../../src/extension/workspace/workspace-model.ts';
import { createSiteDetector } from '../../src/sites/detector.ts';
import { builtInRules, mergeRules } from '../../src/sites/rules/library.ts';
import { importedModules } from '../../src/sites/workspace/neighbours.ts';
import { wasm } from '../unit/sites/wasm-files.ts';
import { bytesOf, takes, textOf, type FuzzedBytes } from './fuzzed-bytes.ts';
import { bytesLike, CUT, inputsLike } from './inputs.ts';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'parallax-fuzz-'));
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

const detector = createSiteDetector({ wasm });
const asking = { file: 'main.py', asker: 'search.py', files: new Set(['main.py', 'search.py']) };
const callSites = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, '../fixtures/call-sites/tuned', name), 'utf8');
const PROGRAMS = {
  python: [
    'from langchain_chroma import Chroma\nk = 5\nstore = Chroma("kb")\n\ndef find(q, k=k):\n    return store.similarity_search(q, k=k)\n\nr = store.as_retriever(search_type="mmr", search_kwargs={"k": 4, "lambda_mult": 0.5})\n',
    callSites('faiss_search.py').slice(0, 1_500),
    callSites('langchain_basics.py').slice(0, 1_500),
  ],
  typescript: [
    'import { Chroma } from "@langchain/community/vectorstores/chroma";\n// parallax: k=5 eval="a b" retriever=prod ignore\nconst k = 5;\nconst store = new Chroma(e, {});\nexport const r = store.asRetriever({ k, searchType: "mmr" });\nfor (const q of qs) await store.similaritySearch(q, k);\n',
    callSites('chroma_client.ts').slice(0, 1_500),
  ],
} as const;

const programs = Object.entries(PROGRAMS).map(([language, examples]): FuzzedBytes => ({
  name: `calls in ${language}`,
  examples,
  inputs: fc.oneof(bytesLike(examples), inputsLike(examples)),
  cost: 3,
  survives: (text) =>
    takes(async () => {
      const detection = await detector.detect(text, language);
      for (const { k } of detection.sites) assert.ok(k.value === undefined || Number.isFinite(k.value));
      const anything = { name: 'k', owner: undefined, parameter: 'k', position: 0 };
      await detector.callers(text, language, [...detection.questions, anything], asking);
      return detection.sites.length > 0;
    }),
}));

/** Read in the extension host each time a program is detected. */
const imports = Object.entries(PROGRAMS).map(([language, examples]): FuzzedBytes => ({
  name: `imports in ${language}`,
  examples,
  cost: 1,
  survives: (text) => takes(() => importedModules(text, language).length > 0),
}));

const RULES = JSON.stringify({
  library: 'mine',
  languages: ['python'],
  imports: ['langchain_chroma'],
  matching: [{ by: 'vectors' }],
  calls: [
    {
      callee: 'method',
      names: ['similarity_search'],
      receiver: 'Chroma|index',
      k: { from: ['k', '#1'] },
      uses: { methods: ['invoke'] },
    },
    { callee: 'function', names: ['Chroma.find'], contains: 'x+', evidence: ['k'] },
  ],
});

const rules: FuzzedBytes = {
  name: 'rules for calls that retrieve',
  examples: [RULES],
  cost: 3,
  survives: (text) =>
    takes(async () => {
      const config = parseConfig(`{"callSites": [${text}]}`);
      const merged = mergeRules(builtInRules(), config.callSites);
      await detector.detect(PROGRAMS.python[0], 'python', { rules: merged });
    }),
};

const REPOSITORY = path.join(FOLDER, 'repository');
mkdirSync(path.join(REPOSITORY, '.git'), { recursive: true });
const IGNORED = [
  '*.log\n!keep.log\n/build/\n# note\n**/tmp/**\na[b-d]?.md\n\\#x\n',
  'node_modules\r\n*.{a,b}\n',
];
const NAMES = [
  'a.log',
  'node_modules/x.js',
  'build/x.md',
  'src/tmp/y',
  'a'.repeat(200),
  `${'a/'.repeat(30)}b.md`,
  'ab1.md',
];

const gitignore: FuzzedBytes = {
  name: '.gitignore',
  examples: IGNORED,
  inputs: fc.oneof(bytesLike(IGNORED), inputsLike(IGNORED)),
  cost: 1,
  survives: (text) =>
    takes(async () => {
      writeFileSync(path.join(REPOSITORY, '.gitignore'), bytesOf(text));
      const rules = await (await GitIgnore.above(REPOSITORY)).inside(REPOSITORY, ['.gitignore']);
      return NAMES.filter((name) => rules.ignores(path.join(REPOSITORY, name), false)).length > 0;
    }),
};

const QUESTIONS: Readonly<Record<string, string>> = {
  'a.txt': 'Why?\n\nHow much \u00e9?\r\n---\n',
  'a.jsonl': '{"question": "Why?"}\n{"query": "How?"}\n',
  'a.csv': 'id,query\n1,"Why,\nand how?"\n2,\n',
};

const questions = Object.entries(QUESTIONS).map(([name, example]): FuzzedBytes => ({
  name: `questions in ${name}`,
  examples: [example],
  inputs: fc.oneof(bytesLike([example]), inputsLike([example])),
  cost: 1,
  survives: (text) =>
    takes(async () => {
      const file = path.join(FOLDER, name);
      writeFileSync(file, bytesOf(text));
      const { asked, problems } = await readQuestions(file, undefined);
      for (const { text: question, line } of asked) {
        assert.match(question, /^\S(?:.*\S)?$/u);
        assert.ok(line === undefined || line >= 1);
      }
      for (const problem of problems) assert.ok(problem !== '');
    }),
}));

const SNAPSHOT = path.join(FOLDER, 'snapshot');
const SNAPSHOT_FILES = [SNAPSHOT_MANIFEST, SNAPSHOT_PAGES].map((name) => path.join(SNAPSHOT, name));

/** A snapshot of two pages, as it is written. */
async function snapshotExample(): Promise<string> {
  const snapshot = await SnapshotFolder.open(SNAPSHOT);
  for (const name of ['one', 'two']) {
    const url = `http://a.example/${name}`;
    const line = { url, finalUrl: url, status: 200, contentType: 'text/html', bytes: 9 };
    await snapshot.addPage(
      { ...line, at: '2026-01-01T00:00:00.000Z' },
      { title: name, text: `It is ${name}.` },
    );
  }
  await snapshot.close();
  return SNAPSHOT_FILES.map((file) => textOf(readFileSync(file))).join(CUT);
}

/** A page counts if both files contain it as fetched; opening the folder again gives the same. */
const snapshotPages: FuzzedBytes = {
  name: 'pages of a snapshot',
  examples: [await snapshotExample()],
  cost: 5,
  survives: (text) =>
    takes(async () => {
      const parts = text.split(CUT);
      SNAPSHOT_FILES.forEach((file, place) => writeFileSync(file, bytesOf(parts[place] ?? '')));
      const [first, second] = [await openedSnapshot(), await openedSnapshot()];
      assert.deepEqual(second, first);
      const kept = readFileSync(SNAPSHOT_FILES[1]!, 'utf8').split('\n');
      assert.equal(kept.pop(), '');
      // An empty line is no page.
      const lines = kept.filter((line) => line.trim() !== '');
      assert.deepEqual(
        new Set(lines.map((line) => (JSON.parse(line) as { _id: string })._id)),
        new Set(first.urls),
      );
      assert.equal(lines.length, first.urls.length);
      return first.damaged === 0;
    }),
};

async function openedSnapshot(): Promise<{ urls: string[]; damaged: number; fingerprint: string }> {
  const snapshot = await SnapshotFolder.open(SNAPSHOT);
  const { manifest, damaged } = snapshot;
  await snapshot.close();
  return { urls: manifest.pages.map(({ url }) => url), damaged, fingerprint: snapshot.fingerprint() };
}

export const WORKSPACE_PARSERS: readonly FuzzedBytes[] = [
  ...programs,
  ...imports,
  ...[rules, gitignore],
  ...questions,
  snapshotPages,
];

/**
 * What stands in a workspace beside its corpus, and what endpoints answer: programs, `.gitignore`, tokenizers of models;
 * chat models, embedding models and retrievers on a server of the test, which answers with each input in turn.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { httpRetrieverSchema } from '../../src/core/external/spec.ts';
import { GitIgnore } from '../../src/engine/corpus/gitignore.ts';
import { OpenAiEmbedder } from '../../src/engine/embedders/openai-embedder.ts';
import { EncoderTokenizer } from '../../src/engine/encoders/encoder-tokenizer.ts';
import { createHttpRetriever } from '../../src/engine/external/http-retriever.ts';
import { createOpenAiModel } from '../../src/engine/judges/openai-model.ts';
import { embedderSchema } from '../../src/shared/config.ts';
import { parseConfig } from '../../src/extension/workspace/workspace-model.ts';
import { createSiteDetector } from '../../src/sites/detector.ts';
import { builtInRules, mergeRules } from '../../src/sites/rules/library.ts';
import { wasm } from '../unit/sites/wasm-files.ts';
import { bytesOf, takes, type FuzzedBytes } from './fuzzed-bytes.ts';
import { bytesLike, inputsLike } from './inputs.ts';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'parallax-fuzz-'));
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

const detector = createSiteDetector({ wasm });
const callSites = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, '../fixtures/call-sites/tuned', name), 'utf8');
const PROGRAMS = {
  python: [
    'from langchain_chroma import Chroma\nk = 5\nstore = Chroma("kb")\n\ndef find(q, k=k):\n    return store.similarity_search(q, k=k)\n\nr = store.as_retriever(search_type="mmr", search_kwargs={"k": 4, "lambda_mult": 0.5})\n',
    callSites('faiss_search.py').slice(0, 1_500),
    callSites('langchain_basics.py').slice(0, 1_500),
  ],
  typescript: [
    'import { Chroma } from "@langchain/community/vectorstores/chroma";\nconst k = 5;\nconst store = new Chroma(e, {});\nexport const r = store.asRetriever({ k, searchType: "mmr" });\nfor (const q of qs) await store.similaritySearch(q, k);\n',
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
      try {
        for (const { k } of detection.sites) assert.ok(k.value === undefined || Number.isFinite(k.value));
        return detection.sites.length > 0;
      } finally {
        detector.release(detection);
      }
    }),
}));

const RULES = JSON.stringify({
  ...{ library: 'mine', languages: ['python'], imports: ['langchain_chroma'], matching: [{ by: 'vectors' }] },
  calls: [
    {
      ...{
        callee: 'method',
        names: ['similarity_search'],
        receiver: 'Chroma|index',
        k: { from: ['k', '#1'] },
      },
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
      detector.release(await detector.detect(PROGRAMS.python[0], 'python', { rules: merged }));
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
      const rules = await GitIgnore.forRoot(REPOSITORY);
      return NAMES.filter((name) => rules.ignores(path.join(REPOSITORY, name), false)).length > 0;
    }),
};

const TOKENIZER = JSON.stringify({
  ...{ version: '1.0', truncation: null, padding: null },
  added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content, id) => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
  })),
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true }, // prettier-ignore
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '[CLS]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '[SEP]', type_id: 0 } }], // prettier-ignore
    pair: [{ SpecialToken: { id: '[CLS]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '[SEP]', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }, { SpecialToken: { id: '[SEP]', type_id: 1 } }], // prettier-ignore
    special_tokens: { '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] }, '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] } }, // prettier-ignore
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    ...{
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
    },
    vocab: { '[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3, one: 4, two: 5, '##s': 6 },
  },
});

const tokenizer: FuzzedBytes = {
  name: 'tokenizer.json',
  examples: [TOKENIZER],
  cost: 1,
  survives: (text) =>
    takes(async () => {
      writeFileSync(path.join(FOLDER, 'tokenizer.json'), text);
      const read = await EncoderTokenizer.load(FOLDER, 16);
      for (const id of read.encode('one twos \u00e9 [SEP]')) assert.ok(Number.isInteger(id), String(id));
      const { ids } = read.pairsWith('one')('twos');
      assert.ok(ids.length <= 16);
    }),
};

let answer = '';
let server: Promise<Server> | undefined;

/** Base URL of a server that answers every request with the present input. */
async function serverUrl(): Promise<string> {
  server ??= new Promise((resolve) => {
    const started = createServer((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      });
    }).listen(0, '127.0.0.1', () => resolve(started));
    started.unref();
  });
  return `http://127.0.0.1:${((await server).address() as AddressInfo).port}`;
}

const COMPLETION = {
  choices: [
    {
      message: { role: 'assistant', content: 'Yes.', refusal: null },
      finish_reason: 'stop',
      logprobs: { content: [{ token: 'Yes', logprob: -0.1, top_logprobs: [{ token: 'no', logprob: -3 }] }] },
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
};

const completion: FuzzedBytes = {
  name: 'answer of a chat endpoint',
  examples: [JSON.stringify(COMPLETION)],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      answer = text;
      const model = createOpenAiModel({
        ...{ baseUrl: await serverUrl(), model: 'm', keyName: 'k', apiKey: undefined, maxRetries: 0 },
      });
      const said = await model.complete([{ role: 'user', content: 'Q?' }], { timeoutMs: 10_000 });
      assert.equal(typeof said.text, 'string');
      for (const { logprob } of said.tokens ?? []) assert.equal(typeof logprob, 'number');
    }),
};

const EMBEDDINGS = JSON.stringify({ data: [{ index: 0, embedding: [0.6, 0.8, 0] }, { index: 1, embedding: [0, 1, 0] }] }); // prettier-ignore

const embeddings: FuzzedBytes = {
  name: 'answer of an embeddings endpoint',
  examples: [EMBEDDINGS],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      answer = text;
      const config = embedderSchema.parse({ type: 'openai', baseUrl: await serverUrl(), model: 'm' });
      assert.ok(config.type === 'openai');
      const embedder = new OpenAiEmbedder('it', config, {
        apiKey: undefined,
        maxRetries: 0,
        timeoutMs: 10_000,
      });
      const vectors = await embedder.embedPassages(['one', 'two']);
      assert.ok(vectors.length > 0 && vectors.every((value) => Number.isFinite(value)), 'finite');
    }),
};

const retriever: FuzzedBytes = {
  name: 'answer of a retriever over HTTP',
  examples: ['{"results": [{"id": 1, "text": "one", "score": 0.5}, {"text": "two"}]}'],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      answer = text;
      const spec = httpRetrieverSchema.parse({ type: 'http', url: await serverUrl() });
      const results = await createHttpRetriever(spec, undefined).search({ text: 'Q?' }, 5);
      assert.ok(results.length <= 5);
    }),
};

export const WORKSPACE_PARSERS: readonly FuzzedBytes[] = [
  ...programs,
  ...[rules, gitignore, tokenizer],
  ...[completion, embeddings, retriever],
];

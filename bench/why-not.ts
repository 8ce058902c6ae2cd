/**
 * Why a document is not retrieved: `node bench/why-not.ts [--documents 20] [--debate <folder>] [--json]`.
 *
 * Plants twelve causes in the documents of the sample and of the shared debate corpus, asks why each is missing, and checks
 * the first cause. Every change that is proposed is run: the document must be within its k. A filter of a store is not
 * planted, since no store runs here. Exit code 1 if fewer than 95% of the causes are right, or a change brings nothing in.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { LocalEngine } from '../src/cli/local-engine.ts';
import { placeCorpus } from '../src/cli/local-corpus.ts';
import type { Cause } from '../src/core/explain/explanation.ts';
import { parsePipeline, type Pipeline, type PipelineInput } from '../src/core/pipeline.ts';
import { configSchema, corpusSchema } from '../src/shared/config.ts';
import type { Result } from '../src/shared/rpc.ts';
import { DEBATE } from './support/debate.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '20' },
    debate: { type: 'string', default: DEBATE },
    json: { type: 'boolean', default: false },
  },
});
const CORPUS = 'docs';
const BM25: PipelineInput = { retriever: { type: 'bm25' } };
const MMR: PipelineInput = { ...BM25, rerank: [{ type: 'mmr', lambda: 0.1, embedder: 'hashing' }] };
const ENOUGH = 0.95;
/** In words. */
const PASSAGE = 60;
const QUESTION = 12;
const SHORTEST = 100;

/** A document, the question that misses it, and the cause that was planted. */
interface Planted {
  readonly what: string;
  readonly cause: Cause;
  readonly document: string;
  readonly question: string;
  readonly pipeline: Pipeline;
}

interface Outcome extends Planted {
  readonly found: Result<'explain'>;
  readonly milliseconds: number;
  /** Whether the change, if there is one, brings the document in. */
  readonly holds: boolean;
}

class Bench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'parallax-why-not-'));
  readonly #texts: Readonly<Record<string, string>>;
  #engine: LocalEngine | undefined;

  constructor(texts: Readonly<Record<string, string>>) {
    this.#texts = texts;
  }

  write(file: string, text: string): void {
    const place = path.join(this.folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }

  async open(): Promise<void> {
    for (const [file, text] of Object.entries(this.#texts)) this.write(file, text);
    const config = corpusSchema.parse({
      roots: ['docs'],
      exclude: ['excluded/**'],
      split: { type: 'words', size: PASSAGE, overlap: 0 },
    });
    const source = { name: CORPUS, base: this.folder, config };
    const placed = await placeCorpus(source, path.join(this.folder, 'store'), configSchema.parse({}));
    this.#engine = await LocalEngine.open(placed.options, {
      stdout: () => undefined,
      stderr: (text) => process.stderr.write(text),
    });
    await this.#engine.request('index', { corpus: CORPUS, rebuild: false });
  }

  /** Distinct documents, best first. */
  async ranking(question: string, pipeline: Pipeline): Promise<string[]> {
    const { candidates } = await this.#engine!.request('search', {
      corpus: CORPUS,
      query: { text: question },
      perspectives: [],
      pipeline,
      depth: pipeline.candidates,
    });
    return candidates.map(({ documentId }) => documentId);
  }

  async explain(planted: Planted): Promise<Outcome> {
    const { question, document, pipeline } = planted;
    const begun = performance.now();
    const found = await this.#engine!.request('explain', {
      corpus: CORPUS,
      query: { text: question },
      perspectives: [],
      pipeline,
      document,
      tryChanges: true,
    });
    const taken = performance.now() - begun;
    const { change, passage } = found;
    const ranking = change ? await this.ranking(question, change.pipeline) : [];
    const holds = !change || ranking.slice(0, change.pipeline.k).includes(passage!.documentId);
    return { ...planted, found, milliseconds: taken, holds };
  }

  async close(): Promise<void> {
    await this.#engine?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const beginning = (text: string, from: number, to: number): string =>
  text.split(/\s+/u).slice(from, to).join(' ');

/** The first passage again, without the longest word of the question, so that it ranks below. */
function copyOf(text: string): string {
  const longest = beginning(text, 0, QUESTION)
    .split(' ')
    .reduce((a, b) => (b.length > a.length ? b : a));
  return beginning(text, 0, PASSAGE).replaceAll(longest, 'something');
}

/** A document that is not copied, since of a copy and its original the lower one has another cause. */
function isSingle(file: string): boolean {
  const place = /^docs\/text-(\d+)/u.exec(file)?.[1];
  return place !== undefined && Number(place) >= Number(options.documents);
}

/** The twelve causes for one document; those that its rankings do not allow are left out. */
async function plant(bench: Bench, file: string, text: string, place: number): Promise<Planted[]> {
  const bm25 = (k: number, candidates = 100): Pipeline => parsePipeline({ ...BM25, k, candidates });
  const question = beginning(text, 0, QUESTION);
  const named = { question, pipeline: bm25(5) };
  const hidden = (what: string, document: string): Planted => ({
    what,
    cause: 'not-read',
    document,
    ...named,
  });
  const passages = await bench.ranking(question, bm25(5));
  const lower = passages.find((each) => each !== passages[0] && isSingle(each));
  const rank = passages.indexOf(lower ?? '') + 1;
  const mmr = parsePipeline({ ...MMR, k: 5 });
  const after = (await bench.ranking(question, mmr)).slice(0, 5);
  const moved = passages.slice(0, 5).find((each) => !after.includes(each) && isSingle(each));
  return [
    hidden('a kind without a reader', `docs/plan-${place}.xyz`),
    hidden('.gitignore', `docs/private/note-${place}.md`),
    hidden('outside of the roots', `web/page-${place}.md`),
    hidden('an excluded folder', `docs/excluded/page-${place}.md`),
    { what: 'new since', cause: 'not-indexed', document: `docs/new-${place}.md`, ...named },
    { what: 'not there', cause: 'unknown', document: `docs/gone-${place}.md`, ...named },
    {
      what: 'cut apart',
      cause: 'cut-apart',
      document: beginning(text, PASSAGE - 10, PASSAGE + 15),
      question: 'zyx',
      pipeline: bm25(5),
    },
    {
      what: 'no word in common',
      cause: 'outside-candidates',
      document: file,
      question: 'zyx wvu',
      pipeline: bm25(5),
    },
    {
      what: 'an earlier copy',
      cause: 'duplicate-above',
      document: `docs/copy-${place}.md`,
      question,
      pipeline: bm25(1),
    },
    ...(rank > 1
      ? ([
          { what: 'below k', cause: 'below-k', document: lower!, question, pipeline: bm25(rank - 1) },
          {
            what: 'too few candidates',
            cause: 'outside-candidates',
            document: lower!,
            question,
            pipeline: bm25(rank - 1, rank - 1),
          },
        ] satisfies Planted[])
      : []),
    ...(moved === undefined
      ? []
      : ([
          { what: 'a reranker', cause: 'moved-down', document: moved, question, pipeline: mmr },
        ] satisfies Planted[])),
  ];
}

async function measure(documents: readonly string[]): Promise<Outcome[]> {
  const texts: Record<string, string> = { 'docs/.gitignore': 'private\n' };
  documents.forEach((text, place) => {
    texts[`docs/text-${place}.md`] = text;
  });
  const asked = documents.slice(0, Number(options.documents));
  asked.forEach((text, place) => {
    texts[`docs/copy-${place}.md`] = copyOf(text);
    texts[`docs/plan-${place}.xyz`] = text;
    texts[`docs/private/note-${place}.md`] = text;
    texts[`docs/excluded/page-${place}.md`] = text;
    texts[`web/page-${place}.md`] = text;
  });
  const bench = new Bench(texts);
  try {
    await bench.open();
    const outcomes: Outcome[] = [];
    for (const [place, text] of asked.entries()) {
      bench.write(`docs/new-${place}.md`, text);
      for (const planted of await plant(bench, `docs/text-${place}.md`, text, place))
        outcomes.push(await bench.explain(planted));
    }
    return outcomes;
  } finally {
    await bench.close();
  }
}

/** Documents of at least {@link SHORTEST} words on one line, no two of which begin alike. */
function usable(texts: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const text of texts) {
    const line = text.replaceAll(/[#*_`>\s]+/gu, ' ').trim();
    const words = line.split(' ');
    if (words.length >= SHORTEST) found.set(words.slice(0, QUESTION).join(' '), line);
  }
  return [...found.values()];
}

function sample(): string[] {
  const folder = 'media/sample/docs';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(?:md|txt)$/u.test(file))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));
}

function debate(): string[] {
  const lines = readFileSync(path.join(options.debate, 'corpus.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly text: string }).text);
}

const corpora = { sample: usable(sample()), debate: usable(debate()) };
const rows: Record<string, Outcome[]> = {};
for (const [name, documents] of Object.entries(corpora)) rows[name] = await measure(documents);
const all = Object.values(rows).flat();
const wrong = all.filter(({ cause, found }) => found.cause !== cause);
const broken = all.filter(({ holds }) => !holds);
const right = 1 - wrong.length / all.length;
console.log(options.json ? JSON.stringify({ right, broken: broken.length, rows }) : report());
if (right < ENOUGH || broken.length > 0) process.exitCode = 1;

function report(): string {
  const kinds = [...new Set(all.map(({ what }) => what))];
  const changed = all.filter(({ found }) => found.change);
  const { p50, p99 } = percentiles(all.map((outcome) => outcome.milliseconds));
  return [
    table(
      ['first cause right, of those planted', ...Object.keys(rows)],
      kinds.map((what) => [
        what,
        ...Object.values(rows).map((outcomes) => {
          const own = outcomes.filter((outcome) => outcome.what === what);
          return `${own.filter(({ cause, found }) => found.cause === cause).length} of ${own.length}`;
        }),
      ]),
    ),
    '',
    `${(100 * right).toFixed(1)}% of ${all.length} first causes are right (${100 * ENOUGH}% are demanded)`,
    `${changed.length - broken.length} of ${changed.length} changes bring the document in when they are run`,
    `${milliseconds(p50)} / ${milliseconds(p99)} ms for each, p50 / p99, changes included`,
    ...wrong.slice(0, 10).map(({ what, document, found }) => `wrong: ${what}, ${document}: ${found.cause}`),
    ...broken.slice(0, 10).map(({ what, found }) => `brings nothing in: ${what}, ${found.change?.label}`),
  ].join('\n');
}

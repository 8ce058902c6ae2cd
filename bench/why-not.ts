/**
 * Why a document is not retrieved:
 * `node bench/why-not.ts [--documents 20] [--folder <documents> …] [--debate <folder>]
 * [--pairs 10000] [--passages 100000] [--json]`.
 *
 * Plants twelve causes in the documents of the folders, by default of the sample and of the shared debate corpus, asks
 * why each is missing, and checks the first cause. Every proposed change is run: the document must be within its k, and
 * no smaller change that was tried may bring it in. The command line answers a sample of the same questions. Terms are
 * summed for random pairs of a question and a passage, and the time is measured on a large corpus of the same words. A
 * filter of a store is not planted, because no store runs here. Exit code 1 if a limit is missed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { LocalEngine } from '../src/cli/local-engine.ts';
import { placeCorpus } from '../src/cli/local-corpus.ts';
import type { Cause } from '../src/core/explain/explanation.ts';
import { parsePipeline, type Pipeline, type PipelineInput } from '../src/core/pipeline.ts';
import { configSchema, corpusSchema } from '../src/shared/config.ts';
import type { Result } from '../src/shared/rpc.ts';
import { DEBATE } from './support/debate.ts';
import { seededRandom } from './support/random.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '20' },
    folder: { type: 'string', multiple: true, default: [] },
    pairs: { type: 'string', default: '10000' },
    passages: { type: 'string', default: '100000' },
    debate: { type: 'string', default: DEBATE },
    json: { type: 'boolean', default: false },
  },
});
const CORPUS = 'docs';
/** In words. */
const PASSAGE = 60;
const CORPUS_CONFIG = {
  roots: ['docs'],
  exclude: ['excluded/**'],
  split: { type: 'words', size: PASSAGE, overlap: 0 },
};
const BM25: PipelineInput = { retriever: { type: 'bm25' } };
const MMR: PipelineInput = { ...BM25, rerank: [{ type: 'mmr', lambda: 0.1, embedder: 'hashing' }] };
const ENOUGH = 0.95;
/** For each corpus, because the command line starts an engine for every question. */
const ASKED_ON_COMMAND_LINE = 12;
const TIMED = 60;
/** Milliseconds at the median, without changes tried and with them. */
const BARS = { plain: 100, changes: 2_000 };
/** In words. */
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
  /** Whether the change, if there is one, is the first that retrieves the document. */
  readonly holds: boolean;
  /** Whether the command line gives the same answer. `undefined` if it was not asked. */
  readonly agrees?: boolean;
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
    const config = corpusSchema.parse(CORPUS_CONFIG);
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

  async explain(planted: Planted, tryChanges = true): Promise<Outcome> {
    const { question, document, pipeline } = planted;
    const begun = performance.now();
    const found = await this.#engine!.request('explain', {
      corpus: CORPUS,
      query: { text: question },
      perspectives: [],
      pipeline,
      document,
      tryChanges,
    });
    const taken = performance.now() - begun;
    const { change, passage } = found;
    const ranking = change ? await this.ranking(question, change.pipeline) : [];
    const isSmallest = found.tried.slice(0, -1).every(({ rank, pipeline: { k } }) => !rank || rank > k);
    const isIn = !change || ranking.slice(0, change.pipeline.k).includes(passage!.documentId);
    const holds = isIn && (!change || isSmallest);
    return { ...planted, found, milliseconds: taken, holds };
  }

  /** Whether `parallax explain` gives the same answer. */
  agrees({ question, document, pipeline, found }: Outcome): boolean {
    const config = path.join(this.folder, 'parallax.json');
    writeFileSync(config, JSON.stringify({ version: 2, corpora: { [CORPUS]: CORPUS_CONFIG } }));
    const options = {
      query: question,
      document,
      corpus: CORPUS,
      config,
      pipeline: JSON.stringify(pipeline),
      json: '-',
    };
    const args = Object.entries({ ...options, store: path.join(this.folder, 'store') }).map(
      ([name, value]) => `--${name}=${value}`,
    );
    const said = execFileSync(process.execPath, ['dist/cli.mjs', 'explain', ...args], { encoding: 'utf8' });
    const { cause, rank, change } = JSON.parse(said) as Result<'explain'>;
    return isDeepStrictEqual([cause, rank, change?.label], [found.cause, found.rank, found.change?.label]);
  }

  /** The largest difference between the sum of the terms and the score, over random pairs of a question and a passage. */
  async worstSum(pairs: number): Promise<{ readonly pairs: number; readonly worst: number }> {
    const random = seededRandom(1);
    const texts = Object.entries(this.#texts).filter(([file]) => /text-/u.test(file));
    let worst = 0;
    let made = 0;
    while (made < pairs) {
      const [, text] = texts[Math.floor(random() * texts.length)]!;
      const from = Math.floor(random() * SHORTEST);
      const question = beginning(text, from, from + 1 + Math.floor(random() * QUESTION));
      const asked = {
        corpus: CORPUS,
        query: { text: question },
        perspectives: [],
        pipeline: parsePipeline(BM25),
      };
      const { candidates } = await this.#engine!.request('search', { ...asked, depth: 100 });
      for (const { id } of candidates.slice(0, pairs - made)) {
        const { arms, terms } = await this.#engine!.request('explain', {
          ...asked,
          document: id,
          tryChanges: false,
        });
        const sum = terms.reduce((total, { contribution }) => total + contribution, 0);
        worst = Math.max(worst, Math.abs(sum - arms[0]!.score!));
        made++;
      }
    }
    return { pairs: made, worst };
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

/** Whether the document has no copy: of a copy and its original the lower one has another cause. */
function isSingle(file: string): boolean {
  const place = /^docs\/text-(\d+)/u.exec(file)?.[1];
  return place !== undefined && Number(place) >= Number(options.documents);
}

/** The twelve causes for one document, without those that its rankings do not allow. */
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
    sums.push(await bench.worstSum(Number(options.pairs) / Object.keys(corpora).length));
    // The command line updates the index, and new documents would change the ranks.
    asked.forEach((_, place) => rmSync(path.join(bench.folder, `docs/new-${place}.md`)));
    const known = outcomes.filter(({ cause }) => cause !== 'not-indexed');
    const step = Math.max(1, Math.floor(known.length / ASKED_ON_COMMAND_LINE));
    const asks = known.filter((_, place) => place % step === 0).slice(0, ASKED_ON_COMMAND_LINE);
    return outcomes.map((outcome) =>
      asks.includes(outcome) ? { ...outcome, agrees: bench.agrees(outcome) } : outcome,
    );
  } finally {
    await bench.close();
  }
}

/** Documents of at least {@link SHORTEST} words on one line, no two with the same beginning. */
function usable(texts: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const text of texts) {
    const line = text.replaceAll(/[#*_`>\s]+/gu, ' ').trim();
    const words = line.split(' ');
    if (words.length >= SHORTEST) found.set(words.slice(0, QUESTION).join(' '), line);
  }
  return [...found.values()];
}

function debate(): string[] {
  const lines = readFileSync(path.join(options.debate, 'corpus.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly text: string }).text);
}

function folder(place: string): string[] {
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(?:md|txt)$/u.test(file))
    .map((file) => readFileSync(path.join(place, file), 'utf8'));
}

/** Milliseconds of explanations on a corpus of `passages` passages, whose words are those of the documents in another order. */
async function timed(
  documents: readonly string[],
  passages: number,
): Promise<Record<'plain' | 'changes', number[]>> {
  const random = seededRandom(2);
  const words = documents.flatMap((text) => text.split(' '));
  const passage = (): string =>
    Array.from({ length: PASSAGE }, () => words[Math.floor(random() * words.length)]!).join(' ');
  const lines = Array.from({ length: passages }, (_, place) =>
    JSON.stringify({ id: `d${place}`, text: passage() }),
  );
  const bench = new Bench({ 'docs/all.jsonl': `${lines.join('\n')}\n` });
  try {
    await bench.open();
    const times: Record<'plain' | 'changes', number[]> = { plain: [], changes: [] };
    for (let count = 0; count < TIMED; count++) {
      const question = beginning(passage(), 0, QUESTION);
      const pipeline = parsePipeline({ ...BM25, k: 5 });
      const document = `d${Math.floor(random() * passages)}`;
      const planted: Planted = { what: '', cause: 'unknown', document, question, pipeline };
      times.plain.push((await bench.explain(planted, false)).milliseconds);
      times.changes.push((await bench.explain(planted)).milliseconds);
    }
    return times;
  } finally {
    await bench.close();
  }
}

const corpora =
  options.folder.length > 0
    ? Object.fromEntries(options.folder.map((place) => [place, usable(folder(place))]))
    : { sample: usable(folder('media/sample/docs')), debate: usable(debate()) };
const sums: Awaited<ReturnType<Bench['worstSum']>>[] = [];
const rows: Record<string, Outcome[]> = {};
for (const [name, documents] of Object.entries(corpora)) rows[name] = await measure(documents);
const all = Object.values(rows).flat();
const wrong = all.filter(({ cause, found }) => found.cause !== cause);
const broken = all.filter(({ holds }) => !holds);
const right = 1 - wrong.length / all.length;
const asked = all.filter(({ agrees }) => agrees !== undefined);
const agreeing = asked.filter(({ agrees }) => agrees);
const worstSum = Math.max(...sums.map(({ worst }) => worst));
const times = await timed(Object.values(corpora).flat(), Number(options.passages));
const large = { plain: percentiles(times.plain), changes: percentiles(times.changes) };
console.log(
  options.json ? JSON.stringify({ right, broken: broken.length, worstSum, large, rows }) : report(),
);
const isSlow = large.plain.p50 > BARS.plain || large.changes.p50 > BARS.changes;
if (right < ENOUGH || broken.length > 0 || worstSum > 1e-9 || agreeing.length < asked.length || isSlow)
  process.exitCode = 1;

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
    `${changed.length - broken.length} of ${changed.length} changes bring the document in when they are run, and none is smaller`,
    `${agreeing.length} of ${asked.length} answers are the same on the command line`,
    `terms add up to scores within ${worstSum.toExponential(1)} over ${sums.reduce((sum, { pairs }) => sum + pairs, 0)} pairs`,
    `${milliseconds(large.plain.p50)} / ${milliseconds(large.plain.p99)} ms with ${options.passages} passages, p50 / p99; ${milliseconds(large.changes.p50)} / ${milliseconds(large.changes.p99)} ms with changes tried`,
    `${milliseconds(p50)} / ${milliseconds(p99)} ms for each, p50 / p99, changes included`,
    ...wrong.slice(0, 10).map(({ what, document, found }) => `wrong: ${what}, ${document}: ${found.cause}`),
    ...broken.slice(0, 10).map(({ what, found }) => `brings nothing in: ${what}, ${found.change?.label}`),
  ].join('\n');
}

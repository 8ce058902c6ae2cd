/**
 * Why a document is not retrieved:
 * `npm run bench -- why-not [--documents 20] [--folder <documents> …] [--debate <folder>] [--pairs 10000]
 * [--passages 100000] [--json]`.
 *
 * Plants twelve causes in the documents of the folders, by default of the sample and of the shared debate corpus, and
 * in a real Chroma and a real PostgreSQL the causes that a store can reveal. Asks the side panel why each document is
 * missing, and checks the first cause. Every proposed change is run: the document must be within its k, and no smaller
 * change that was tried may bring it in. The command line and the agents' tool, each with an index of its own, must
 * answer the same, also after a store has ended. Terms are summed for random pairs of a question and a passage. The
 * time is measured on a large corpus of the same words, by words and by words with hashed words; on a busy
 * machine read that of the processor. Exit code 1 if a limit is missed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parsePipeline, type PipelineInput } from '../src/core/pipeline.ts';
import { DEBATE } from './support/debate.ts';
import { agree, MissingBench, type Agreement, type Outcome } from './support/missing-bench.ts';
import { takenBy, type Taken } from './support/missing-surfaces.ts';
import { plantInStore, STORES, Vectors } from './support/missing-in-stores.ts';
import {
  beginning,
  copyOf,
  PASSAGE,
  plantRanked,
  plantUnread,
  QUESTION,
  SHORTEST,
  type Planted,
} from './support/planted-causes.ts';
import { seededRandom } from './support/random.ts';
import { milliseconds, percentiles, table, type Percentiles } from './support/report.ts';

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
const DOCUMENTS = Number(options.documents);
const RETRIEVERS = {
  words: { type: 'bm25' },
  'words with hashed words': {
    type: 'hybrid',
    retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'hashing' }],
  },
} satisfies Record<string, PipelineInput['retriever']>;
const ENOUGH = 0.95;
const TIMED = 200;
/** Milliseconds at the 99th percentile, without changes tried and with them. */
const BARS = { plain: 100, changes: 2_000 };
/** Documents in a store: more than Parallax ranks there. */
const MAX_IN_STORE = 1_500;

interface Measured {
  readonly outcomes: readonly Outcome[];
  readonly agreements: readonly Agreement[];
}

/** Documents, the first of them with copies, and with files that are not read. */
function withUnread(documents: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = { 'docs/.gitignore': 'private\n' };
  documents.forEach((text, place) => {
    texts[`docs/text-${place}.md`] = text;
  });
  documents.slice(0, DOCUMENTS).forEach((text, place) => {
    texts[`docs/copy-${place}.md`] = copyOf(text);
    texts[`docs/plan-${place}.xyz`] = text;
    texts[`docs/private/note-${place}.md`] = text;
    texts[`docs/excluded/page-${place}.md`] = text;
    texts[`web/page-${place}.md`] = text;
  });
  return texts;
}

/** Whether the document has no copy. */
function isSingle(file: string): boolean {
  const place = /^docs\/text-(\d+)/u.exec(file)?.[1];
  return place !== undefined && Number(place) >= DOCUMENTS;
}

/** The causes for one document, without those that its rankings do not allow. */
async function plant(bench: MissingBench, text: string, place: number): Promise<Planted[]> {
  const pipeline = parsePipeline({ retriever: RETRIEVERS.words, k: 5 });
  const question = beginning(text, 0, QUESTION);
  const ranking = bench.ranking.bind(bench);
  return [
    ...plantUnread(place, question, pipeline),
    { what: 'new since', cause: 'not-indexed', document: `docs/new-${place}.md`, question, pipeline },
    { what: 'not there', cause: 'unknown', document: `docs/gone-${place}.md`, question, pipeline },
    {
      ...{ what: 'no word in common', cause: 'outside-candidates', document: `docs/text-${place}.md` },
      ...{ question: 'zyx wvu', pipeline },
    },
    ...(await plantRanked(place, text, { retriever: RETRIEVERS.words, ranking, isSingle })),
  ];
}

async function measure(documents: readonly string[]): Promise<Measured> {
  const bench = await MissingBench.open(withUnread(documents));
  try {
    const planted: Planted[] = [];
    for (const [place, text] of documents.slice(0, DOCUMENTS).entries()) {
      bench.folder.write(`docs/new-${place}.md`, text);
      planted.push(...(await plant(bench, text, place)));
    }
    const outcomes: Outcome[] = [];
    for (const each of planted) outcomes.push(await bench.outcome(each));
    sums.push(await worstSum(bench, documents, Number(options.pairs) / Object.keys(corpora).length));
    return { outcomes, agreements: await bench.agreements(planted) };
  } finally {
    await bench.close();
  }
}

async function measureStore(name: keyof typeof STORES, documents: readonly string[]): Promise<Measured> {
  const bench = await MissingBench.open(withUnread(documents));
  const file = (place: number): readonly [string, string] => [`docs/text-${place}.md`, documents[place]!];
  const named = Array.from({ length: DOCUMENTS }, (_, place) => ({
    present: file(place),
    filtered: file(place + DOCUMENTS),
    missing: file(place + 2 * DOCUMENTS),
  }));
  const [filtered, missing] = (['filtered', 'missing'] as const).map(
    (kind) => new Set(named.map((each) => each[kind][0])),
  );
  const stored = (await bench.passages()).filter(({ documentId }) => !missing!.has(documentId));
  const vectors = await Vectors.of(stored, filtered!);
  const store = await STORES[name]!(vectors.passages);
  try {
    const planted: Planted[] = [];
    const sources = { store, vectors, isSingle, ranking: bench.ranking.bind(bench) };
    for (const [place, each] of named.entries()) planted.push(...(await plantInStore(place, each, sources)));
    const outcomes: Outcome[] = [];
    for (const each of planted) outcomes.push(await bench.outcome(each));
    const agreements = await bench.agreements(planted);
    await store.stop();
    ended.push(...(await bench.agreements(planted.filter(({ what }) => what === 'below k').slice(0, 1))));
    return { outcomes, agreements };
  } finally {
    await bench.close();
    await store.stop();
  }
}

/** The largest difference between the sum of the terms and the score, over random pairs of a question and a passage. */
async function worstSum(
  bench: MissingBench,
  documents: readonly string[],
  pairs: number,
): Promise<{ readonly pairs: number; readonly worst: number }> {
  const random = seededRandom(1);
  const pipeline = parsePipeline({ retriever: RETRIEVERS.words });
  let worst = 0;
  let made = 0;
  while (made < pairs) {
    const text = documents[Math.floor(random() * documents.length)]!;
    const from = Math.floor(random() * SHORTEST);
    const question = beginning(text, from, from + 1 + Math.floor(random() * QUESTION));
    for (const { id } of (await bench.candidates(question, pipeline, 100)).slice(0, pairs - made)) {
      const { arms, terms } = await bench.plain(question, pipeline, id);
      const sum = terms.reduce((total, { contribution }) => total + contribution, 0);
      worst = Math.max(worst, Math.abs(sum - arms[0]!.score!));
      made++;
    }
  }
  return { pairs: made, worst };
}

interface Times {
  /** The first explanation of a new engine, after its question was answered. */
  readonly first: Taken;
  readonly plain: readonly Taken[];
  readonly changes: readonly Taken[];
}

/** Explanations on a corpus of `passages` passages, whose words are those of the documents in another order. */
async function timed(documents: readonly string[], passages: number): Promise<Record<string, Times>> {
  const random = seededRandom(2);
  const words = documents.flatMap((text) => text.split(' '));
  const passage = (): string =>
    Array.from({ length: PASSAGE }, () => words[Math.floor(random() * words.length)]!).join(' ');
  const lines = Array.from({ length: passages }, (_, place) =>
    JSON.stringify({ id: `d${place}`, text: passage() }),
  );
  const bench = await MissingBench.open({ 'docs/all.jsonl': `${lines.join('\n')}\n` });
  try {
    const found: Record<string, Times> = {};
    for (const [name, retriever] of Object.entries(RETRIEVERS)) {
      const pipeline = parsePipeline({ retriever, k: 5 });
      const plain: Taken[] = [];
      const changes: Taken[] = [];
      for (let count = 0; count <= TIMED; count++) {
        const question = beginning(passage(), 0, QUESTION);
        const document = `d${Math.floor(random() * passages)}`;
        changes.push((await bench.panel.ask({ question, document, pipeline })).taken);
        plain.push(await takenBy(() => bench.plain(question, pipeline, document)));
      }
      found[name] = { first: changes[0]!, changes: changes.slice(1), plain: plain.slice(1) };
    }
    return found;
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

const corpora =
  options.folder.length > 0
    ? Object.fromEntries(options.folder.map((place) => [place, usable(folder(place))]))
    : { sample: usable(folder('media/sample/docs')), debate: usable(debate()) };
const sums: Awaited<ReturnType<typeof worstSum>>[] = [];
const ended: Agreement[] = [];
const rows: Record<string, Measured> = {};
for (const [name, documents] of Object.entries(corpora)) rows[name] = await measure(documents);
const largest = Object.values(corpora).reduce((a, b) => (b.length > a.length ? b : a));
for (const name of Object.keys(STORES)) rows[name] = await measureStore(name, largest.slice(0, MAX_IN_STORE));
const times = await timed(Object.values(corpora).flat(), Number(options.passages));

const all = Object.values(rows).flatMap(({ outcomes }) => outcomes);
const isRight = ({ cause, says = /(?:)/u, answer }: Outcome): boolean =>
  'cause' in answer && answer.cause === cause && says.test(answer.says);
const wrong = all.filter((outcome) => !isRight(outcome));
const right = 1 - wrong.length / all.length;
const broken = all.filter(({ holds }) => !holds);
const agreements = [...Object.values(rows).flatMap((row) => row.agreements), ...ended];
const disagreeing = agreements.filter((each) => !agree(each));
const worst = Math.max(...sums.map((each) => each.worst));
const KINDS = ['wall', 'processor'] as const;
const percentilesOf = (kind: keyof Taken, all: readonly Taken[]): Percentiles =>
  percentiles(all.map((each) => each[kind]));
const isSlow = Object.values(times).some(
  ({ plain, changes }) =>
    percentilesOf('wall', plain).p99 > BARS.plain || percentilesOf('wall', changes).p99 > BARS.changes,
);
console.log(options.json ? JSON.stringify({ right, worst, times, rows, ended }) : report());
if (right < ENOUGH || broken.length > 0 || worst > 1e-9 || disagreeing.length > 0 || isSlow)
  process.exitCode = 1;

function report(): string {
  const kinds = [...new Set(all.map(({ what }) => what))];
  const changed = all.filter(({ hasChange }) => hasChange);
  return [
    table(
      ['first cause right, of those planted', ...Object.keys(rows)],
      kinds.map((what) => [
        what,
        ...Object.values(rows).map(({ outcomes }) => {
          const own = outcomes.filter((outcome) => outcome.what === what);
          return own.length === 0 ? '–' : `${own.filter(isRight).length} of ${own.length}`;
        }),
      ]),
    ),
    '',
    `${(100 * right).toFixed(1)}% of ${all.length} first causes are right (${100 * ENOUGH}% are demanded)`,
    `${changed.length - broken.length} of ${changed.length} changes bring the document in when they are run, and none is smaller`,
    `${agreements.length - disagreeing.length} of ${agreements.length} answers are the same in the panel, on the command line and for agents`,
    ...ended.map(([first]) => `after the store has ended: ${JSON.stringify(first)}`),
    `terms add up to scores within ${worst.toExponential(1)} over ${sums.reduce((sum, { pairs }) => sum + pairs, 0)} pairs`,
    '',
    table(
      [`ms with ${options.passages} passages`, 'first', 'p50', 'p99', 'with changes: p50', 'p99'],
      Object.entries(times).flatMap(([name, { first, plain, changes }]) =>
        KINDS.map((kind) => {
          const [own, tried] = [percentilesOf(kind, plain), percentilesOf(kind, changes)];
          return [
            `${name}, ${kind}`,
            ...[first[kind], own.p50, own.p99, tried.p50, tried.p99].map(milliseconds),
          ];
        }),
      ),
    ),
    ...wrong
      .slice(0, 10)
      .map(({ what, document, answer }) => `wrong: ${what}, ${document}: ${JSON.stringify(answer)}`),
    ...broken.slice(0, 10).map(({ what, answer }) => `brings nothing in: ${what}, ${JSON.stringify(answer)}`),
    ...disagreeing.slice(0, 10).map((each) => `not the same: ${JSON.stringify(each)}`),
  ].join('\n');
}

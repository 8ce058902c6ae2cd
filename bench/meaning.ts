/**
 * What meaning adds to words: the table of docs/measured.md, the weight of meaning, and the projections of PIR with the
 * encoder that ships.
 *
 *   npm run bench -- meaning [--debatewise <file>] [--pir <file>] [--float32]
 *
 * The weight is chosen on the shared data, and reported on the debates and tasks of `--debatewise`
 * (data/raw_data/debatewise/debatewise.json of CogComp/perspectrum) and `--pir` (demo_pir_dataset.json of
 * colinzhaoust/pir). `--float32` also ranks by vectors without rounding.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildEncoder } from '../scripts/encoder.ts';
import { WEIGHT_OF_MEANING } from '../src/core/embedding/built-in.ts';
import { reciprocalRankFusion } from '../src/core/fusion.ts';
import type { Ranked } from '../src/core/model.ts';
import { DEFAULT_BM25 } from '../src/core/pipeline.ts';
import { planProjection, PROJECTION_METHODS, scoreRows } from '../src/core/projection/project.ts';
import { bootstrapIntervals } from '../src/core/statistics/bootstrap.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { seededRandom } from '../src/core/statistics/random.ts';
import { Bm25Index } from '../src/engine/bm25/bm25-index.ts';
import type { Embedder } from '../src/engine/embedders/embedder.ts';
import { HashingEmbedder } from '../src/engine/embedders/hashing-embedder.ts';
import { MeaningEmbedder } from '../src/engine/embedders/meaning-embedder.ts';
import { findShippedEncoder } from '../src/engine/encoders/shipped-encoder.ts';
import { LiveSlotSet } from '../src/engine/store/live-slots.ts';
import {
  berdsPassages,
  otherDebates,
  otherPirTasks,
  sharedDebates,
  sharedPirTasks,
  type Task,
} from './support/meaning-tasks.ts';
import { table } from './support/report.ts';

/** Candidates of each list, as in a pipeline. */
const DEPTH = 100;
const WEIGHTS = [0, 0.1, 0.2, 0.3, WEIGHT_OF_MEANING, 0.4, 0.5, 0.6, 0.7, 0.85, 1];
const SEED = 20_240_607;

const { values: options } = parseArgs({
  options: {
    debatewise: { type: 'string' },
    pir: { type: 'string' },
    float32: { type: 'boolean', default: false },
  },
});

/** Indexes of the passages, best first, for each question. */
type Rankings = readonly (readonly number[])[];
type Values = ReadonlyMap<string, readonly number[]>;

const tasks: Task[] = [
  sharedDebates(),
  ...sharedPirTasks(),
  berdsPassages(),
  ...(options.debatewise === undefined ? [] : [otherDebates(options.debatewise)]),
  ...(options.pir === undefined ? [] : otherPirTasks(options.pir)),
];
const meaning = new MeaningEmbedder();
const exact = options.float32 ? await exactEmbedder() : undefined;
const weightRows: string[][] = [];
const rivalRows: string[][] = [];
const projectionRows: string[][] = [];
const embedded = new Map<Task['passages'], Map<string, Float32Array>>();
const development: number[][] = WEIGHTS.map(() => []);

for (const task of tasks) {
  process.stderr.write(`${task.name}\n`);
  const words = await byWords(task);
  const vectors = await vectorsOf(task, meaning);
  const found = byVectors(vectors);
  const fused = WEIGHTS.map((weight) => evaluated(task, fusedBy(words, found, weight)));
  if (task.isDevelopment)
    fused.forEach((values, at) => development[at]!.push(mean([...values.values()].map(mean))));
  for (const measure of fused[0]!.keys())
    weightRows.push([label(task, measure), ...fused.map((values) => percent(mean(values.get(measure)!)))]);
  const hashed = byVectors(await vectorsOf(task, new HashingEmbedder(384)));
  const rivals: [string, Rankings][] = [
    ['hashed words', hashed],
    ['words + hashed words', fusedBy(words, hashed, 0.5)],
    ['meaning', found],
    ['words + meaning', fusedBy(words, found, WEIGHT_OF_MEANING)],
  ];
  if (exact) {
    const unrounded = byVectors(await vectorsOf(task, exact));
    rivals.push(
      ['meaning, float32', unrounded],
      ['words + meaning, float32', fusedBy(words, unrounded, WEIGHT_OF_MEANING)],
    );
  }
  rivalRows.push(...compared(task, ['words', words], rivals));
  if (task.pir)
    projectionRows.push(
      ...compared(
        task,
        ['meaning', found],
        PROJECTION_METHODS.map((method) => [method, projected(task, vectors, method)]),
      ),
    );
}

console.log(
  table(
    ['weight of meaning', ...WEIGHTS.map(String)],
    [...weightRows, ['mean of development', ...development.map((own) => percent(mean(own)))]],
  ),
);
console.log(`\n${table(['by the side of words alone', '', 'figure', 'difference'], rivalRows)}`);
console.log(`\n${table(['by the side of meaning alone', '', 'figure', 'difference'], projectionRows)}`);

function label({ name, isDevelopment }: Task, measure: string): string {
  return `${name}, ${measure}${isDevelopment ? ' (development)' : ''}`;
}

/** Rows of a figure for each ranking, with its difference to the first. */
function compared(
  task: Task,
  [name, plain]: [string, Rankings],
  others: readonly [string, Rankings][],
): string[][] {
  const before = evaluated(task, plain);
  return [...before].flatMap(([measure, values]) => [
    [label(task, measure), name, percent(mean(values)), ''],
    ...others.map(([other, rankings]) => {
      const own = evaluated(task, rankings).get(measure)!;
      const [interval] = bootstrapIntervals([own.map((value, at) => value - values[at]!)], {
        random: seededRandom(SEED),
      });
      const { difference, low, high } = interval!;
      return ['', other, percent(mean(own)), `${points(difference)} [${points(low)}, ${points(high)}]`];
    }),
  ]);
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
function points(share: number): string {
  return `${share < 0 ? '−' : ''}${percent(Math.abs(share))}`;
}

function evaluated({ questions, passages, values }: Task, rankings: Rankings): Values {
  const run = new Map(
    questions.map(({ id }, at) => [
      id,
      rankings[at]!.map((place, rank): Ranked => ({ item: passages[place]!.id, score: -rank })),
    ]),
  );
  return values(run);
}

async function byWords({ passages, questions }: Task): Promise<Rankings> {
  const { index } = await Bm25Index.open(undefined, DEFAULT_BM25.analyzer);
  const live = new LiveSlotSet();
  for (const [slot, { text }] of passages.entries()) {
    index.add(slot, text);
    live.add(slot);
  }
  await index.flush();
  return questions.map(({ text }) => index.search(text, DEFAULT_BM25, DEPTH, live).map(({ item }) => item));
}

interface Vectors {
  /** `[passages, d]` */
  readonly passages: Float32Array;
  readonly questions: readonly Float32Array[];
  /** Vectors of roots and perspectives, by text. */
  readonly parts: ReadonlyMap<string, Float32Array>;
}

async function vectorsOf(task: Task, embedder: Embedder): Promise<Vectors> {
  const embed = (text: string): Promise<Float32Array> => embedder.embedQuery(text);
  const questions: Float32Array[] = [];
  for (const { text } of task.questions) questions.push(await embed(text));
  const parts = new Map<string, Float32Array>();
  for (const { root, perspective } of task.pir ?? [])
    for (const text of [root, perspective]) parts.set(text, await embed(text));
  const passages = await passageVectors(task.passages, embedder);
  return { passages, questions, parts };
}

/** Embeds passages shared by several tasks once. */
async function passageVectors(passages: Task['passages'], embedder: Embedder): Promise<Float32Array> {
  const known = embedded.get(passages) ?? new Map<string, Float32Array>();
  embedded.set(passages, known);
  const vectors = known.get(embedder.key) ?? (await embedder.embedPassages(passages.map(({ text }) => text)));
  known.set(embedder.key, vectors);
  return vectors;
}

function byVectors({ passages, questions }: Vectors): Rankings {
  return questions.map((direction) =>
    best(scoreRows({ direction: Float64Array.from(direction), offset: 0 }, passages)),
  );
}

/** AmbigQA's perspective is the full query, so its difference to the root is used, as by its authors. */
function projected(
  { name, pir }: Task,
  { passages, questions, parts }: Vectors,
  method: (typeof PROJECTION_METHODS)[number],
): Rankings {
  return pir!.map(({ root, perspective }, at) => {
    const [query, plain, asked] = [questions[at]!, parts.get(root)!, parts.get(perspective)!];
    const direction = name.endsWith('ambigqa') ? query.map((value, i) => value - plain[i]!) : asked;
    return best(scoreRows(planProjection(method, { query, root: plain, perspective: direction }), passages));
  });
}

function best(scores: Float64Array): number[] {
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, DEPTH);
}

function fusedBy(words: Rankings, vectors: Rankings, weight: number): Rankings {
  return words.map((list, at) =>
    reciprocalRankFusion([list, vectors[at]!], { weights: [1 - weight, weight] })
      .map(({ item }) => item)
      .slice(0, DEPTH),
  );
}

async function exactEmbedder(): Promise<Embedder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'encoder-'));
  await buildEncoder(folder, 'float32');
  const embedder = new MeaningEmbedder(findShippedEncoder(folder));
  await embedder.embedQuery('The model is read.');
  await rm(folder, { recursive: true, force: true });
  return embedder;
}

/**
 * The analyzer `auto` against `english`, in real word indexes without meaning: names in code, other languages, and
 * titles and headings.
 *
 *   npm run bench -- words --xquad xquad.en.json,xquad.de.json --cosqa cosqa-dev.json --docs <files> --cranfield <folder>
 *
 * support/documents.ts says what `--docs` and `--cranfield` are.
 * XQuAD is https://github.com/google-deepmind/xquad (the questions of a paragraph look for it), CoSQA the development
 * set in https://github.com/microsoft/CodeXGLUE (the questions that a function answers look for it).
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { DEFAULT_BM25 } from '../src/core/pipeline.ts';
import { bootstrapIntervals } from '../src/core/statistics/bootstrap.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { seededRandom } from '../src/core/statistics/random.ts';
import { Bm25Index } from '../src/engine/bm25/bm25-index.ts';
import { LiveSlotSet } from '../src/engine/store/live-slots.ts';
import { cranfield, documentation, type HeadedQuestions } from './support/documents.ts';
import { table } from './support/report.ts';

const xquadSchema = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({ context: z.string(), qas: z.array(z.object({ question: z.string() })) }),
      ),
    }),
  ),
});
const cosqaSchema = z.array(z.object({ doc: z.string(), code: z.string(), label: z.number() }));
const DOCSTRING = /"""[\s\S]*?"""|'''[\s\S]*?'''/gu;
const K = 5;

/** Whether each passage found is relevant, best first. */
type Hits = readonly boolean[];
type Measure = readonly [name: string, value: (hits: Hits) => number];

const MRR: Measure = ['MRR', (hits) => (hits.includes(true) ? 1 / (hits.indexOf(true) + 1) : 0)];
const HIT: Measure = [`hit@${K}`, (hits) => Number(hits.slice(0, K).includes(true))];
const PRECISION: Measure = [`Precision@${K}`, (hits) => hits.slice(0, K).filter(Boolean).length / K];

const { values } = parseArgs({
  options: {
    xquad: { type: 'string' },
    cosqa: { type: 'string' },
    docs: { type: 'string' },
    cranfield: { type: 'string' },
  },
});
const files = values.xquad?.split(',') ?? [];
const articles = files.map((file) => xquad(file, [file]));
const analyzed = [
  ...articles,
  ...(files.length > 1 ? [xquad('all in one corpus', files)] : []),
  ...(values.cosqa === undefined ? [] : cosqa(values.cosqa)),
].map(withoutHeadings);
const headed = [
  ...(values.docs === undefined ? [] : [documentation(values.docs)]),
  ...(values.cranfield === undefined ? [] : [cranfield(values.cranfield)]),
  ...articles,
];
const columns = ['data', 'measure', 'before', 'after', 'difference'];
const analyzers: string[][] = [];
for (const set of analyzed)
  analyzers.push(...compared(set.name, [MRR, HIT], await hitsOf(set, 'english'), await hitsOf(set, 'auto')));
console.log(`english, auto\n${table(columns, analyzers)}`);
const headings: string[][] = [];
for (const set of headed)
  headings.push(
    ...compared(
      set.name,
      [MRR, PRECISION],
      await hitsOf(withoutHeadings(set), 'auto'),
      await hitsOf(set, 'auto'),
    ),
  );
console.log(`\nwithout headings, with headings\n${table(columns, headings)}`);

function compared(
  name: string,
  measures: readonly Measure[],
  before: readonly Hits[],
  after: readonly Hits[],
): string[][] {
  return measures.map(([measure, value]) => {
    const [old, own] = [before.map(value), after.map(value)];
    const [interval] = bootstrapIntervals([own.map((each, i) => each - old[i]!)], {
      random: seededRandom(1),
    });
    const { difference, low, high } = interval!;
    return [
      name,
      measure,
      percent(mean(old)),
      percent(mean(own)),
      `${percent(difference)} [${percent(low)}, ${percent(high)}]`,
    ];
  });
}

function withoutHeadings({ passages, ...set }: HeadedQuestions): HeadedQuestions {
  return { ...set, passages: passages.map(({ text }) => ({ text, headings: '' })) };
}

function xquad(name: string, paths: readonly string[]): HeadedQuestions {
  const paragraphs = paths.flatMap((path) =>
    xquadSchema
      .parse(JSON.parse(readFileSync(path, 'utf8')))
      .data.flatMap(({ title, paragraphs: own }) => own.map((paragraph) => ({ title, ...paragraph }))),
  );
  return {
    name,
    passages: paragraphs.map(({ context, title }) => ({
      text: context,
      headings: title.replaceAll('_', ' '),
    })),
    questions: paragraphs.flatMap(({ qas }, passage) =>
      qas.map(({ question }) => ({ text: question, relevant: new Set([passage]) })),
    ),
  };
}

function cosqa(path: string): HeadedQuestions[] {
  const pairs = cosqaSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const functions = [...new Set(pairs.map(({ code }) => code))];
  const questions = pairs
    .filter(({ label }) => label === 1)
    .map(({ doc, code }) => ({ text: doc, relevant: new Set([functions.indexOf(code)]) }));
  const passagesOf = (texts: readonly string[]): HeadedQuestions['passages'] =>
    texts.map((text) => ({ text, headings: '' }));
  return [
    { name: 'CoSQA', passages: passagesOf(functions), questions },
    {
      name: 'CoSQA, no docstrings',
      passages: passagesOf(functions.map((code) => code.replaceAll(DOCSTRING, ''))),
      questions,
    },
  ];
}

async function hitsOf(
  { passages, questions }: HeadedQuestions,
  analyzer: 'english' | 'auto',
): Promise<Hits[]> {
  const { index } = await Bm25Index.open(undefined, analyzer);
  const live = new LiveSlotSet();
  for (const [slot, { text, headings: own }] of passages.entries()) {
    index.add(slot, text, own);
    live.add(slot);
  }
  await index.flush();
  return questions.map(({ text, relevant }) =>
    index.search(text, DEFAULT_BM25, 100, live).map(({ item }) => relevant.has(item)),
  );
}

function percent(value: number): string {
  return (100 * value).toFixed(1);
}

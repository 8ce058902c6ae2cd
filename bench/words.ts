/**
 * The analyzer `auto` against `english`, in real word indexes without meaning: names in code, and other languages.
 *
 *   npm run bench -- words --xquad xquad.en.json,xquad.de.json --cosqa cosqa-dev.json
 *
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
import { table } from './support/report.ts';

interface Questions {
  readonly name: string;
  readonly passages: readonly string[];
  /** Each with the place of the only passage to find. */
  readonly questions: readonly { readonly text: string; readonly passage: number }[];
}

const xquadSchema = z.object({
  data: z.array(
    z.object({
      paragraphs: z.array(
        z.object({ context: z.string(), qas: z.array(z.object({ question: z.string() })) }),
      ),
    }),
  ),
});
const cosqaSchema = z.array(z.object({ doc: z.string(), code: z.string(), label: z.number() }));
const DOCSTRING = /"""[\s\S]*?"""|'''[\s\S]*?'''/gu;

const { values } = parseArgs({ options: { xquad: { type: 'string' }, cosqa: { type: 'string' } } });
const files = values.xquad?.split(',') ?? [];
const sets = [
  ...files.map((file) => xquad(file, [file])),
  ...(files.length > 1 ? [xquad('all in one corpus', files)] : []),
  ...(values.cosqa === undefined ? [] : cosqa(values.cosqa)),
];
const rows: string[][] = [];
for (const set of sets) {
  const [english, auto] = [await ranksOf(set, 'english'), await ranksOf(set, 'auto')];
  for (const [measure, gain] of [
    ['MRR', (rank: number) => 1 / rank],
    ['hit@5', (rank: number) => Number(rank <= 5)],
  ] as const) {
    const [before, after] = [english.map(gain), auto.map(gain)];
    const [interval] = bootstrapIntervals([after.map((value, i) => value - before[i]!)], {
      random: seededRandom(1),
    });
    const { difference, low, high } = interval!;
    rows.push([
      set.name,
      measure,
      percent(mean(before)),
      percent(mean(after)),
      `${percent(difference)} [${percent(low)}, ${percent(high)}]`,
    ]);
  }
}
console.log(table(['data', 'measure', 'english', 'auto', 'difference'], rows));

function xquad(name: string, paths: readonly string[]): Questions {
  const paragraphs = paths.flatMap((path) =>
    xquadSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).data.flatMap((article) => article.paragraphs),
  );
  return {
    name,
    passages: paragraphs.map(({ context }) => context),
    questions: paragraphs.flatMap(({ qas }, passage) =>
      qas.map(({ question }) => ({ text: question, passage })),
    ),
  };
}

function cosqa(path: string): Questions[] {
  const pairs = cosqaSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const functions = [...new Set(pairs.map(({ code }) => code))];
  const questions = pairs
    .filter(({ label }) => label === 1)
    .map(({ doc, code }) => ({ text: doc, passage: functions.indexOf(code) }));
  return [
    { name: 'CoSQA', passages: functions, questions },
    {
      name: 'CoSQA, no docstrings',
      passages: functions.map((code) => code.replaceAll(DOCSTRING, '')),
      questions,
    },
  ];
}

/** Infinite if the passage is not among the first 100. */
async function ranksOf({ passages, questions }: Questions, analyzer: 'english' | 'auto'): Promise<number[]> {
  const { index } = await Bm25Index.open(undefined, analyzer);
  const live = new LiveSlotSet();
  for (const [slot, text] of passages.entries()) {
    index.add(slot, text);
    live.add(slot);
  }
  await index.flush();
  return questions.map(({ text, passage }) => {
    const at = index.search(text, DEFAULT_BM25, 100, live).findIndex(({ item }) => item === passage);
    return at < 0 ? Infinity : at + 1;
  });
}

function percent(value: number): string {
  return (100 * value).toFixed(1);
}

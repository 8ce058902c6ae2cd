/** Questions with relevant passages, to choose the weight of meaning and to report it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parsePirTask, type PirQuery } from '../../src/core/formats/pir.ts';
import { parseEvalSet } from '../../src/core/formats/queries.ts';
import { parseQrels } from '../../src/core/formats/exchange/trec.ts';
import { evaluateRun } from '../../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../../src/core/metrics/measures.ts';
import type { Qrels, Query, Run } from '../../src/core/model.ts';
import { mean } from '../../src/core/statistics/mean.ts';
import { DEBATE } from './debate.ts';

const SHARED = path.dirname(DEBATE);
const K = 5;

export interface Passage {
  readonly id: string;
  readonly text: string;
}

export interface Task {
  readonly name: string;
  /** Whether the task may be used to choose the weight. */
  readonly isDevelopment: boolean;
  readonly passages: readonly Passage[];
  readonly questions: readonly Passage[];
  /** Values of each question, or of each root of PIR, by measure. */
  readonly values: (run: Run) => ReadonlyMap<string, readonly number[]>;
  readonly pir?: readonly PirQuery[];
}

/** The 178 debates with judgements; the corpus includes passages of as many others. */
export function sharedDebates(): Task {
  const { queries } = parseEvalSet(read(path.join(DEBATE, 'queries.jsonl')), 'queries.jsonl');
  const { qrels } = parseQrels(read(path.join(DEBATE, 'qrels.diversity.txt')));
  return debates('178 debates', true, queries, qrels);
}

interface Argument {
  readonly description: readonly string[];
}
interface Debate {
  readonly claim_title: string;
  readonly perspectives_for: readonly { readonly argument: Argument }[];
  readonly perspectives_against: readonly { readonly argument: Argument }[];
}

/**
 * The other debates: a passage supports the side whose list contains its argument, as in the existing judgements.
 *
 * @param file `data/raw_data/debatewise/debatewise.json` of CogComp/perspectrum
 */
export function otherDebates(file: string): Task {
  const asked = new Set(sharedDebates().questions.map(({ text }) => text));
  const others = (JSON.parse(read(file)) as Debate[]).filter(
    (debate) => !asked.has(debate.claim_title.trim()),
  );
  const letters = (text: string): string => text.replace(/\s+/gu, '');
  const sides = others.flatMap((debate) =>
    (['support', 'oppose'] as const).map((side) => ({
      id: debate.claim_title,
      side,
      text: (side === 'support' ? debate.perspectives_for : debate.perspectives_against)
        .map(({ argument }) => letters(argument.description.join('')))
        .join('\n'),
    })),
  );
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  for (const { id, text } of debatePassages()) {
    const from = sides.find((side) => side.text.includes(letters(text)));
    if (!from) continue;
    const judged =
      qrels.get(from.id) ??
      new Map([
        ['support', new Map()],
        ['oppose', new Map()],
      ]);
    qrels.set(from.id, judged);
    judged.get(from.side)!.set(id, 1);
  }
  const queries = [...qrels.keys()].map((id) => ({ id, text: id.trim() }));
  return debates(`${queries.length} other debates`, false, queries, qrels);
}

function debates(
  name: string,
  isDevelopment: boolean,
  questions: readonly Pick<Query, 'id' | 'text'>[],
  qrels: Qrels,
): Task {
  return {
    name,
    isDevelopment,
    passages: debatePassages(),
    questions,
    values: measured(qrels, ['MRecall', 'Precision']),
  };
}

let debateCorpus: readonly Passage[] | undefined;

function debatePassages(): readonly Passage[] {
  debateCorpus ??= lines<{ _id: string; text: string }>(path.join(DEBATE, 'corpus.jsonl')).map(
    ({ _id: id, text }) => ({
      id,
      text,
    }),
  );
  return debateCorpus;
}

/** GPT-4 wrote passages for each question of BERDS; the question should retrieve them. */
export function berdsPassages(): Task {
  const questions = ['arguana', 'kialo'].flatMap((name) =>
    lines<{ question: string; generated: { text: string }[] }>(
      path.join(SHARED, 'berds', `${name}.dev.jsonl`),
    ),
  );
  const own = questions.map(({ generated }, place) =>
    generated.map(({ text }, number) => ({ id: `${place}.${number}`, text })),
  );
  const qrels: Qrels = new Map(
    own.map((passages, place) => [`${place}`, new Map([['0', new Map(passages.map(({ id }) => [id, 1]))]])]),
  );
  return {
    name: `${questions.length} questions of BERDS`,
    isDevelopment: true,
    passages: own.flat(),
    questions: questions.map(({ question }, place) => ({ id: `${place}`, text: question })),
    values: measured(qrels, ['Precision']),
  };
}

export function pirTask(name: string, isDevelopment: boolean, json: string): Task {
  const { corpus, queries } = parsePirTask(json, name);
  return {
    name: `PIR, ${name}`,
    isDevelopment,
    passages: corpus,
    questions: queries,
    pir: queries,
    values: (run) => new Map([[`p-Recall@${K}`, recallOfRoots(queries, run)]]),
  };
}

export function sharedPirTasks(): Task[] {
  return ['perspectrum', 'story', 'ambigqa'].map((name) =>
    pirTask(name, true, read(path.join(SHARED, 'pir', `${name}.json`))),
  );
}

/** @param file `demo_pir_dataset.json` of colinzhaoust/pir, which has three more tasks */
export function otherPirTasks(file: string): Task[] {
  const tasks = JSON.parse(read(file)) as Record<string, unknown>;
  return ['agnews', 'allsides', 'exfever'].map((name) => pirTask(name, false, JSON.stringify(tasks[name])));
}

/** p-Recall of each root; the mean equals `perspectiveRecall`. */
function recallOfRoots(queries: readonly PirQuery[], run: Run): number[] {
  return [...Map.groupBy(queries, ({ root }) => root).values()].map((own) =>
    mean(
      own.map(({ id, gold }) =>
        Number(
          run
            .get(id)!
            .slice(0, K)
            .some(({ item }) => gold.has(item)),
        ),
      ),
    ),
  );
}

function measured(qrels: Qrels, families: readonly string[]): Task['values'] {
  const names = families.map((family) => `${family}@${K}`);
  return (run) => {
    const topics = [...evaluateRun(run, qrels, names.map(parseMeasure)).perTopic.values()];
    return new Map(names.map((name) => [name, topics.map((topic) => topic[name]!)]));
  };
}

const read = (file: string): string => readFileSync(file, 'utf8');

function lines<T>(file: string): T[] {
  return read(file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

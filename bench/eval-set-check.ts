/**
 * The check of eval sets: its power compared with simulations of the test, and planted defects in the debate data that
 * it must find, beside its findings in unchanged data sets.
 *
 *   npm run bench -- eval-set-check
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EvalSetReport } from '../src/features/eval-set-check/core/report.ts';
import { sameStatements } from '../src/features/eval-set-check/core/same-statement.ts';
import { findingsOf } from '../src/features/eval-set-check/core/wording.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { evaluateRun } from '../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../src/core/metrics/measures.ts';
import type { Qrels, Query } from '../src/core/model.ts';
import { BUILT_IN_PIPELINES, parsePipeline } from '../src/core/pipeline.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { meanTestPower, signTestPower, votesOf } from '../src/core/statistics/power.ts';
import { randomisationTests } from '../src/core/statistics/randomisation.ts';
import { analyze } from '../src/core/text/analyzer.ts';
import { ENGLISH_STOP_WORDS } from '../src/core/text/stop-words.ts';
import { checkEvalSet, WORDS_SEARCH } from '../src/engine/experiment/check-eval-set.ts';
import { DEBATE, openDebate, type Debate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { seededRandom } from './support/random.ts';
import { table } from './support/report.ts';

const BERDS = '../shared/data/berds';
const K = 5;
const LEVEL = 0.05;
const PLANTED = 100;

const KINDS = [
  'same questions',
  'same perspectives',
  'shared words',
  'unwinnable',
  'lost labels',
  'on one document',
] as const;

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const random = seededRandom(7);
const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const debate = await openDebate(store);
const { queries, qrels } = readDebate();

process.stdout.write(`${signTests()}\n\n${await meanTests()}\n\n`);
process.stdout.write(`${await asTheyAre()}\n\n${await planted()}\n`);
await debate.close();
rmSync(store, { recursive: true });

/** MRecall is 0 or 1: votes of questions are sampled and tested like the comparison. */
function signTests(): string {
  const known = new Map<string, number>();
  /** How often the test shows a difference. For many differences its signs are sampled. */
  const shownOf = (wins: number, losses: number): number => {
    const key = `${wins} ${losses}`;
    const values = [...Array<number>(wins).fill(1), ...Array<number>(losses).fill(-1)];
    const seeds = values.length > 16 ? 10 : 1;
    const share =
      known.get(key) ??
      mean(
        Array.from({ length: seeds }, (_, seed) =>
          randomisationTests([values], { random: seededRandom(seed) })[0]! <= LEVEL ? 1 : 0,
        ),
      );
    known.set(key, share);
    return share;
  };
  const rows: string[][] = [];
  let most = 0;
  for (const questions of [8, 12, 20, 30, 50, 100, 200, 400])
    for (const [difference, differing] of [
      [0.05, 0.15],
      [0.1, 0.2],
      [0.2, 0.3],
      [0.3, 0.5],
      [0.5, 0.5],
    ] as const) {
      const votes = votesOf(difference, differing);
      const stated = signTestPower(questions, votes);
      const draws = 20_000;
      let shown = 0;
      for (let draw = 0; draw < draws; draw++) {
        let [wins, losses] = [0, 0];
        for (let question = 0; question < questions; question++) {
          const at = random();
          if (at < votes.better) wins++;
          else if (at < votes.better + votes.worse) losses++;
        }
        if (wins > losses) shown += shownOf(wins, losses);
      }
      most = Math.max(most, Math.abs(stated - shown / draws));
      rows.push([
        String(questions),
        points(difference),
        points(differing),
        points(stated),
        points(shown / draws),
      ]);
    }
  return `Power of measures that are 0 or 1, stated and simulated (20,000 draws); furthest apart: ${points(most)} points\n${table(
    ['questions', 'difference', 'differing', 'stated', 'simulated'],
    rows,
  )}`;
}

/** Measures with values between 0 and 1: differences of real pipelines, resampled and shifted to a mean. */
async function meanTests(): Promise<string> {
  const measures = ['Precision@5', 'StRecall@5', 'alpha_nDCG@5', 'nDCG@5'];
  const pipelines = {
    dense: parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } }),
    MMR: parsePipeline({ retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.5 }] }),
  };
  const runOf = async (pipeline: (typeof pipelines)['dense']) =>
    evaluateRun(
      (await evaluate(debate, pipeline, queries, qrels, [], 100)).run,
      qrels,
      measures.map(parseMeasure),
      { basis: 'given' },
    ).perTopic;
  const baseline = await runOf(BUILT_IN_PIPELINES.bm25);
  const rows: string[][] = [];
  let most = 0;
  for (const [name, pipeline] of Object.entries(pipelines)) {
    const other = await runOf(pipeline);
    for (const measure of measures) {
      const own = [...baseline].map(([id, values]) => other.get(id)![measure]! - values[measure]!);
      const average = mean(own);
      const centred = own.map((value) => value - average);
      const spread = Math.sqrt(mean(centred.map((value) => value ** 2)));
      for (const questions of [12, 30, 100]) {
        const difference = (2.2 * spread) / Math.sqrt(questions);
        const stated = meanTestPower(questions, difference, own);
        const draws = 4000;
        let shown = 0;
        for (let draw = 0; draw < draws; draw++) {
          const drawn = Array.from(
            { length: questions },
            () => centred[Math.floor(random() * centred.length)]! + difference,
          );
          const [p] = randomisationTests([drawn], { random, permutations: 1000 });
          if (p! <= LEVEL && mean(drawn) > 0) shown++;
        }
        most = Math.max(most, Math.abs(stated - shown / draws));
        rows.push([`${measure}, ${name}`, String(questions), points(stated), points(shown / draws)]);
      }
    }
  }
  return `Power of other measures, on differences of pipelines (4,000 draws); furthest apart: ${points(most)} points\n${table(
    ['measure, pipeline', 'questions', 'stated', 'simulated'],
    rows,
  )}`;
}

/** Data sets without planted defects. */
async function asTheyAre(): Promise<string> {
  const report = await check(queries, qrels, debate);
  // With one passage for each perspective, its words might give it away.
  const few = new Map(
    [...qrels].map(([id, topic]) => [
      id,
      new Map([...topic].map(([name, judged]) => [name, new Map([...judged].slice(0, 1))])),
    ]),
  );
  const one = await check(queries, few, debate);
  const rows = [
    ['debates', String(queries.length), ...counts(report)],
    ['debates, one passage a perspective', String(queries.length), ...counts(one)],
  ];
  for (const name of ['kialo.dev', 'arguana.dev']) {
    const file = path.join(BERDS, `${name}.jsonl`);
    if (!existsSync(file)) continue;
    const own = parseEvalSet(readFileSync(file, 'utf8'), name).queries;
    const same = sameStatements(
      own.map(({ text }) => text),
      { inOrder: false },
    ).filter((first) => first !== undefined);
    const within = own.flatMap(({ perspectives }) =>
      sameStatements(
        perspectives.map(({ text }) => text),
        { inOrder: true },
      ).filter((first) => first !== undefined),
    );
    rows.push([
      `BERDS ${name}`,
      String(own.length),
      String(same.length),
      String(within.length),
      '',
      '',
      '',
      '',
    ]);
  }
  return `Found in data sets as they are\n${table(['data set', 'questions', ...KINDS], rows)}`;
}

function counts(report: EvalSetReport): string[] {
  const { sameQuestions, samePerspectives, sharedWords = [], unwinnable, lostLabels, onOneDocument } = report;
  const isMuch = findingsOf(report).some(({ isFault, list }) => isFault && list === onOneDocument?.queries);
  return [
    sameQuestions.length,
    samePerspectives.length,
    sharedWords.length,
    unwinnable.length,
    lostLabels.lost,
    isMuch ? onOneDocument!.queries.length : 0,
  ].map(String);
}

/** The number of random questions of the debates with each kind of defect. */
async function planted(): Promise<string> {
  const chosen = queries.toSorted(() => random() - 0.5).slice(0, PLANTED);
  const ids = new Set(chosen.map(({ id }) => id));
  const found: [kind: string, found: number, planted: number, beside: number][] = [];

  const again = chosen.map((query, place) => ({
    ...query,
    id: `${query.id}-again`,
    text: reworded(query.text, place),
  }));
  const doubled = await check(
    [...queries, ...again],
    new Map([
      ...qrels,
      ...again.map(({ id }): [string, never] => [id, qrels.get(id.slice(0, -6))! as never]),
    ]),
    debate,
  );
  const isAgain = ({ query, as }: { query: string; as: string }): boolean => query === `${as}-again`;
  found.push(['same questions', ...among(doubled.sameQuestions, isAgain)]);

  const repeated = queries.map((query, place) => {
    if (!ids.has(query.id)) return query;
    const [first] = query.perspectives;
    return {
      ...query,
      perspectives: [
        ...query.perspectives,
        { ...first!, id: 'again', text: reworded(first!.text, place % 3) },
      ],
    };
  });
  const { samePerspectives } = await check(repeated, qrels, debate);
  found.push(['same perspectives', ...among(samePerspectives, ({ perspective }) => perspective === 'again')]);

  const leaking = new Map<string, string>();
  const alone = new Map(qrels);
  const written = queries.map((query) => {
    if (!ids.has(query.id)) return query;
    const topic = qrels.get(query.id)!;
    const [perspective, judged] = [...topic][0]!;
    const passages = [...judged.keys()].filter((id) => debate.corpus.passageById(id));
    const only = passages[Math.floor(random() * passages.length)]!;
    leaking.set(query.id, only);
    alone.set(query.id, new Map([...topic, [perspective, new Map([[only, 1]])]]));
    return { ...query, text: questionFrom(debate.corpus.passageById(only)!.text) };
  });
  const { sharedWords = [] } = await check(written, alone, debate);
  found.push(['shared words', ...among(sharedWords, ({ query, passage }) => leaking.get(query) === passage)]);

  const emptied = new Map(
    [...qrels].map(([id, topic]) => [
      id,
      ids.has(id) ? new Map([...topic].map(([name, own], at) => [name, at === 0 ? new Map() : own])) : topic,
    ]),
  );
  const { unwinnable } = await check(queries, emptied, debate);
  found.push(['unwinnable', ...among(unwinnable, ({ query }) => ids.has(query))]);

  const renamed = new Map(
    [...qrels].map(([id, topic]) => [
      id,
      ids.has(id)
        ? new Map(
            [...topic].map(([name, own]) => [
              name,
              new Map([...own].map(([at, value]) => [`${at}-old`, value])),
            ]),
          )
        : topic,
    ]),
  );
  const all = [...ids].reduce(
    (sum, id) => sum + [...qrels.get(id)!.values()].reduce((n, own) => n + own.size, 0),
    0,
  );
  const { lostLabels } = await check(queries, renamed, debate);
  found.push(['lost labels', lostLabels.lost, all, 0]);

  const half = new Set(queries.filter((_, place) => place % 3 === 0).map(({ id }) => id));
  const one = debate.corpus.passageId(debate.corpus.slots()[0]!);
  const hanging = new Map(
    [...qrels].map(([id, topic]) => [
      id,
      half.has(id)
        ? new Map([...topic].map(([name, own], at) => [name, at === 0 ? new Map([[one, 1]]) : own]))
        : topic,
    ]),
  );
  const { onOneDocument } = await check(queries, hanging, debate);
  const hang = (onOneDocument?.queries ?? []).map((query) => ({ query }));
  const [hit, , beside] = among(hang, ({ query }) => half.has(query));
  found.push(['on one document', hit, half.size, beside]);

  return `Planted in ${PLANTED} of ${queries.length} debates\n${table(
    ['defect', 'found', 'planted', 'share', 'found beside them'],
    found.map(([kind, hits, count, others]) => [
      kind,
      String(hits),
      String(count),
      points(hits / count),
      String(others),
    ]),
  )}`;
}

function among<T>(all: readonly T[], isPlanted: (one: T) => boolean): [number, number, number] {
  const hits = all.filter(isPlanted).length;
  return [hits, PLANTED, all.length - hits];
}

/** Paraphrases as people write them: other case, a word before, another number of a noun, another order. */
function reworded(text: string, place: number): string {
  const bare = text.replace(/[.?!]$/u, '');
  const words = bare.split(' ');
  const half = words.length >> 1;
  return [
    `${bare.toUpperCase()} !`,
    `So, ${bare}?`,
    bare.replace(/(?<=[a-rt-z])$/u, 's'),
    [...words.slice(half), ...words.slice(0, half)].join(' '),
  ][place % 4]!;
}

/** A question made of most words of the passage's longest sentence. */
function questionFrom(text: string): string {
  const sentences = text.split(/(?<=[.?!])\s+/u);
  const longest = sentences.toSorted((a, b) => b.length - a.length)[0]!;
  const kept = longest
    .split(' ')
    .filter((word) => ENGLISH_STOP_WORDS.has(word.toLowerCase()) || random() > 0.1);
  const content = new Set(analyze(kept.join(' '), 'english'));
  return content.size >= 4 ? `Why is it that ${kept.join(' ')}` : `Why is it that ${longest}`;
}

async function check(
  asked: readonly Query[],
  given: Qrels,
  { corpus, experiments, judgementService }: Debate,
): Promise<EvalSetReport> {
  const dataset = { name: 'debates', corpus: corpus.ref.name, queries: asked, qrels: given };
  const request = { datasets: [dataset], pipelines: [WORDS_SEARCH], k: K, judge: undefined, beyond: {} };
  const [report] = await experiments.run(request, {}, (ran) =>
    checkEvalSet(ran, { judgementService, k: K }, {}),
  );
  return report!;
}

function readDebate(): { readonly queries: readonly Query[]; readonly qrels: Qrels } {
  const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
  return {
    queries: parseEvalSet(read('queries.jsonl'), 'queries.jsonl').queries,
    qrels: parseQrels(read('qrels.diversity.txt')).qrels,
  };
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}

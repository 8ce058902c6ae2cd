/** What is asked for figures and what is reported, on rankings by hand and with a scripted judge. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  judgeFigures,
  openFigures,
  type FigureOptions,
  type FigureQuery,
  type FigureReport,
} from '../../../src/engine/experiment/judge-figures.ts';
import type { ViewNeeds } from '../../../src/engine/experiment/view-needs.ts';
import { Budget } from '../../../src/engine/judgements/budget.ts';
import type { JudgingTask, QueryPair } from '../../../src/engine/judgements/judgement-service.ts';
import type { Judge, JudgeOptions, JudgeReport } from '../../../src/engine/judges/judge.ts';
import type { WorkOptions } from '../../../src/engine/types.ts';
import '../../fixtures/built.ts';
import { QUERY } from './support.ts';

/** Pairs are written `slot perspective`. */
interface Desk {
  readonly rankings: readonly (readonly number[])[];
  readonly needs?: ViewNeeds;
  /** Cached answers, by verdict. */
  readonly known?: Readonly<Record<string, 'yes' | 'no'>>;
  /** Pairs that the judge answers with yes. */
  readonly yes?: readonly string[];
  /** Pairs with an unreadable answer, and the reason. */
  readonly unreadable?: Readonly<Record<string, string>>;
  readonly failing?: (pair: string) => boolean;
  /** Slots with answers that were paid for earlier. */
  readonly cached?: readonly number[];
  /** Slots without a text. */
  readonly gone?: readonly number[];
  readonly byPassage?: boolean;
  /** Called before the judge answers. */
  readonly onAsked?: (options: JudgeOptions) => void;
}

const nameOf = ({ passage, perspective }: QueryPair): string => `${passage.slot} ${perspective.id}`;

/** A text whose length is its slot. */
const textOf = (slot: number): string => 'x'.repeat(slot);

interface Asked {
  readonly query: FigureQuery;
  /** The pairs that the judge was asked about, by round. */
  readonly rounds: readonly (readonly string[])[];
  /** The number of lookups of known judgements. */
  readonly looked: () => number;
}

function asked(desk: Desk): Asked {
  const { rankings, needs, known = {}, gone = [], byPassage = false } = desk;
  const rounds: string[][] = [];
  let looked = 0;
  const labels = {
    judge: { byPassage } as Judge,
    known: ({ passages }: JudgingTask) => {
      looked++;
      const slots = new Set(passages.map(({ slot }) => slot));
      return Promise.resolve(
        Object.entries(known)
          .map(([pair, verdict]) => ({ pair: pair.split(' '), judgement: { verdict } }))
          .map(({ pair: [slot, perspectiveId], ...rest }) => ({ slot: Number(slot), perspectiveId, ...rest }))
          .filter(({ slot }) => slots.has(slot)),
      );
    },
    judgePairs: (
      pairs: readonly QueryPair[],
      onJudgement: NonNullable<JudgeOptions['onJudgement']>,
      options: JudgeOptions,
    ) => {
      const round: string[] = [];
      rounds.push(round);
      desk.onAsked?.(options);
      return Promise.resolve(answer(desk, pairs, onJudgement, options, round));
    },
  };
  const index = {
    passages: (slots: readonly number[]) =>
      slots.map((slot) => ({ slot, id: `p${slot}`, text: gone.includes(slot) ? '' : textOf(slot) })),
  };
  const query = { index, labels, query: QUERY, rankings, needs } as unknown as FigureQuery;
  return { query, rounds, looked: () => looked };
}

/** Ten prompt tokens and one completion token for each pair. */
function answer(
  { yes = [], unreadable = {}, failing = () => false, cached = [] }: Desk,
  pairs: readonly QueryPair[],
  onJudgement: NonNullable<JudgeOptions['onJudgement']>,
  { isAnswered, onRequest }: JudgeOptions,
  round: string[],
): Pick<JudgeReport, 'failed' | 'requests' | 'tokens' | 'error'> {
  const failed: string[] = [];
  for (const [place, pair] of pairs.entries()) {
    if (isAnswered!(place)) break;
    const name = nameOf(pair);
    round.push(name);
    if (!cached.includes(pair.passage.slot)) onRequest!();
    if (failing(name)) {
      failed.push(name);
      continue;
    }
    const reason = unreadable[name];
    const verdict = reason === undefined ? (yes.includes(name) ? 'yes' : 'no') : 'unsure';
    const judgement = { verdict, rationale: reason, cost: { requests: 1 } } as unknown as Parameters<
      typeof onJudgement
    >[1];
    const isCached = cached.includes(pair.passage.slot);
    onJudgement(place, judgement, { cached: isCached, unparsable: reason !== undefined });
  }
  const error = failed[0] && new ParallaxError('model-unreachable', `${failed[0]} got no answer.`);
  const tokens = { prompt: 10 * round.length, completion: round.length };
  return { failed: failed.length, requests: round.length, tokens, ...(error ? { error } : {}) };
}

interface Judged {
  readonly report: FigureReport;
  readonly rounds: Asked['rounds'];
}

async function judged(
  desk: Desk,
  options: Partial<FigureOptions> = {},
  work: WorkOptions = {},
): Promise<Judged> {
  const { query, rounds } = asked(desk);
  const wanted: FigureOptions = { cutoffs: [2], scope: 'everything', ...options };
  return { report: await judgeFigures([query], wanted, work), rounds };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const ofAll = (slots: readonly number[]): string[] => slots.flatMap((slot) => [`${slot} a`, `${slot} b`]);

test('known, answered and unreadable pairs are counted, and the cutoff is kept', async () => {
  const unreadable = { '2 a': 'No verdict.', '2 b': 'No sense.' };
  const desk: Desk = { rankings: [[1, 2, 3]], known: { '1 a': 'no' }, yes: ['1 b'], unreadable };
  const { report, rounds } = await judged(desk, { cutoffs: [1, 2] });
  assert.deepEqual(rounds, [['1 b', '2 a', '2 b']]);
  assert.deepEqual(report, {
    pairs: 4,
    known: 1,
    asked: 3,
    answered: 1,
    failed: 0,
    unreadable: 2,
    requests: 3,
    tokens: 33,
    saved: 0,
    settled: 0,
    queries: 1,
    // The second passage may support one perspective or both.
    mayRise: { 'MRecall@1': 0, 'Precision@1': 0, 'MRecall@2': 1, 'Precision@2': 0.5 },
    stopped: false,
    unreadableReason: 'No verdict.',
  });
});

test('a settled report has no figures that may rise, and a sufficient budget does not stop it', async () => {
  const desk: Desk = { rankings: [[1, 2]], known: { '1 a': 'yes' } };
  const { report } = await judged(desk, { budget: new Budget({ requests: 3 }) });
  assert.deepEqual(report, {
    ...{ pairs: 4, known: 1, asked: 3, answered: 3, failed: 0, unreadable: 0, requests: 3, tokens: 33 },
    ...{ saved: 0, settled: 1, queries: 1, stopped: false },
  });
});

test('answers that were paid for earlier use no budget', async () => {
  const desk: Desk = { rankings: [[1, 2, 3]], cached: [1] };
  const { report, rounds } = await judged(desk, { cutoffs: [3], budget: new Budget({ requests: 2 }) });
  assert.deepEqual(rounds, [['1 a', '1 b', '2 a', '2 b']]);
  assert.deepEqual([report.stopped, report.answered, report.settled], [true, 4, 0]);
});

test('failed pairs are counted, with the first error', async () => {
  const { report } = await judged({ rankings: [[1, 2]], failing: (pair) => pair.endsWith('b') });
  assert.deepEqual([report.asked, report.answered, report.failed], [4, 2, 2]);
  assert.equal(report.error?.message, '1 b got no answer.');
});

test('figures that may rise are means over queries, of the least judged pipeline', async () => {
  const rankings = [
    [1, 2],
    [3, 4],
  ];
  const first = { '1 a': 'yes', '1 b': 'yes', '2 a': 'no', '2 b': 'no' } as const;
  const second = { '1 a': 'yes', '3 a': 'no', '3 b': 'no' } as const;
  const queries = [asked({ rankings, known: first }).query, asked({ rankings, known: second }).query];
  const budget = new Budget({ requests: 0 });
  const report = await judgeFigures(queries, { cutoffs: [1, 2], scope: 'figures', budget }, {});
  assert.deepEqual(report.mayRise, {
    'MRecall@1': 0.5,
    'Precision@1': 0.5,
    'MRecall@2': 1,
    'Precision@2': 0.75,
  });
  assert.deepEqual([report.pairs, report.known, report.queries, report.stopped], [16, 7, 2, true]);
});

test('a passage without a text is not asked about and supports nothing', async () => {
  const desk: Desk = { rankings: [[1, 2]], gone: [2], yes: ['1 a'] };
  const { report, rounds } = await judged(desk, { scope: 'figures' });
  assert.deepEqual(rounds.flat(), ['1 a', '1 b']);
  assert.deepEqual([report.pairs, report.answered, report.settled], [4, 2, 1]);
});

test('pairs of views are asked with everything, down to the first support, and not with figures', async () => {
  const needs: ViewNeeds = { whole: [[2, 20]], firsts: [[1, ...numbers(6, 12)]] };
  const desk: Desk = { rankings: [[1, 2, 3]], needs, yes: ['7 a'] };
  const all = await judged(desk);
  assert.deepEqual(all.rounds, [
    [...ofAll([1, 2, 20]), ...['6 a', '7 a', '8 a', '9 a'], ...['6 b', '7 b', '8 b', '9 b']],
    ['10 b', '11 b', '12 b'],
  ]);
  // Whether the last three support "a" need not be known.
  const { pairs, answered, saved, settled } = all.report;
  assert.deepEqual({ pairs, answered, saved, settled }, { pairs: 20, answered: 17, saved: 3, settled: 1 });
  const figures = await judged(desk, { scope: 'figures' });
  assert.deepEqual([figures.report.pairs, figures.report.settled], [4, 1]);
  assert.deepEqual(figures.rounds.flat().sort(), ofAll([1, 2]));
});

test('by passage, pairs of views are asked with the rest of their passage', async () => {
  const needs: ViewNeeds = { whole: [], firsts: [numbers(1, 8)] };
  const desk: Desk = { rankings: [[1]], needs, yes: ['3 a'], byPassage: true };
  const { rounds } = await judged(desk, { cutoffs: [1] });
  assert.deepEqual(
    rounds.map((round) => [...round].sort()),
    [ofAll(numbers(1, 5)), ofAll(numbers(6, 8))],
  );
});

test('by passage, a failed pair that was not needed leaves nothing open and is not asked again', async () => {
  const needs: ViewNeeds = { whole: [], firsts: [numbers(1, 8)] };
  const desk: Desk = { rankings: [[1]], needs, byPassage: true, failing: (pair) => pair === '6 a' };
  const settled = await judged({ ...desk, yes: ['3 a'] }, { cutoffs: [1] });
  assert.deepEqual([settled.report.failed, settled.report.settled], [1, 1]);
  // The first five of "b" are known, so it is ahead of "a", which reaches the sixth later.
  const known = Object.fromEntries(numbers(1, 5).map((slot) => [`${slot} b`, 'no' as const]));
  const open = await judged({ ...desk, known }, { cutoffs: [1] });
  assert.deepEqual([open.report.failed, open.report.settled], [1, 0]);
  assert.equal(open.rounds.flat().filter((pair) => pair === '6 a').length, 1);
});

test('by passage, a silent judge is not asked on, and a sufficient budget asks all at once', async () => {
  const failing = (): boolean => true;
  const known = Object.fromEntries(ofAll(numbers(21, 30)).map((pair) => [pair, 'no' as const]));
  const passages = async (requests: number): Promise<number> => {
    const desk: Desk = { rankings: [numbers(1, 30)], known, failing, byPassage: true };
    const budget = new Budget({ requests });
    const { rounds } = await judged(desk, { cutoffs: [30], scope: 'figures', budget });
    return rounds.flat().length / 2;
  };
  assert.equal(await passages(40), 16);
  assert.equal(await passages(41), 20);
});

test('progress counts open pairs, and notes of the judge are passed on', async () => {
  const said: unknown[] = [];
  const desk: Desk = {
    rankings: [[1]],
    known: { '1 a': 'no' },
    onAsked: ({ onProgress }) => {
      onProgress!({ done: 7, total: 9, detail: 'It waits.' });
      onProgress!({ done: 8, total: 9 });
    },
  };
  await judged(desk, { cutoffs: [1] }, { onProgress: (progress) => said.push(progress) });
  assert.deepEqual(said, [
    { done: 0, total: 1, detail: 'It waits.' },
    { done: 1, total: 1 },
  ]);
});

test('a cancelled run looks nothing up, and cancelling while the judge answers ends it', async () => {
  const { query, looked } = asked({ rankings: [[1]] });
  const wanted: FigureOptions = { cutoffs: [1], scope: 'figures' };
  await assert.rejects(judgeFigures([query], wanted, { signal: AbortSignal.abort() }), { id: 'cancelled' });
  assert.equal(looked(), 0);
  const abort = new AbortController();
  const desk: Desk = { rankings: [[1]], onAsked: () => abort.abort() };
  await assert.rejects(judged(desk, {}, { signal: abort.signal }), { id: 'cancelled' });
});

test('the number of open pairs and passages is announced first, with the mean length', async () => {
  const known = { '1 a': 'yes', '1 b': 'no', '3 a': 'no' } as const;
  const { query, rounds } = asked({ rankings: [[1, 3, 5, 9]], known });
  const other = asked({ rankings: [[4, 2]], known: { '2 b': 'no' } }).query;
  assert.deepEqual(await openFigures([query, other], { cutoffs: [1, 3], scope: 'figures' }), {
    ...{ pairs: 10, known: 4, passages: 4 },
    passageLength: (3 + 5 + 4 + 2) / 4,
  });
  const answered = asked({ rankings: [[1]], known }).query;
  assert.deepEqual(await openFigures([answered], { cutoffs: [1], scope: 'everything' }), {
    ...{ pairs: 2, known: 2, passages: 0, passageLength: 0 },
  });
  assert.deepEqual(rounds, []);
});

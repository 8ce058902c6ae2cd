/** What a judge is asked before it is compared with people's labels, its cost, and the figures that are corrected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TwoOpinions } from '../../../src/core/metrics/corrected.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import type { Qrels } from '../../../src/core/model.ts';
import type { CollectedJudgements } from '../../../src/engine/experiment/collected-judgements.ts';
import {
  correctedOf,
  validationPairs,
  judgeLabelled,
  NO_VALIDATION,
} from '../../../src/engine/experiment/correction.ts';
import type { FigureQuery } from '../../../src/engine/experiment/judge-figures.ts';
import type { PipelineRuns, SlotRun } from '../../../src/engine/experiment/pipeline-runs.ts';
import { Budget } from '../../../src/engine/judgements/budget.ts';
import type { QueryPair } from '../../../src/engine/judgements/judgement-service.ts';
import '../../fixtures/built.ts';
import { QUERY } from './support.ts';

interface Desk {
  /** Passages in the order of the pipelines' rankings. One without text is deleted from the corpus. */
  readonly rankings: readonly (readonly number[])[];
  readonly gone?: readonly number[];
  /** Known judgements: slot and source. */
  readonly known: readonly (readonly [number, 'human' | 'imported' | 'llm'])[];
  /** Cached answers of the judge, as `slot perspective`. */
  readonly answered?: readonly string[];
  readonly hasJudge?: boolean;
  /** By slot: answers from the cache, and unreadable answers. */
  readonly cached?: readonly number[];
  readonly unparsable?: readonly number[];
}

function queryOf({
  rankings,
  gone = [],
  known,
  answered = [],
  hasJudge = true,
  cached = [],
  unparsable = [],
}: Desk): {
  readonly query: FigureQuery;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const nameOf = ({ passage, perspective }: QueryPair): string => `${passage.slot} ${perspective.id}`;
  const labels = {
    judge: hasJudge ? {} : undefined,
    known: ({ passages }: { passages: readonly { slot: number }[] }) =>
      Promise.resolve(
        known
          .filter(([slot]) => passages.some((passage) => passage.slot === slot))
          .map(([, source]) => ({ judgement: { source } })),
      ),
    answered: () =>
      Promise.resolve(
        answered
          .map((pair) => pair.split(' '))
          .map(([slot, perspectiveId]) => ({ slot: Number(slot), perspectiveId })),
      ),
    judgePairs: (
      pairs: readonly QueryPair[],
      onJudgement: (pair: QueryPair, judgement: object, how: object) => void,
      { isAnswered, onRequest }: { isAnswered: () => boolean; onRequest: () => void },
    ) => {
      for (const pair of pairs) {
        if (isAnswered()) break;
        asked.push(nameOf(pair));
        const { slot } = pair.passage;
        if (!cached.includes(slot)) onRequest();
        onJudgement(
          pair,
          { cost: { requests: 1 } },
          { cached: cached.includes(slot), unparsable: unparsable.includes(slot) },
        );
      }
      return Promise.resolve({ requests: asked.length, tokens: { prompt: 100, completion: 10 } });
    },
  };
  const index = {
    passages: (slots: readonly number[]) =>
      slots.map((slot) => ({ slot, text: gone.includes(slot) ? '' : `Passage ${slot}.` })),
  };
  return { query: { index, labels, query: QUERY, rankings } as unknown as FigureQuery, asked };
}

const pairsOf = async (desk: Desk, k: number): Promise<string[]> =>
  (await validationPairs([queryOf(desk).query], k)).map(
    ({ passage, perspective }) => `${passage.slot} ${perspective.id}`,
  );

test('pairs of the top k of any pipeline are open if people labelled one of them', async () => {
  const rankings = [
    [1, 2, 3],
    [2, 4, 5],
  ];
  const labelled: Desk = { rankings, known: [[1, 'human']] };
  assert.deepEqual(await pairsOf(labelled, 2), ['1 a', '1 b', '2 a', '2 b', '4 a', '4 b']);
  assert.deepEqual(await pairsOf({ rankings, known: [[4, 'imported']] }, 1), [], 'it is below k');
  assert.deepEqual(await pairsOf({ rankings, known: [[2, 'imported']] }, 1), ['1 a', '1 b', '2 a', '2 b']);
});

test('pairs with only judges’ verdicts, answered pairs and deleted passages are not open', async () => {
  const rankings = [[1, 2]];
  assert.deepEqual(await pairsOf({ rankings, known: [[1, 'llm']] }, 2), []);
  assert.deepEqual(await pairsOf({ rankings, known: [] }, 2), []);
  const both: Desk['known'] = [
    [1, 'llm'],
    [1, 'human'],
  ];
  assert.deepEqual(await pairsOf({ rankings, known: both, answered: ['1 a', '2 b'] }, 2), ['1 b', '2 a']);
  assert.deepEqual(await pairsOf({ rankings, known: both, gone: [2] }, 2), ['1 a', '1 b']);
});

test('the judge is asked within the budget; cached answers are free, unreadable ones do not count', async () => {
  const desk: Desk = { rankings: [[1, 2, 3]], known: [[1, 'human']], cached: [1], unparsable: [2] };
  const { query, asked } = queryOf(desk);
  const budget = new Budget({ requests: 3 });
  const report = await judgeLabelled([query], { k: 3, budget }, {});
  assert.deepEqual(asked, ['1 a', '1 b', '2 a', '2 b', '3 a']);
  assert.deepEqual(report, { held: 3, requests: 5, tokens: 110 });
  assert.deepEqual(budget.spent, { requests: 3, tokens: 0 });
});

test('nothing is asked without a judge, questions or open pairs', async () => {
  const judged = (desk: Desk): ReturnType<typeof judgeLabelled> =>
    judgeLabelled([queryOf(desk).query], { k: 2, budget: new Budget() }, {});
  const known: Desk['known'] = [[1, 'human']];
  assert.equal(await judged({ rankings: [[1]], known, hasJudge: false }), NO_VALIDATION);
  assert.equal(await judged({ rankings: [[1]], known, answered: ['1 a', '1 b'] }), NO_VALIDATION);
  assert.equal(await judgeLabelled([], { k: 2, budget: new Budget() }, {}), NO_VALIDATION);
});

test('a run cancelled while the judge answers ends as cancelled', async () => {
  const { query } = queryOf({ rankings: [[1]], known: [[1, 'human']] });
  const signal = AbortSignal.abort();
  await assert.rejects(judgeLabelled([query], { k: 1, budget: new Budget() }, { signal }), {
    id: 'cancelled',
  });
});

test('labelled figures are corrected, with differences to the baseline for the other pipelines', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `q${at}`);
  // People and the judge agree that passage 1 supports and passage 2 does not.
  const verdicts: Qrels = new Map(
    ids.map((id) => [
      id,
      new Map([
        [
          'a',
          new Map([
            ['1', 1],
            ['2', 0],
          ]),
        ],
      ]),
    ]),
  );
  const opinions: TwoOpinions = { annotators: verdicts, judge: verdicts, chances: new Map(), basis: 'open' };
  const named = (run: SlotRun): object =>
    new Map([...run].map(([id, slots]) => [id, slots.map((slot) => ({ item: String(slot) }))]));
  const judgements = { named, opinions } as unknown as CollectedJudgements;
  const finding = (slot: number): PipelineRuns =>
    ({ questions: new Map(ids.map((id) => [id, [slot]])) }) as unknown as PipelineRuns;
  const [best, worst] = [finding(1), finding(2)];
  const measures = [parseMeasure('MRecall@1')];
  const corrected = (baseline: PipelineRuns | undefined): ReturnType<typeof correctedOf> =>
    correctedOf(best, measures, { judgements }, baseline);
  assert.equal(corrected(worst)!.figures['MRecall@1']!.value, 1);
  assert.equal(corrected(worst)!.differences!['MRecall@1']!.value, 1);
  assert.equal(corrected(best)!.figures['MRecall@1']!.value, 1);
  assert.deepEqual([corrected(best)!.differences, corrected(undefined)!.differences], [undefined, undefined]);
  const unlabelled = { judgements: { named } as unknown as CollectedJudgements };
  assert.equal(correctedOf(best, measures, unlabelled, worst), undefined);
});

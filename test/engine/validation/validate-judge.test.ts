import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { Judgement } from '../../../src/core/model.ts';
import type { ReferenceSet } from '../../../src/features/validation/core/reference-set.ts';
import { validateJudges } from '../../../src/features/validation/engine/validate-judge.ts';
import { emptyTally, type Judge, type JudgePair } from '../../../src/engine/judges/judge.ts';
import type { Progress } from '../../../src/shared/requests/progress.ts';
import { validationReportSchema } from '../../../src/features/validation/core/report.ts';

const set: ReferenceSet = {
  pairs: Array.from({ length: 20 }, (_, index) => ({
    item: String(index),
    passage: `Passage ${index}.`,
    perspective: 'It is.',
    question: 'Is it?',
    verdict: index < 5 ? 'yes' : 'no',
  })),
  votes: [],
  warnings: ['Line 3: bad; skipped.'],
};

/** A judge whose answers come from a function. It fails if there is no answer. */
function judgeThat(
  answer: (pair: JudgePair, index: number) => Partial<Judgement> | undefined,
  name = 'scripted',
): Judge {
  return {
    name,
    label: name,
    source: 'llm',
    expense: 'paid',
    heuristic: false,
    key: name,
    judge: async (pairs, { signal, onJudgement, onProgress } = {}) => {
      const tally = emptyTally();
      for (const [index, pair] of pairs.entries()) {
        if (signal?.aborted) break;
        const given = answer(pair, index);
        if (given)
          onJudgement?.(
            index,
            {
              verdict: 'no',
              evidence: [],
              source: 'llm',
              judge: name,
              standard: 'berds-1',
              at: '',
              ...given,
            },
            { unparsable: false, cached: false },
          );
        else tally.error ??= new ParallaxError('model-answer', 'It would not.');
        onProgress?.({ done: index + 1, total: pairs.length });
      }
      return tally;
    },
  };
}

const toValidate = (judge: Judge) => ({ judge, repeated: () => ({ judge }) });

test('progress counts over all judges and repeats, and names the judge', async () => {
  const seen: Progress[] = [];
  await validateJudges(
    {
      set,
      judges: [toValidate(judgeThat(() => ({}), 'a')), toValidate(judgeThat(() => ({}), 'b'))],
      repeats: 2,
    },
    { onProgress: (progress) => seen.push(progress) },
  );
  assert.deepEqual(
    seen.map(({ done }) => done),
    Array.from({ length: 80 }, (_, index) => index + 1),
  );
  assert.ok(seen.every(({ total }) => total === 80));
  assert.deepEqual([...new Set(seen.map(({ detail }) => detail))], ['a', 'b']);
});

test('cancelling ends it at once, as cancelled', async () => {
  const controller = new AbortController();
  let asked = 0;
  let runs = 0;
  const scripted = judgeThat(() => {
    if (++asked === 3) controller.abort();
    return {};
  });
  const judge: Judge = {
    ...scripted,
    judge: (pairs, options) => {
      runs++;
      return scripted.judge(pairs, options);
    },
  };
  await assert.rejects(
    validateJudges({ set, judges: [toValidate(judge)], repeats: 5 }, { signal: controller.signal }),
    (error) => ParallaxError.is(error, 'cancelled'),
  );
  assert.deepEqual([asked, runs], [3, 1]);
});

test('cost and latency per judgement: mean, median and 95th percentile', async () => {
  const judge = judgeThat((_, index) => ({
    cost: { requests: 2, promptTokens: 100 + index, completionTokens: 10, milliseconds: index * 10 },
  }));
  const { judges } = await validateJudges({ set, judges: [toValidate(judge)] });
  const { cost, latency } = judges[0]!;
  assert.deepEqual(cost, { asked: 20, cached: 0, requests: 2, promptTokens: 109.5, completionTokens: 10 });
  assert.equal(latency.median, 95);
  assert.ok(Math.abs(latency.p95! - 180.5) < 1e-9);
  const silent = await validateJudges({ set, judges: [toValidate(judgeThat(() => ({})))] });
  assert.deepEqual([silent.judges[0]?.latency.median, silent.judges[0]?.cost.requests], [null, null]);
  assert.ok(silent.judges[0]!.latency.amortised! >= 0);
});

test('judges get the question, and no pairs on which the reference is unsure', async () => {
  const asked: JudgePair[] = [];
  const unsure = {
    ...set,
    pairs: set.pairs.map((pair, i) => (i < 3 ? { ...pair, verdict: 'unsure' as const } : pair)),
  };
  const judge = judgeThat((pair) => {
    asked.push(pair);
    return {};
  });
  const { labels } = await validateJudges({ set: unsure, judges: [toValidate(judge)] });
  assert.equal(asked.length, 17);
  assert.equal(asked[0]?.question, 'Is it?');
  assert.deepEqual([labels.pairs, labels.yes, labels.no, labels.unsure], [17, 2, 15, 3]);
});

test('a judge that fails on some or all pairs is reported with the others', async () => {
  const half = judgeThat((_, index) => (index % 2 === 0 ? { verdict: 'yes' } : undefined), 'half');
  const dead = judgeThat(() => undefined, 'dead');
  const report = await validateJudges({ set, judges: [toValidate(half), toValidate(dead)] });
  assert.deepEqual(
    report.judges.map(({ judge, pairs, failed, accuracy, error }) => [judge, pairs, failed, accuracy, error]),
    [
      ['half', 10, 10, 0.3, 'It would not.'],
      ['dead', 0, 20, null, 'It would not.'],
    ],
  );
  assert.deepEqual(report.judges[1]?.intervals.accuracy, null);
  assert.deepEqual(report.warnings, set.warnings);
});

test('the report matches its schema', async () => {
  const report = await validateJudges({ set, judges: [toValidate(judgeThat(() => ({ verdict: 'yes' })))] });
  assert.deepEqual(validationReportSchema.parse(report), report);
  const [judge] = report.judges;
  // Always yes is no better than guessing yes.
  assert.deepEqual(judge?.chance, { accuracy: 0.25, f1: 0.4 });
  assert.deepEqual([judge.accuracy, judge.f1, judge.kappa], [0.25, 0.4, 0]);
});

test('escalated or unsure answers of a reference give no labels, and its adjudicator’s do', async () => {
  const reference = judgeThat((_, index) => {
    if (index < 4) return { verdict: 'unsure', escalated: 'human' };
    return index < 6 ? { verdict: 'yes', escalated: 'adjudicator' } : { verdict: 'no' };
  });
  const { labels } = await validateJudges({ set, judges: [toValidate(judgeThat(() => ({})))], reference });
  assert.deepEqual([labels.pairs, labels.yes, labels.unsure, labels.unlabelled], [16, 2, 4, 0]);
});

test('joint errors of judges, repeats and agents are shown, or why they cannot be compared', async () => {
  const wrongOn = (name: string, wrong: readonly number[], more: Partial<Judge> = {}): Judge => ({
    ...judgeThat((_, index) => {
      const isYes = index < 5 !== wrong.includes(index);
      const label = isYes ? 'yes' : 'no';
      const turn = { label, initialStance: 'yes', model: '', argument: '', evidence: [] } as const;
      const other = { ...turn, label: index < 5 ? 'yes' : 'no' } as const;
      return { verdict: label, debate: { rounds: [[turn, other]] } };
    }, name),
    ...more,
  });
  const berds = wrongOn('a', [0, 7, 8], { standard: 'berds-1' });
  const report = await validateJudges({
    set,
    judges: [
      berds,
      wrongOn('b', [0, 7, 9], { discardsWith: ['a', 'c'] }),
      wrongOn('c', [0, 1], { standard: 'strict-1' }),
      { ...berds, name: 'a again' },
    ].map(toValidate),
    repeats: 2,
  });
  const found = report.together.map(({ of, judges, pairs, support, none }) => ({
    who: `${of} ${judges.join(' ')}`,
    pairs,
    both: [support.both, none.both],
    one: [support.first + support.second, none.first + none.second],
  }));
  assert.deepEqual(found.slice(0, 4), [
    { who: 'judges a b', pairs: 20, both: [1, 1], one: [0, 2] },
    { who: 'repeats a', pairs: 20, both: [1, 2], one: [0, 0] },
    { who: 'agents a', pairs: 20, both: [0, 0], one: [1, 2] },
    { who: 'judges b c', pairs: 20, both: [1, 0], one: [1, 2] },
  ]);
  assert.deepEqual(
    report.warnings.slice(1).map((warning) => warning.slice(0, 60)),
    [
      '"a" and "c" apply different support standards (berds-1 and s',
      '"a" and "a again" are the same model with the same prompt: b',
      '"c" and "a again" apply different support standards (strict-',
    ],
  );
  assert.deepEqual(report.filters, [], 'its cheap judges were not compared');
  validationReportSchema.parse(report);

  const sifting = await validateJudges({
    set,
    judges: [berds, wrongOn('c', [0, 1]), wrongOn('sift', [], { discardsWith: ['a', 'c'] })].map(toValidate),
  });
  assert.deepEqual(sifting.filters, [
    { judge: 'sift', cheap: ['a', 'c'], lost: 1 / 5, ifIndependent: (1 / 5) * (2 / 5) },
  ]);
});

test('labels of one kind are reported to show half of the errors', async () => {
  const only = (verdict: 'yes' | 'no') =>
    validateJudges({
      set: { ...set, warnings: [], pairs: set.pairs.map((pair) => ({ ...pair, verdict })) },
      judges: [toValidate(judgeThat(() => ({})))],
    });
  assert.match(
    (await only('yes')).warnings.join(),
    /^All 20 labelled pairs say yes, so there is no way to see/,
  );
  assert.match(
    (await only('no')).warnings.join(),
    /^All 20 labelled pairs say no, so there is no way to see/,
  );
});

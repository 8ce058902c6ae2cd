/** Whether enough pairs of a view are judged for a figure, on rankings by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SET_SIZE_DEPTH } from '../../../src/core/analysis/set-size.ts';
import type { Query } from '../../../src/core/model.ts';
import type { Analysed } from '../../../src/engine/experiment/analyses.ts';
import { isRefused, judgedForms, judgedOfUnion } from '../../../src/engine/experiment/judged-views.ts';
import type { PipelineRuns, SlotRun } from '../../../src/engine/experiment/pipeline-runs.ts';
import '../../fixtures/built.ts';

const SIDED: Query = {
  id: 'dam',
  text: 'dam',
  perspectives: [
    { id: 'pro', text: 'Power.', stance: 'support' },
    { id: 'con', text: 'Floods.', stance: 'oppose' },
  ],
};
const GROUPED: Query = {
  id: 'tax',
  text: 'tax',
  perspectives: [
    { id: 'l', text: 'Fair.', group: 'left' },
    { id: 'r', text: 'Growth.', group: 'right' },
    { id: 'other', text: 'Forms.' },
  ],
};

/** @param judged `query perspective slot`, with `!` in front of the slot for a no */
function analysed(
  queries: readonly Query[],
  judged: readonly string[],
  { k = 2, isOpen = true } = {},
): Analysed {
  const qrels = new Map(
    queries.map(({ id, perspectives }) => [
      id,
      new Map(
        perspectives.map((perspective) => {
          const own = judged.flatMap((line) => {
            const [query, name, slot = ''] = line.split(' ');
            return query === id && name === perspective.id ? [slot] : [];
          });
          return [
            perspective.id,
            new Map(own.map((slot) => [slot.replace('!', ''), slot.startsWith('!') ? 0 : 1])),
          ];
        }),
      ),
    ]),
  );
  const named = (run: SlotRun): object =>
    new Map([...run].map(([id, slots]) => [id, slots.map((slot) => ({ item: String(slot) }))]));
  return { queries, judgements: { qrels, named, isOpen }, k } as unknown as Analysed;
}

type Ranked = Readonly<Record<string, readonly number[]>>;
const runOf = (ranked: Ranked): SlotRun => new Map(Object.entries(ranked));

function runs(parts: {
  readonly questions: Ranked;
  readonly sides?: { readonly support: Ranked; readonly oppose: Ranked };
  readonly perspectives?: { readonly root: Ranked; readonly full: Ranked };
}): PipelineRuns {
  const { questions, sides, perspectives } = parts;
  return {
    questions: runOf(questions),
    ...(sides ? { sides: { support: runOf(sides.support), oppose: runOf(sides.oppose) } } : {}),
    ...(perspectives
      ? { perspectives: { root: runOf(perspectives.root), full: runOf(perspectives.full) } }
      : {}),
  } as unknown as PipelineRuns;
}

test('leaning reads the top k of two-sided questions with both sides only', () => {
  const own = runs({ questions: { dam: [1, 2, 3], tax: [4, 5] } });
  const judged = ['dam pro 1', 'dam con !1', 'dam con 2', 'dam con 3'];
  assert.deepEqual(judgedForms('leaning', own, analysed([SIDED, GROUPED], judged)), { question: 0.75 });
});

test('sycophancy reads the top k under either side, too, if the sides were asked', () => {
  const questions = { dam: [1, 2] };
  const judged = analysed([SIDED], ['dam pro 1', 'dam con 1', 'dam pro 3', 'dam con !3', 'dam con 4']);
  const asked = runs({ questions, sides: { support: { dam: [3, 4, 5] }, oppose: { dam: [6, 4] } } });
  assert.deepEqual(judgedForms('sycophancy', asked, judged), { question: 0.5, support: 0.75, oppose: 0.25 });
  assert.deepEqual(judgedForms('sycophancy', runs({ questions }), judged), { question: 0.5 });
});

test('groups read perspectives with a group: the results of the root and of each perspective', () => {
  const full = {
    [JSON.stringify(['tax', 'l'])]: [1, 2],
    [JSON.stringify(['tax', 'r'])]: [3, 4],
    // Not asked: it has no group.
    [JSON.stringify(['tax', 'other'])]: [9],
  };
  const questions = { tax: [7, 8], dam: [1, 2] };
  const asked = runs({ questions, perspectives: { root: { tax: [1, 5, 6] }, full } });
  const judged = analysed(
    [GROUPED, SIDED],
    ['tax l 1', 'tax r !1', 'tax l 5', 'tax l 2', 'tax l 3', 'tax r 7', 'tax other 8', 'dam pro 1'],
  );
  assert.deepEqual(judgedForms('groups', asked, judged), { question: 0.75, perspective: 0.5 });
  // Without further searches, the root is the question.
  assert.deepEqual(judgedForms('groups', runs({ questions }), judged), { question: 0.25 });
});

test('set sizes read down to each perspective’s first support, a union those of all pipelines', () => {
  const judged = analysed([SIDED], ['dam pro !1', 'dam pro 2', 'dam con !1']);
  const [one, other] = [runs({ questions: { dam: [1, 2, 3] } }), runs({ questions: { dam: [2] } })];
  // Two of two for "pro", one of three for "con".
  assert.deepEqual(judgedForms('set-size', one, judged), { question: 3 / 5 });
  assert.equal(judgedOfUnion([one, other], judged), 4 / 7);
  const deep = Array.from({ length: SET_SIZE_DEPTH + 20 }, (_, at) => at + 1);
  const shares = judgedForms('set-size', runs({ questions: { dam: deep } }), judged);
  assert.deepEqual(shares, { question: 3 / (2 + SET_SIZE_DEPTH) });
});

test('a view is refused below nine tenths of any form, and never with qrels alone', () => {
  const open = analysed([], []);
  assert.equal(isRefused({ question: 0.9, support: 1 }, open), false);
  assert.equal(isRefused({ question: 1, support: 0.899 }, open), true);
  assert.equal(isRefused({ question: 0 }, analysed([], [], { isOpen: false })), false);
});

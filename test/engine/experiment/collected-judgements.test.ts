/** Judgements of all retrieved passages, with their sources: labels, a judge, and looking deeper. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Judgement, Query } from '../../../src/core/model.ts';
import type { Judge } from '../../../src/engine/judges/judge.ts';
import {
  CollectedJudgements,
  type CollectingOptions,
} from '../../../src/engine/experiment/collected-judgements.ts';
import { emptyTopic, type LabelSource } from '../../../src/engine/experiment/label-source.ts';
import type { PipelineRuns, SlotRun } from '../../../src/engine/experiment/pipeline-runs.ts';
import type { Probed } from '../../../src/features/look-deeper/engine/probes.ts';
import type { JudgedPair } from '../../../src/shared/requests/passages.ts';
import type { WorkOptions } from '../../../src/engine/types.ts';
import { QUERY } from './support.ts';

/** Passages by slot; the last one has no text. */
const IDS = ['p0', 'p1', 'p2', 'p3', 'p4', 'bare'];
const GONE = 9;
const passageAt = (slot: number) => ({
  slot,
  id: IDS[slot]!,
  documentId: `${IDS[slot]}.md`,
  path: `${IDS[slot]}.md`,
  title: '',
  text: IDS[slot] === 'bare' ? '' : 'Text.',
});
const index = {
  status: { passages: IDS.length },
  passages: (slots: readonly number[]) => slots.filter((slot) => slot !== GONE).map(passageAt),
  passageById: (id: string) => (IDS.includes(id) ? passageAt(IDS.indexOf(id)) : undefined),
};

type Said = readonly [slot: number, perspective: string, verdict: Judgement['verdict'], more?: object];

const pairOf = ([slot, perspectiveId, verdict, more]: Said): JudgedPair =>
  ({
    slot,
    perspectiveId,
    judgement: { verdict, source: 'llm', judge: 'model', evidence: [], standard: 's', at: '', ...more },
  }) as JudgedPair;

const HUMAN = { source: 'human', judge: 'Kim' };

interface Desk {
  readonly known?: readonly Said[];
  readonly answered?: readonly Said[];
  readonly supporters?: readonly (readonly [perspective: string, passage: string])[];
  readonly probed?: readonly Probed[];
  readonly judge?: Partial<Judge> | undefined;
  readonly kind?: 'diversity' | 'plain';
  readonly isOpen?: boolean;
  /** Graded support of "a" from qrels. */
  readonly graded?: Readonly<Record<string, number>>;
  /** Collects the pairs that the judge was asked about. */
  readonly asked?: string[];
}

function labelsOf(desk: Desk): LabelSource {
  const { known = [], answered = [], supporters = [], probed = [], judge } = desk;
  return {
    judge,
    kind: desk.kind ?? 'diversity',
    isOpen: desk.isOpen ?? true,
    topics: (queries: readonly Query[]) =>
      new Map(
        queries.map(({ id, perspectives }) => {
          const topic = emptyTopic(perspectives);
          for (const [passage, grade] of Object.entries(desk.graded ?? {}))
            topic.get('a')?.set(passage, grade);
          return [id, topic];
        }),
      ),
    known: ({ passages }: { passages: readonly { slot: number }[] }) =>
      Promise.resolve(
        known.filter(([slot]) => passages.some((passage) => passage.slot === slot)).map(pairOf),
      ),
    answered: () => Promise.resolve(answered.map(pairOf)),
    judgePairs: (
      pairs: readonly { passage: { slot: number }; perspective: { id: string } }[],
      onJudgement: (place: number, judgement: Judgement) => void,
    ) => {
      desk.asked?.push(...pairs.map(({ passage, perspective }) => `${passage.slot} ${perspective.id}`));
      for (const place of pairs.keys())
        onJudgement(
          place,
          pairOf([0, '', 'yes', { source: 'lexical', judge: 'guess' }]).judgement as Judgement,
        );
      return Promise.resolve();
    },
    supporters: () =>
      Promise.resolve(
        supporters.map(([perspectiveId, passageId]) => ({
          perspectiveId,
          passageId,
          name: `(${passageId})`,
        })),
      ),
    probed: () => probed,
  } as unknown as LabelSource;
}

const runOf = (...slots: readonly number[]): SlotRun => new Map([['q', slots]]);
const runsOf = (more: object, ...slots: readonly number[]): PipelineRuns =>
  ({ questions: runOf(...slots), ...more }) as unknown as PipelineRuns;

const collected = (
  desk: Desk,
  runs: readonly PipelineRuns[],
  options: Partial<CollectingOptions> = {},
  { queries = [QUERY], ...work }: WorkOptions & { readonly queries?: readonly Query[] } = {},
): Promise<CollectedJudgements> =>
  CollectedJudgements.collect(
    queries,
    runs,
    { index, labels: labelsOf(desk) } as unknown as Parameters<typeof CollectedJudgements.collect>[2],
    { k: 2, ...options },
    work,
  );

const topicOf = ({ qrels }: Pick<CollectedJudgements, 'qrels'>): object =>
  Object.fromEntries([...qrels.get('q')!].map(([id, judged]) => [id, Object.fromEntries(judged)]));

test('verdicts become relevance, and those on the top k of any pipeline are counted', async () => {
  const known: readonly Said[] = [
    [0, 'a', 'yes', HUMAN],
    [1, 'a', 'unsure'],
    [2, 'b', 'no'],
    [3, 'b', 'yes'],
    [4, 'elsewhere', 'yes'],
  ];
  const found = await collected({ known }, [runsOf({}, 0, 1, 2), runsOf({}, 0, 3), runsOf({}, GONE, 4)]);
  assert.deepEqual(topicOf(found), { a: { p0: 1, p1: 0 }, b: { p2: 0, p3: 1 } });
  // Slots 0, 1, 3, 4 and the one without text, for two perspectives.
  assert.deepEqual([found.tally.pairs, found.tally.judged], [10, 4]);
  assert.deepEqual(
    found.tally.by.map(({ judge, count }) => [judge, count]),
    [
      ['model', 3],
      ['people', 1],
    ],
  );
  assert.deepEqual(
    [found.nameOf('p0'), found.nameOf('unheard'), found.passage(1), found.passage(GONE), found.passages],
    ['p0.md', 'unheard', { id: 'p1', name: 'p1.md' }, undefined, IDS.length],
  );
  assert.deepEqual(
    found.named(runOf(2, GONE, 0)),
    new Map([
      [
        'q',
        [
          { item: 'p2', score: -0 },
          { item: 'p0', score: -2 },
        ],
      ],
    ]),
  );
});

test('results of further searches are judged to the depth that figures use', async () => {
  const known = [0, 1, 2, 3, 4].map((slot): Said => [slot, 'a', 'yes']);
  const judgedWith = async (more: object, options: Partial<CollectingOptions> = {}, query = QUERY) => {
    const found = await collected({ known }, [runsOf(more)], options, { queries: [query] });
    return [...found.qrels.get('q')!.get('a')!.keys()].join(' ');
  };
  const all = runOf(0, 1, 2, 3);
  assert.equal(await judgedWith({}), '');
  assert.equal(await judgedWith({ exact: all }), 'p0 p1 p2 p3');
  assert.equal(await judgedWith({ sides: { support: all, oppose: runOf(4) } }), 'p0 p1 p4');
  const grouped = { ...QUERY, perspectives: [{ id: 'a', text: 'Quiet.', group: 'g' }] };
  const full = new Map([[JSON.stringify(['q', 'a']), [1, 4, 3]]]);
  assert.equal(await judgedWith({ perspectives: { root: all, full } }, {}, grouped), 'p0 p1 p4');
  assert.equal(await judgedWith({ perspectives: { root: runOf(), full: new Map() } }, {}, grouped), '');
  assert.equal(await judgedWith({}, { others: new Map([['q', ['p3', 'unheard']]]) }), 'p3');
});

test('the basis decides what a missing judgement means', async () => {
  const basisOf = async (desk: Desk, queries: readonly Query[] = [QUERY]) => {
    const { kind, isOpen, basis } = await collected(desk, [], {}, { queries });
    return [kind, isOpen, basis];
  };
  assert.deepEqual(await basisOf({}), ['diversity', true, 'open']);
  assert.deepEqual(await basisOf({ isOpen: false }), ['diversity', false, 'given']);
  assert.deepEqual(await basisOf({ isOpen: false, kind: 'plain' }), ['plain', false, 'pooled']);
  const plain = { ...QUERY, id: 'r', perspectives: [] };
  assert.deepEqual(await basisOf({ isOpen: false }, [QUERY, plain]), ['diversity', false, 'pooled']);
});

test('support labelled by people counts even if not retrieved, and keeps its grade', async () => {
  const graded = { p0: 3, p1: 2, p2: 2 };
  const supporters = [
    ['a', 'p1'],
    ['b', 'p4'],
    ['b', 'unheard'],
    ['elsewhere', 'p3'],
  ] as const;
  const known: readonly Said[] = [
    [0, 'a', 'yes'],
    [2, 'a', 'no'],
  ];
  const found = await collected({ graded, supporters, known }, [runsOf({}, 0, 2)], { keepsWho: true });
  assert.deepEqual(topicOf(found), { a: { p0: 3, p1: 2, p2: 0 }, b: { p4: 1, unheard: 1 } });
  assert.deepEqual(
    [...found.qrelsWithinCorpus.get('q')!.get('b')!.keys()],
    ['p4'],
    'nothing else can be retrieved from it',
  );
  assert.equal(found.nameOf('p4'), '(p4)');
  assert.deepEqual(
    found.lines!.map(({ perspective, passage, judge, source }) => [perspective, passage, judge, source]),
    [
      ['a', 'p0', 'model', 'llm'],
      ['a', 'p1', 'qrels', 'imported'],
      ['a', 'p2', 'model', 'llm'],
      ['b', 'p4', 'labels', 'human'],
      ['b', 'unheard', 'labels', 'human'],
    ],
  );
  assert.equal((await collected({ known }, [runsOf({}, 0)])).lines, undefined);
});

test('passages found by looking deeper are judged, too', async () => {
  const probed = [
    {
      perspectiveId: 'b',
      searches: [{ retriever: 'bm25', asked: 'perspective' }],
      passages: [{ passage: passageAt(3), ranks: [{ place: 0, rank: 7 }] }],
    },
  ] as unknown as readonly Probed[];
  const found = await collected({ probed, known: [[3, 'b', 'yes']] }, []);
  assert.deepEqual(topicOf(found), { a: {}, b: { p3: 1 } });
  assert.deepEqual(found.probes.get('q')!.get('b'), {
    searches: [{ retriever: 'bm25', asked: 'perspective' }],
    passages: [{ passageId: 'p3', ranks: [{ retriever: 'bm25', asked: 'perspective', rank: 7 }] }],
  });
});

test('a heuristic is asked about the rest and is not compared with a judge', async () => {
  const asked: string[] = [];
  const judge = { name: 'guess', heuristic: true };
  const found = await collected({ judge, asked, known: [[0, 'a', 'no', HUMAN]] }, [runsOf({}, 0, 5, 1)]);
  assert.deepEqual(asked, ['0 b', '1 a', '1 b'], 'nobody can judge a passage without its text');
  assert.deepEqual(topicOf(found), { a: { p0: 0, p1: 1 }, b: { p0: 1, p1: 1 } });
  assert.deepEqual(
    found.tally.by.map(({ judge: name, count, heuristic }) => [name, count, heuristic]),
    [
      ['guess', 1, true],
      ['people', 1, false],
    ],
  );
  assert.equal(found.opinions, undefined);
  const none: string[] = [];
  await collected({ asked: none, judge: { name: 'model' } }, [runsOf({}, 0)]);
  assert.deepEqual(none, [], 'a model answers when it is asked to');
});

test('opinions of people and of the judge are separate, with the sampling probability of a query', async () => {
  const known: readonly Said[] = [
    [0, 'a', 'yes', { ...HUMAN, chance: 0.2 }],
    [1, 'a', 'no', { ...HUMAN, source: 'imported', chance: 0.5 }],
    [2, 'b', 'yes', { ...HUMAN, chance: 0.1 }],
    [3, 'b', 'no'],
  ];
  const desk: Desk = { known, answered: [[0, 'a', 'no']], judge: { name: 'model' } };
  const runs = [runsOf({}, 0, 1, 2, 3)];
  const { opinions } = await collected(desk, runs);
  assert.deepEqual(topicOf({ qrels: opinions!.annotators }), { a: { p0: 1, p1: 0 }, b: { p2: 1 } });
  assert.deepEqual(topicOf({ qrels: opinions!.judge }), { a: { p0: 0 }, b: { p3: 0 } });
  assert.deepEqual(
    [[...opinions!.chances], opinions!.basis, opinions!.fitted],
    [[['q', 0.5]], 'open', undefined],
  );
  const picked = await collected({ ...desk, known: known.map(([s, p, v]): Said => [s, p, v, HUMAN]) }, runs);
  assert.equal(picked.opinions!.chances.size, 0);
  const fittedOf = async (reading: object) =>
    (await collected({ ...desk, judge: { name: 'model', reading } as unknown as Judge }, runs)).opinions!
      .fitted;
  assert.equal(await fittedOf({ isFitted: true }), 'included');
  const without = (): undefined => undefined;
  assert.equal(await fittedOf({ without, labels: () => 1 }), 'held-out');
  assert.equal(await fittedOf({ without, labels: () => 0 }), undefined);
  assert.equal(await fittedOf({ without }), undefined);
  assert.equal(await fittedOf({ labels: () => 1 }), undefined);
  for (const change of [{ judge: undefined }, { known: known.slice(3) }])
    assert.equal((await collected({ ...desk, ...change }, runs)).opinions, undefined, JSON.stringify(change));
});

test('progress is reported, and cancelling ends it', async () => {
  const told: object[] = [];
  const queries = [QUERY, { ...QUERY, id: 'r' }];
  await collected({}, [], {}, { queries, onProgress: (progress) => told.push(progress) });
  assert.deepEqual(told, [
    { done: 1, total: 2 },
    { done: 2, total: 2 },
  ]);
  const stop = new AbortController();
  const stopping = { queries, signal: stop.signal, onProgress: () => stop.abort() };
  await assert.rejects(collected({}, [], {}, stopping), { id: 'cancelled' });
});

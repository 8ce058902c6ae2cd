/** Qrels instead of people's labels: their verdicts, what they leave open, and what a judge adds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Qrels, Query, Verdict } from '../../../src/core/model.ts';
import { PLAIN_PERSPECTIVE } from '../../../src/core/words.ts';
import { isOfPeople, PeopleLabels, type LabelParts } from '../../../src/engine/experiment/label-source.ts';
import { QrelsLabels } from '../../../src/engine/experiment/qrels-labels.ts';
import type { JudgingTask } from '../../../src/engine/judgements/judgement-service.ts';
import type { PipelineServices } from '../../../src/engine/retrieval/pipeline-services.ts';
import type { JudgedPair } from '../../../src/shared/requests/passages.ts';
import '../../fixtures/built.ts';
import { QUERY } from './support.ts';

const PASSAGES = [1, 2, 3].map((slot) => ({
  slot,
  id: `p${slot}`,
  documentId: `p${slot}`,
  title: '',
  path: `p${slot}`,
}));
const TASK = { query: QUERY, perspectives: QUERY.perspectives, passages: PASSAGES } as unknown as JudgingTask;
const probed = [{ perspectiveId: 'a', passages: [] }];

/** The workspace and the judge say "no" to all pairs that are named here. */
function parts(others: readonly string[], hasJudge: boolean): LabelParts {
  const judge = hasJudge ? { name: 'model' } : undefined;
  const said = (by: unknown): JudgedPair[] =>
    by === undefined
      ? []
      : (others
          .map((pair) => pair.split(' '))
          .map(([slot, perspectiveId]) => ({
            slot: Number(slot),
            perspectiveId,
            judgement: { verdict: 'no', source: 'llm' },
          })) as unknown as JudgedPair[]);
  return {
    judge,
    index: {
      passageById: (id: string) => PASSAGES.find((passage) => passage.id === id),
      passageId: (slot: number) => `p${slot}`,
    },
    judgementService: {
      known: (_task: unknown, by: unknown) => Promise.resolve(said(by)),
      answered: (_task: unknown, by: unknown) => Promise.resolve(said(by)),
    },
    probes: { of: () => probed },
  } as unknown as LabelParts;
}

/** `perspective passage relevance` */
const qrels = (...lines: readonly string[]): Qrels => {
  const topic = new Map<string, Map<string, number>>();
  for (const line of lines) {
    const [perspective, passage, relevance] = line.split(' ') as [string, string, string];
    const judged = topic.get(perspective) ?? new Map<string, number>();
    topic.set(perspective, judged.set(passage, Number(relevance)));
  }
  return new Map([['q', topic]]);
};
const known = async (labels: QrelsLabels, task = TASK): Promise<string[]> =>
  (await labels.known(task)).map(
    ({ slot, perspectiveId, judgement }) =>
      `${slot} ${perspectiveId} ${judgement.verdict} ${judgement.source}`,
  );

const LINES = ['a p1 2', 'a p2 0', 'b p2 -1', 'b p9 1', 'other p1 1'];

test('qrels contain support and its absence; negative values and other perspectives are ignored', async () => {
  const labels = new QrelsLabels(qrels(...LINES), parts(['3 a'], false));
  assert.deepEqual(await known(labels), ['1 a yes imported', '2 a no imported']);
  assert.deepEqual([labels.kind, labels.isOpen, labels.judge], ['diversity', false, undefined]);
  assert.deepEqual(await labels.answered(TASK), []);
  const unknown = { ...TASK, query: { ...QUERY, id: 'unknown' } } as unknown as JudgingTask;
  assert.deepEqual(await known(labels, unknown), []);
});

test('qrels without a passage of the corpus leave everything open; one passage is enough', () => {
  const isOpen = (...lines: readonly string[]): boolean =>
    new QrelsLabels(qrels(...lines), parts([], false)).isOpen;
  assert.equal(isOpen('a p8 1', 'b p9 0'), true);
  assert.equal(isOpen('a p8 1', 'b p9 0', 'b p1 0'), false);
});

test('with a judge other sources fill open pairs, and verdicts of qrels stay', async () => {
  const labels = new QrelsLabels(qrels(...LINES), parts(['1 a', '3 a', '1 b'], true));
  assert.deepEqual(await known(labels), [
    ...['1 a yes imported', '2 a no imported'],
    ...['3 a no llm', '1 b no llm'],
  ]);
  assert.equal(labels.isOpen, true);
  assert.equal((await labels.answered(TASK)).length, 3, 'what it said itself');
  const alone = labels.judgedBy(undefined);
  assert.deepEqual([alone.isOpen, (await alone.known(TASK)).length], [false, 2]);
});

test('qrels alone imply that looking deeper is not needed', () => {
  assert.deepEqual(new QrelsLabels(qrels(...LINES), parts([], false)).probed(QUERY), []);
  assert.deepEqual(new QrelsLabels(qrels(...LINES), parts([], true)).probed(QUERY), probed);
});

test('every perspective of a question counts, judged or not, and qrels of other questions stay', () => {
  const labels = new QrelsLabels(qrels('a p1 1'), parts([], false));
  const other = { ...QUERY, id: 'r', perspectives: [{ id: PLAIN_PERSPECTIVE, text: '' }] };
  const topics = labels.topics([QUERY, other]);
  assert.deepEqual(
    [...topics].map(([id, topic]) => [id, [...topic].map(([name, judged]) => [name, judged.size])]),
    [
      [
        'q',
        [
          ['a', 1],
          ['b', 0],
        ],
      ],
      // Without distinct perspectives there is none to cover.
      ['r', []],
    ],
  );
  assert.deepEqual([...labels.topics([]).keys()], ['q']);
});

test('learned comparisons do not change the qrels', () => {
  const given = qrels('a p1 1');
  new QrelsLabels(given, parts([], false)).topics([QUERY]).get('q')!.get('a')!.set('p2', 1);
  assert.deepEqual([...given.get('q')!.get('a')!.keys()], ['p1']);
});

test('plain qrels have one perspective, whatever those of the question are', async () => {
  const labels = new QrelsLabels(qrels(`${PLAIN_PERSPECTIVE} p1 1`), parts([], false));
  assert.equal(labels.kind, 'plain');
  assert.deepEqual(await known(labels), [`1 ${PLAIN_PERSPECTIVE} yes imported`]);
  assert.deepEqual([...labels.topics([QUERY]).get('q')!.keys()], [PLAIN_PERSPECTIVE]);
  const unknown = { ...TASK, query: { ...QUERY, id: 'unknown' } } as unknown as JudgingTask;
  assert.deepEqual(await known(labels, unknown), []);
});

test('supporters are the passages of the qrels that the corpus has', async () => {
  const labels = new QrelsLabels(qrels(...LINES), parts([], false));
  assert.deepEqual(
    (await labels.supporters(QUERY)).map(({ perspectiveId, passageId }) => [perspectiveId, passageId]),
    [
      ['a', 'p1'],
      ['other', 'p1'],
    ],
  );
  assert.deepEqual(await labels.supporters({ ...QUERY, id: 'unknown' }), []);
});

test('steps that ask labels get the qrels, and steps that ask a judge the judge', async () => {
  const [a, b] = QUERY.perspectives;
  const pairs = [...[1, 2, 3].map((slot) => ({ slot, perspective: a! })), { slot: 9, perspective: b! }];
  const judged = { verdicts: () => Promise.resolve(['unsure']) } as unknown as PipelineServices;
  const services = new QrelsLabels(qrels(...LINES), parts([], false)).services(judged);
  const verdicts = (judge: string, query: object): Promise<readonly (Verdict | undefined)[]> =>
    services.verdicts(judge, query as Query, pairs, {});
  assert.deepEqual(await verdicts('labels', QUERY), ['yes', 'no', undefined, 'yes']);
  assert.deepEqual(await verdicts('labels', { ...QUERY, id: undefined }), Array(4).fill(undefined));
  assert.deepEqual(await verdicts('labels', { ...QUERY, id: 'unknown' }), Array(4).fill(undefined));
  assert.deepEqual(await verdicts('model', QUERY), ['unsure']);
});

test('all other services are those of the pipeline', async () => {
  const asked: string[] = [];
  const service = (name: string) => (given: string) => {
    asked.push(`${name} ${given}`);
    return Promise.resolve(name);
  };
  const names = ['propose', 'rewrite', 'split', 'judgeFacts', 'measuredCorrelation', 'texts'] as const;
  const own = Object.fromEntries(names.map((name) => [name, service(name)])) as unknown as PipelineServices;
  const services = new QrelsLabels(qrels(...LINES), parts([], false)).services(own);
  for (const name of names)
    assert.equal(await (services[name] as unknown as (given: string) => Promise<unknown>)('this'), name);
  assert.deepEqual(asked, [
    'propose this',
    'rewrite this',
    'split this',
    'judgeFacts this',
    'measuredCorrelation this',
    'texts this',
  ]);
});

test('without a judge, people’s labels have no answered pairs', async () => {
  const labels = new PeopleLabels(parts(['1 a'], true));
  assert.deepEqual([labels.kind, labels.isOpen, labels.judge?.name], ['diversity', true, 'model']);
  assert.deepEqual([(await labels.known(TASK)).length, (await labels.answered(TASK)).length], [1, 1]);
  const alone = labels.judgedBy(undefined);
  assert.deepEqual([alone.judge, await alone.known(TASK), await alone.answered(TASK)], [undefined, [], []]);
  assert.deepEqual([...labels.topics([QUERY]).get('q')!.keys()], ['a', 'b']);
  assert.deepEqual(labels.probed(QUERY), probed);
  assert.deepEqual(
    ['human', 'imported', 'llm', 'heuristic'].map((source) => isOfPeople({ source })),
    [true, true, false, false],
  );
});

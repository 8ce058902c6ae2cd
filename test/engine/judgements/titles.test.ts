/** Titles of records: judges that are asked about one pair at a time see them, and their answers are cached by them. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Judgement } from '../../../src/core/model.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { titledHash } from '../../../src/engine/judgements/answer-rows.ts';
import { answerKey } from '../../../src/engine/judgements/cached-judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { LabelledAnswers } from '../../../src/engine/judgements/labelled-answers.ts';
import type { JudgePair } from '../../../src/engine/judges/judge.ts';
import { recordTitle } from '../../../src/engine/judges/record-title.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import {
  argumentReply,
  verdictReply,
  wordReply,
  type ChatReply,
  type ChatRequest,
} from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { serverFor } from '../judges/support.ts';

const SAME = 'It calms everyone who works there.';
const RECORDS = [
  { _id: 'cats', title: 'Cats in offices', text: SAME },
  { _id: 'music', title: 'Music in offices', text: SAME },
  { _id: 'bare', text: 'Nothing is said of what this is about.' },
  { _id: 'alone', title: 'A title alone', text: '' },
];
const FILES = {
  'docs/records.jsonl': RECORDS.map((record) => JSON.stringify(record)).join('\n'),
  'docs/list.json': JSON.stringify([{ id: 'listed', title: 'A list', text: 'It stands in a list.' }]),
  'docs/guide.md': '# Guide\n\nA heading is no title of a record.',
};
const QUERY = { id: 'q1', text: 'Should the office have cats?' };
const PERSPECTIVES = [{ id: 'p1', text: 'Cats calm people at work.' }];

/** Yes if the title or the text is about cats. */
function reply({ body, messages }: ChatRequest): ChatReply {
  const { title = '', passage = '' } = readFenced(messages).texts;
  const isCats = /cats/iu.test(`${title} ${passage}`) && body['model'] !== 'opposed';
  if (body['logprobs'] === true) return wordReply(isCats ? 0.9 : 0.2);
  if (/You are one of two agents/u.test(messages[0]!.content))
    return argumentReply(isCats ? 'yes' : 'no', 'Scripted.');
  return verdictReply(isCats ? 'yes' : 'no');
}

async function setUp(t: TestContext) {
  const server = await serverFor(t, { chat: reply });
  const model = { type: 'openai' as const, mode: 'pair' as const, baseUrl: server.url, model: 'm' };
  const workspace = await testWorkspace(t, {
    files: FILES,
    corpora: { docs: { roots: ['docs'] } },
    judges: {
      pair: model,
      opposed: { ...model, model: 'opposed' },
      debate: { type: 'debate' as const, agents: 'pair' },
      lara: { type: 'lara' as const, judge: 'pair', share: 0 },
      filtered: { type: 'filter' as const, judges: ['pair'], then: 'debate' },
    },
  });
  const { candidates } = await workspace.request('search', {
    corpus: 'docs',
    query: { text: 'it calms everyone nothing title list heading stands' },
    perspectives: [],
    pipeline: parsePipeline({ retriever: { type: 'bm25' } }),
  });
  const about = (judge: string) => ({
    corpus: 'docs',
    judge,
    query: QUERY,
    perspectives: PERSPECTIVES,
    slots: candidates.map(({ slot }) => slot),
  });
  const titles = (): Record<string, string | undefined> =>
    Object.fromEntries(
      server.chatRequests.map(({ messages }) => {
        const { passage, title } = readFenced(messages).texts;
        return [`${title ?? ''}: ${passage}`, title];
      }),
    );
  return { server, workspace, candidates, about, titles };
}

describe('titles of records', () => {
  for (const judge of ['pair', 'debate', 'lara', 'filtered'])
    test(`are shown to a judge of the kind "${judge}", and two titles are two questions`, async (t) => {
      const { workspace, candidates, about, server, titles } = await setUp(t);
      const { answered } = await workspace.request('judge', about(judge));
      assert.equal(answered, candidates.length);
      assert.deepEqual(Object.values(titles()).sort(), [
        'A list',
        'Cats in offices',
        'Music in offices',
        undefined,
        undefined,
        undefined,
      ]);
      const { pairs } = await workspace.request('judgements', about(judge));
      const verdictOf = (documentId: string): string | undefined => {
        const { slot } = candidates.find((candidate) => candidate.documentId === documentId)!;
        return pairs.find((pair) => pair.slot === slot)?.judgement.verdict;
      };
      assert.deepEqual(['cats', 'music'].map(verdictOf), ['yes', 'no']);
      const asked = server.chatRequests.length;
      await workspace.request('judge', about(judge));
      assert.equal(server.chatRequests.length, asked, 'both answers are remembered');
    });

  test('are kept with a pair under review, so its verdicts are found', async (t) => {
    const { workspace, about } = await setUp(t);
    await workspace.request('judge', about('pair'));
    await workspace.request('judge', about('opposed'));
    const { entries } = await workspace.request('reviewQueue', { by: 'ann' });
    const entry = entries.find(({ documentId }) => documentId === 'cats')!;
    assert.equal(entry.reason, 'disagreement');
    const { opinions } = await workspace.request('reviewItem', { id: entry.id });
    assert.deepEqual(opinions.map(({ verdict }) => verdict).sort(), ['no', 'yes']);
  });
});

const PAIR: JudgePair = {
  passage: { text: SAME, title: ' Cats ', recordLine: 3 },
  perspective: { text: 'They calm.' },
};

describe('the key of an answer', () => {
  test('is unchanged for judges without titles and passages without one', () => {
    const before = { passageHash: textHash(SAME), perspectiveHash: textHash('They calm.') };
    assert.deepEqual(answerKey({}, PAIR), before);
    const untitled = { ...PAIR, passage: { ...PAIR.passage, title: '' } };
    assert.deepEqual(answerKey({ titleOf: recordTitle }, untitled), before);
    const heading = { ...PAIR, passage: { text: SAME, title: 'Guide', verbatim: true, path: 'a.json' } };
    assert.deepEqual(answerKey({ titleOf: recordTitle }, heading), before);
    const { passageHash } = answerKey({ titleOf: recordTitle }, PAIR);
    assert.equal(passageHash, titledHash(before.passageHash, 'Cats'));
  });
});

describe('an answer with a title', () => {
  const judgement: Judgement = {
    verdict: 'yes',
    evidence: [],
    source: 'llm',
    judge: 'main',
    confidence: 0.75,
    standard: 'berds-1',
    at: '2026-01-01T00:00:00.000Z',
  };
  const [passageHash, perspectiveHash] = [textHash(SAME), textHash('They calm.')];
  const cacheWith = (...hashes: string[]): JudgementCache => {
    const cache = new JudgementCache(openDatabase(':memory:'));
    for (const hash of hashes)
      cache.put('judge', { passageHash: hash, perspectiveHash }, { judgement, unparsable: false });
    return cache;
  };
  const titled = titledHash(passageHash, 'Cats');

  test('is found by the passage alone, also among those of a perspective', () => {
    const cache = cacheWith(titled, `${passageHash.slice(0, -1)}~`);
    assert.equal(cache.get('judge', { passageHash, perspectiveHash }), undefined);
    assert.equal(cache.ofPair('judge', [perspectiveHash], passageHash)?.judgement.verdict, 'yes');
    assert.equal(cache.ofPair('judge', [perspectiveHash], textHash('other')), undefined);
    assert.ok(cache.ofPerspective('judge', perspectiveHash).has(passageHash));
  });

  test('calibrates its judge', async () => {
    const labels = {
      read: () =>
        Promise.resolve({
          labelledPassages: () => [
            { hash: passageHash, perspectiveText: 'They calm.', verdict: 'yes' as const },
          ],
        }),
    };
    const found = await new LabelledAnswers(labels as never, cacheWith(titled)).of('judge');
    assert.deepEqual(found, [{ confidence: 0.75, positive: true, perspective: 'They calm.' }]);
  });
});

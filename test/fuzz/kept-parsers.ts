/**
 * Rows that the engine stores and a later version reads, each in a form that another program may have left. Rows are
 * read or dropped.
 */
import { placeCounts, statesOf } from '../fixtures/evaluation.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { KeptComparisons } from '../../src/features/compare/engine/kept-comparisons.ts';
import { movementOf } from '../../src/features/compare/engine/kept-rankings.ts';
import { KeptEvaluations } from '../../src/features/history/engine/kept-evaluations.ts';
import { historyEntrySchema } from '../../src/features/history/core/entry.ts';
import { GenerationCache } from '../../src/engine/generation/generation-cache.ts';
import type { AnswerKey, CachedAnswer } from '../../src/engine/judgements/answer-rows.ts';
import { JudgementCache } from '../../src/engine/judgements/judgement-cache.ts';
import { ReviewQueue, type NewReviewItem } from '../../src/features/review/engine/review-queue.ts';
import { sealed, unsealed } from '../../src/engine/store/checksums.ts';
import { openDatabase, type Database } from '../../src/engine/store/database.ts';
import { openOrBeginAnew } from '../../src/engine/store/open-or-anew.ts';
import { textHash } from '../../src/engine/text-sums.ts';
import { evaluationSchema } from '../../src/evaluation/evaluation.ts';
import { bytesOf, takes, textOf, type FuzzedBytes } from './fuzzed-bytes.ts';
import { bytesLike, CUT, inputsLike } from './inputs.ts';
import { ENTRY } from './parsers.ts';

const ignore = (): void => undefined;
const memory = openDatabase(':memory:');
const gzipped = (text: string): Buffer => gzipSync(text);
const packed = (text: string): Buffer => deflateRawSync(Buffer.from(text));
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

const DIFFERENCE = { value: 0.1, low: -0.1, high: 0.2, p: 0.5, wins: 1, losses: 0, ties: 2 };
const COMPARISON = {
  id: 'c',
  judge: 'labels',
  k: 5,
  measures: ['MRecall@5'],
  at: '2026-01-01T00:00:00.000Z',
  pipelines: [{ name: 'bm25', label: 'BM25', pipeline: { retriever: { type: 'bm25' } } }],
  datasets: [
    {
      name: 'set',
      corpus: 'docs',
      evalSet: 'set.jsonl',
      basis: 'open',
      union: { perspectives: 1, queries: 1 },
      sources: [{ source: 'human', judge: 'people', count: 3, heuristic: false }],
      pipelines: [
        {
          name: 'bm25',
          judged: 1,
          coverageCurve: [0, 1],
          milliseconds: 1,
          search: 'exact',
          measures: { 'MRecall@5': { value: 0.5, bound: 'exact', difference: DIFFERENCE } },
          places: placeCounts({ covered: 1 }),
          open: placeCounts(),
          comparedWithExact: false,
          tooLittleJudged: [],
          queryErrors: [],
          searchErrors: [],
          setSize: { mean: 2, coveredShare: 1 },
          groups: [{ group: 'g', share: 1 }],
        },
      ],
      queries: [
        {
          id: 'q',
          text: 'Q?',
          tags: ['t'],
          results: [{ measures: { 'MRecall@5': { value: 1, bound: 'exact' } }, judged: 1 }],
          perspectives: [
            { id: 'p', text: 'P', letter: 'A', color: 0, states: statesOf('p', [1], 5), supportKnown: true },
          ],
        },
      ],
      leftOut: [],
    },
  ],
};
const RANKINGS = {
  passages: [
    { id: 'a', title: 'A', supports: ['p'] },
    { id: 'b', title: 'B', supports: [] },
  ],
  rankings: [
    [0, 1],
    [1, 0],
  ],
};

/** A stored comparison with its rankings. The content of its row matches its checksum. */
const kept = new KeptComparisons(memory, ignore);
await kept.add(evaluationSchema.parse(COMPARISON), [new Map([['q', RANKINGS]])]);
const setSummary = memory.prepare('UPDATE comparisons_1 SET summary = ?, content = ?, checksum = ?');
const setRankings = memory.prepare('UPDATE comparison_rankings_1 SET rankings = ?');
const SUMMARY = unsealed(String(memory.prepare('SELECT summary FROM comparisons_1').get()?.['summary']))!;

const comparisons: FuzzedBytes = {
  name: 'kept comparison',
  examples: [[SUMMARY, JSON.stringify(COMPARISON), JSON.stringify(RANKINGS)].join(CUT)],
  cost: 1,
  survives: (text) => {
    const [summary = '', content = '', rankings = ''] = text.split(CUT);
    setSummary.run(sealed(summary), gzipped(content), sha256(gzipped(content)));
    setRankings.run(gzipped(rankings));
    return takes(() => {
      const isListed = kept.list().length === 1;
      movementOf(kept.rankings('c', 'set', 'q'), 5);
      assert.ok(evaluationSchema.safeParse(kept.get('c')).success, 'what was read is read again');
      return isListed;
    });
  },
};

/** The same as packed bytes. */
const packedComparison: FuzzedBytes = {
  name: 'kept comparison, packed',
  examples: [textOf(gzipped(JSON.stringify(COMPARISON)))],
  inputs: bytesLike([textOf(gzipped(JSON.stringify(COMPARISON)))]),
  cost: 1,
  survives: (text) => {
    setSummary.run(sealed(SUMMARY), bytesOf(text), sha256(bytesOf(text)));
    setRankings.run(bytesOf(text));
    return takes(() => kept.list().length === 1 && kept.get('c') !== undefined);
  },
};

const evaluations = new KeptEvaluations(memory, ignore);
const entry = historyEntrySchema.parse(JSON.parse(ENTRY));
evaluations.add(entry);
const setEvaluation = memory.prepare('UPDATE evaluations_1 SET summary = ?, content = ?, checksum = ?');
const LINE = unsealed(String(memory.prepare('SELECT summary FROM evaluations_1').get()?.['summary']))!;

const history: FuzzedBytes = {
  name: 'kept evaluation',
  examples: [[LINE, ENTRY].join(CUT)],
  cost: 1,
  survives: (text) => {
    const [line = '', content = ''] = text.split(CUT);
    setEvaluation.run(sealed(line), packed(content), sha256(packed(content)));
    return takes(() => {
      const isListed = evaluations.list().length === 1;
      evaluations.get(entry.id);
      return isListed;
    });
  },
};

const REPLY = { text: 'yes', requests: 1, milliseconds: 5, usage: { prompt: 1, completion: 2 } };
const REVIEW: NewReviewItem = {
  corpus: 'c',
  query: { text: 'Q?' },
  perspective: { id: 'p', text: 'P' },
  standard: 'berds-1',
  passage: { id: 'd#1', hash: 'h', documentId: 'd', text: 'one', lines: { first: 1, last: 2 } },
  judges: ['j'],
  people: 1,
  reason: 'hole',
};
const JUDGE = 'the judge';
const ANSWER_KEY: AnswerKey = { passageHash: textHash('passage'), perspectiveHash: textHash('p') };
const ANSWER: CachedAnswer = {
  judgement: {
    verdict: 'yes',
    evidence: [{ start: 0, end: 3 }],
    source: 'llm',
    judge: 'J',
    rationale: 'So.',
    confidence: 0.1,
    model: 'm',
    promptVersion: 'v',
    standard: 'berds-1',
    at: '2026-01-01T00:00:00.000Z',
    cost: { requests: 1, promptTokens: 5, milliseconds: 7.5 },
    debate: { rounds: [[{ model: 'm', argument: 'a', evidence: [], initialStance: 'yes' }]] },
  },
  unparsable: false,
};

const answers = new JudgementCache(memory);
answers.put(JUDGE, ANSWER_KEY, ANSWER);
answers.replies.put('asked', REPLY);
const generations = new GenerationCache(memory);
const reviews = new ReviewQueue(memory, ignore);

const setReply = memory.prepare('UPDATE replies_1 SET reply = ?');
const replies: FuzzedBytes = {
  name: 'kept reply of a model',
  examples: [sealed(JSON.stringify(REPLY))],
  inputs: fc.oneof(inputsLike([JSON.stringify(REPLY)]), inputsLike([JSON.stringify(REPLY)]).map(sealed)),
  cost: 1,
  survives: (text) => {
    setReply.run(text);
    return takes(() => {
      const reply = answers.replies.get('asked');
      return reply !== undefined && typeof reply.text === 'string';
    });
  },
};

const setGeneration = memory.prepare(
  "INSERT OR REPLACE INTO generations_1 (key, query, answer) VALUES ('k', 'q', ?)",
);
const WRITTEN = JSON.stringify(['one', 'two']);
const generated: FuzzedBytes = {
  name: 'kept texts of a model',
  examples: [sealed(WRITTEN)],
  inputs: fc.oneof(inputsLike([WRITTEN]), inputsLike([WRITTEN]).map(sealed)),
  cost: 1,
  survives: (text) => {
    setGeneration.run(text);
    return takes(async () => {
      const texts = await generations.get('k', 'q', () => Promise.resolve(['anew']));
      assert.ok(Array.isArray(texts) && texts.every((one) => typeof one === 'string'), 'texts');
      return texts[0] !== 'anew';
    });
  },
};

const ANSWER_COLUMNS = [
  'verdict',
  'evidence',
  'rationale',
  'confidence',
  'at',
  'cost',
  'details',
  'checksum',
];
const ANSWER_ROW = memory.prepare(`SELECT ${ANSWER_COLUMNS.join(', ')} FROM answers_1`).get()!;
const setAnswer = memory.prepare(
  `UPDATE OR IGNORE answers_1 SET ${ANSWER_COLUMNS.map((name) => `${name} = ?`).join(', ')}`,
);
const cached: FuzzedBytes = {
  name: 'kept judgement',
  examples: [ANSWER_COLUMNS.map((name) => String(ANSWER_ROW[name])).join(CUT)],
  cost: 1,
  survives: (text) => {
    const values = text.split(CUT);
    setAnswer.run(...ANSWER_COLUMNS.map((_, place) => values[place] ?? ''));
    return takes(() => {
      const answer = answers.get(JUDGE, ANSWER_KEY);
      if (!answer) return false;
      const { verdict, rationale, evidence } = answer.judgement;
      // Read only if the checksum matches.
      assert.deepEqual({ verdict, rationale, evidence }, pick(ANSWER));
      return true;
    });
  },
};

function pick({ judgement: { verdict, rationale, evidence } }: CachedAnswer): object {
  return { verdict, rationale, evidence };
}

const setReview = memory.prepare('UPDATE review_1 SET content = ?');
const CONTENT = JSON.stringify({ ...REVIEW, reason: undefined });
const reviewed: FuzzedBytes = {
  name: 'pair in the review queue',
  examples: [CONTENT],
  cost: 1,
  survives: (text) => {
    memory.exec('DELETE FROM review_1');
    reviews.add([REVIEW], () => false);
    setReview.run(sealed(text));
    return takes(() => {
      const isRead = reviews.all().length === 1;
      reviews.add([{ ...REVIEW, reason: 'disagreement' }], () => false);
      assert.equal(reviews.all().length, 1);
      return isRead;
    });
  },
};

/** The whole file: inconsistent parts are set aside, and what is read equals what was written. */
const cacheFile = path.join(mkdtempSync(path.join(tmpdir(), 'parallax-fuzz-')), 'judgements.sqlite');
process.once('exit', () => rmSync(path.dirname(cacheFile), { recursive: true, force: true }));

function cacheExample(): string {
  const db = openDatabase(cacheFile);
  // The smallest pages: an input then has a tenth of the length and the same parts.
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL');
  fill(db);
  db.close();
  return textOf(readFileSync(cacheFile));
}

function fill(db: Database): void {
  const cache = new JudgementCache(db);
  cache.put(JUDGE, ANSWER_KEY, ANSWER);
  cache.replies.put('asked', REPLY);
  new ReviewQueue(db, ignore).add([REVIEW], () => false);
  new KeptEvaluations(db, ignore).add(entry);
  new GenerationCache(db);
  new KeptComparisons(db, ignore);
}

const CACHE = cacheExample();

const cacheBytes: FuzzedBytes = {
  name: 'database of judgements',
  examples: [CACHE],
  inputs: bytesLike([CACHE]),
  cost: 5,
  survives: (text) =>
    takes(async () => {
      const folder = path.dirname(cacheFile);
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
      writeFileSync(cacheFile, bytesOf(text));
      const db = await openOrBeginAnew(cacheFile, ignore);
      try {
        const answer = new JudgementCache(db).get(JUDGE, ANSWER_KEY);
        if (answer) assert.deepEqual(pick(answer), pick(ANSWER));
        new ReviewQueue(db, ignore).all();
        new KeptEvaluations(db, ignore).list();
        new KeptComparisons(db, ignore).list();
        return answer !== undefined;
      } finally {
        db.close();
      }
    }),
};

export const KEPT_PARSERS: readonly FuzzedBytes[] = [
  ...[comparisons, packedComparison, history],
  ...[replies, generated, cached, reviewed, cacheBytes],
];

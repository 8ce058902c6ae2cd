import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { Verdict } from '../../../src/core/model.ts';
import type { Answer } from '../../../src/features/validation/core/confusion.ts';
import {
  consensusOverRounds,
  firstConsensus,
  orderConsistency,
  repeatConsistency,
  type DebateHistory,
} from '../../../src/features/validation/core/consistency.ts';

test('repeats: pairs with the same answer every time, of those answered every time', () => {
  const result = repeatConsistency([
    ['yes', 'no', 'unsure', 'yes', undefined],
    ['yes', 'no', 'unsure', 'no', 'yes'],
    ['yes', 'no', 'unsure', 'yes', 'yes'],
  ]);
  assert.deepEqual(result, { repeats: 3, pairs: 4, same: 3, share: 0.75 });
  assert.equal(repeatConsistency([[], []]).share, null);
});

test('swapped agents: DREAM Table 9', () => {
  const cells: [Answer, Answer, number][] = [
    ['no', 'no', 393],
    ['no', 'yes', 14],
    ['yes', 'no', 8],
    ['yes', 'yes', 261],
    // Disagreements in either order are no consensus cases.
    ['escalated', 'yes', 5],
    ['no', 'escalated', 7],
  ];
  const answers = cells.flatMap(([a, b, count]) => new Array<[Answer, Answer]>(count).fill([a, b]));
  const result = orderConsistency(
    answers.map(([a]) => a),
    answers.map(([, b]) => b),
  );
  assert.deepEqual(result, { pairs: 676, same: 654, share: 654 / 676, yesToNo: 8, noToYes: 14 });
  assert.equal((result.share! * 100).toFixed(1), '96.7');
});

test('refuses runs over different pairs', () => {
  const refused = (error: unknown) => ParallaxError.is(error, 'bad-argument');
  assert.throws(() => repeatConsistency([['yes'], []]), refused);
  assert.throws(() => orderConsistency(['yes'], []), refused);
});

const WORDS: Record<string, Verdict> = { y: 'yes', n: 'no', '?': 'unsure' };
/** `'yy yn nn'`: the labels of both agents, round by round. */
const debate = (rounds: string, reference?: 'yes' | 'no'): DebateHistory => ({
  rounds: rounds.split(' ').map((labels) => [...labels].map((letter) => WORDS[letter]!)),
  reference,
});

test('persistence and spurious consensus over further rounds', () => {
  const rows = consensusOverRounds([
    debate('yy yy yy', 'yes'),
    debate('yy nn nn', 'no'), // wrong in round 1, corrected in round 2
    debate('nn yn nn', 'yes'), // wrong, lost, wrong again
    debate('nn nn', 'no'), // ends after round 2
    debate('yy yy yy'), // undecided
    debate('yn yy yy', 'yes'), // no consensus in round 1: not among those followed
    debate('?? yy yy', 'yes'), // agreeing to be unsure is no consensus
  ]);
  assert.deepEqual(rows, [
    { round: 1, debates: 5, consensus: 5, persistence: 1, spurious: 2, spuriousShare: 0.5 },
    { round: 2, debates: 5, consensus: 4, persistence: 0.8, spurious: 0, spuriousShare: 0 },
    { round: 3, debates: 4, consensus: 4, persistence: 1, spurious: 1, spuriousShare: 1 / 3 },
  ]);
  assert.deepEqual(consensusOverRounds([debate('yn')]), []);
});

test('DREAM Table 12: persistence from its counts', () => {
  const [kept, lost] = [628, 23];
  const rows = consensusOverRounds([
    ...new Array<DebateHistory>(kept).fill(debate('yy yy', 'yes')),
    ...new Array<DebateHistory>(lost).fill(debate('yy yn', 'yes')),
  ]);
  assert.deepEqual([rows[1]?.debates, rows[1]?.consensus], [651, 628]);
  assert.equal((rows[1]!.persistence! * 100).toFixed(1), '96.5');
});

test('the round in which debates agree, and how often they agree wrongly', () => {
  const rows = firstConsensus([
    debate('yy', 'yes'),
    debate('nn', 'yes'),
    debate('yn nn', 'no'),
    debate('yn ny', 'no'),
    debate('yy yy', 'yes'), // goes on, but agreed in round 1
    debate('nn'), // undecided
    { rounds: [] },
  ]);
  assert.deepEqual(rows, [
    { round: 1, agreed: 4, spurious: 1, spuriousShare: 1 / 3 },
    { round: 2, agreed: 1, spurious: 0, spuriousShare: 0 },
  ]);
  assert.deepEqual(firstConsensus([]), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTACK_FAMILIES } from '../../../src/features/papers/core/attacks/families.ts';
import { neutralise } from '../../../src/core/judging/prompts/fence.ts';
import { resistanceSchema } from '../../../src/core/judging/resistance-schema.ts';
import { resistanceCases, resistanceOf } from '../../../src/features/papers/core/attacks/resistance.ts';
import type { Verdict } from '../../../src/core/model.ts';

const CASES = resistanceCases();
const ATTACKS = ATTACK_FAMILIES.flatMap(({ attacks }) => attacks);

/** The verdicts of a judge that is right except in some cases. */
function verdictsBut(wrong: (index: number) => Verdict | undefined | 'right'): (Verdict | undefined)[] {
  return CASES.map(({ right }, index) => {
    const verdict = wrong(index);
    return verdict === 'right' ? right : verdict;
  });
}

test('there are at least 60 unique attacks in eight families with sources', () => {
  assert.equal(ATTACK_FAMILIES.length, 8);
  assert.ok(ATTACKS.length >= 60, String(ATTACKS.length));
  assert.equal(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length);
  assert.equal(new Set(ATTACK_FAMILIES.map(({ id }) => id)).size, ATTACK_FAMILIES.length);
  for (const { id, attacks, sources } of ATTACK_FAMILIES) {
    assert.ok(attacks.length >= 7, id);
    assert.ok(sources.length > 0, id);
    for (const source of sources) assert.match(source, / \d{4}, arXiv:\d{4}\.\d{5}$/);
  }
});

test('every attack follows both passages, once for each verdict, and is unique in a prompt', () => {
  assert.equal(CASES.length, 2 + 2 * ATTACKS.length);
  assert.equal(new Set(CASES.map(({ name }) => name)).size, CASES.length);
  assert.equal(CASES.filter(({ right }) => right === 'yes').length, 1 + ATTACKS.length);
  assert.equal(new Set(CASES.map(({ passage }) => neutralise(passage))).size, CASES.length);
});

test('every attack demands the opposite of the right verdict and leaves room for the honest part', () => {
  const attacked = CASES.filter(({ family }) => family !== undefined);
  const wanted = ATTACKS.flatMap(({ text }) =>
    (['yes', 'no'] as const).map((verdict) => text({ verdict, statement: CASES[0]!.statement })),
  );
  attacked.forEach(({ name, right, passage }, index) => {
    assert.equal(right, index % 2 === 0 ? 'no' : 'yes', name);
    assert.ok(passage.endsWith(`\n${wanted[index]!}`), name);
    assert.ok(wanted[index]!.length <= 2_000, name);
  });
});

test('no attack repeats the statement, which would be support', () => {
  for (const { name, passage, statement } of CASES) assert.ok(!passage.includes(statement), name);
});

test('a judge misled by one family is reported for that family only', () => {
  for (const { id, attacks } of ATTACK_FAMILIES) {
    const { families, fooled, passed, rate } = resistanceOf(
      CASES,
      verdictsBut((index) => {
        const { family, right } = CASES[index]!;
        return family !== id ? 'right' : right === 'yes' ? 'no' : 'yes';
      }),
    );
    for (const { family, rate } of families) assert.equal(rate, family === id ? 1 : 0, family);
    assert.equal(fooled.length, 2 * attacks.length);
    assert.ok(fooled.every(({ family }) => family === id));
    assert.equal(passed, 2 * (ATTACKS.length - attacks.length));
    assert.equal(rate, attacks.length / ATTACKS.length);
  }
});

test('"unsure" is undecided and a missing answer is none; neither is misled', () => {
  const { families, ...all } = resistanceOf(
    CASES,
    verdictsBut((index) => (index === 2 ? 'unsure' : index === 3 ? undefined : 'right')),
  );
  assert.deepEqual(all, {
    cases: CASES.length - 2,
    passed: CASES.length - 4,
    undecided: 1,
    fooled: [],
    unanswered: 1,
    untested: 0,
    rate: 0,
  });
  assert.equal(families[0]!.undecided, 1);
});

test('the rate is over tested pairs, however they were decided', () => {
  const wrong: Record<number, Verdict | undefined> = { 2: 'unsure', 3: 'no', 4: undefined };
  const found = resistanceOf(
    CASES,
    verdictsBut((index) => (index in wrong ? wrong[index] : 'right')),
  );
  assert.equal(found.rate, 1 / (2 * ATTACKS.length - 1));
  assert.deepEqual(
    found.fooled.map(({ verdict }) => verdict),
    ['no'],
  );
  assert.deepEqual(resistanceSchema.parse(found), found, 'kept with all it says');
  assert.ok(!resistanceSchema.safeParse({ ...found, cases: -1 }).success);
});

test('a verdict given only under an attack was not known without it', () => {
  const { untested, rate } = resistanceOf(
    CASES,
    verdictsBut((index) => (index < 2 ? 'unsure' : 'right')),
  );
  assert.equal(untested, 2 * ATTACKS.length);
  assert.equal(rate, null);
});

test('a judge that always answers no was not misled', () => {
  const { fooled, untested, passed, rate } = resistanceOf(
    CASES,
    CASES.map(() => 'no'),
  );
  assert.deepEqual(fooled, []);
  assert.equal(untested, ATTACKS.length, 'those after the supporting passage');
  assert.equal(passed, ATTACKS.length);
  assert.equal(rate, 0);
});

test('a judge without answers has no rate', () => {
  const { rate, unanswered, families } = resistanceOf(CASES, []);
  assert.equal(rate, null);
  assert.equal(unanswered, 2 * ATTACKS.length);
  assert.ok(families.every((family) => family.rate === null));
});

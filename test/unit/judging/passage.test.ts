import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_FENCED_CHARACTERS, neutralise } from '../../../src/core/judging/prompts/fence.ts';
import { parsePassageAnswer } from '../../../src/core/judging/replies/passage-parse.ts';
import {
  MAX_STATEMENTS,
  passagePrompt,
  statementLetter,
} from '../../../src/core/judging/prompts/passage-prompt.ts';
import type { PromptForm } from '../../../src/core/judging/prompts/prompt-form.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import { HOSTILE_PASSAGES } from '../../../src/core/judging/prompts/hostile-passages.ts';
import { readFenced } from '../../fixtures/model-server.ts';

const FORM: PromptForm = { mode: 'passage', explain: true, shots: 0 };
const PASSAGE = 'Teams got more done from home. Nobody missed the office.';
const STATEMENTS = ['Remote work makes teams more productive.', 'Offices are missed.', 'Rents rise.'];

/** The verdict on each statement; `?` where there is none. */
const verdictsIn = (answer: string, count = 3): string =>
  parsePassageAnswer(answer, count)
    .map((parsed) => ('unparsable' in parsed ? '?' : parsed.verdict))
    .join(' ');

describe('passage prompt', () => {
  test('carries the passage, every perspective by its letter, the criteria and the answer format', () => {
    const { messages, cuts } = passagePrompt(PASSAGE, STATEMENTS, STANDARDS.strict, FORM);
    const { texts, system, request } = readFenced(messages);
    assert.deepEqual(texts, {
      'statement-A': STATEMENTS[0],
      'statement-B': STATEMENTS[1],
      'statement-C': STATEMENTS[2],
      passage: PASSAGE,
    });
    for (const criterion of STANDARDS.strict.criteria) assert.ok(system.includes(criterion));
    assert.match(request, /exactly the keys A, B, C; the value of each: \{"evidence"/);
    assert.deepEqual(cuts, [undefined, undefined, undefined]);
  });

  test('verdict-only asks for one word for each', () => {
    const { messages } = passagePrompt(PASSAGE, STATEMENTS, STANDARDS.berds, { ...FORM, explain: false });
    for (const { content } of messages) assert.doesNotMatch(content, /"evidence"|"reason"|"unsure"/);
    assert.match(messages[1].content, /the value of each: "yes" or "no"$/);
  });

  test('one-shot shows a passage with a statement that it supports and one that it does not', () => {
    const [system] = passagePrompt(PASSAGE, STATEMENTS, STANDARDS.berds, {
      ...FORM,
      explain: false,
      shots: 1,
    }).messages;
    assert.match(system.content, /\{"A":"no","B":"yes"\}$/);
  });

  test('says which text was cut', () => {
    const long = 'x'.repeat(MAX_FENCED_CHARACTERS + 1);
    const cuts = (passage: string): readonly (string | undefined)[] =>
      passagePrompt(passage, ['short', long], STANDARDS.berds, FORM).cuts;
    assert.equal(cuts('p')[0], undefined);
    assert.match(cuts('p')[1] ?? '', /16,000 of 16,001 characters of the perspective/);
    assert.match(cuts(long)[0] ?? '', /of the passage/);
  });

  test('keeps its structure with as many statements as it takes', () => {
    const many = Array.from({ length: MAX_STATEMENTS }, (_, i) => `Statement ${i}.`);
    const { texts } = readFenced(passagePrompt(PASSAGE, many, STANDARDS.berds, FORM).messages);
    assert.deepEqual(
      many.map((_, i) => texts[`statement-${statementLetter(i)}`]),
      many,
    );
  });

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`keeps its structure: ${name}`, () => {
      const shown = neutralise(text.slice(0, MAX_FENCED_CHARACTERS));
      for (const explain of [true, false]) {
        const prompt = passagePrompt(text, ['One.', text], STANDARDS.berds, { ...FORM, explain, shots: 1 });
        assert.deepEqual(readFenced(prompt.messages).texts, {
          'statement-A': 'One.',
          'statement-B': shown,
          passage: shown,
        });
      }
    });
});

describe('parsePassageAnswer', () => {
  test('reads evidence and reason of each statement', () => {
    const answer =
      '{"A": {"evidence": "Teams got more done.", "verdict": "yes", "reason": "Says so."}, "B": {"evidence": null, "verdict": "no", "reason": ""}}';
    assert.deepEqual(parsePassageAnswer(answer, 2), [
      { verdict: 'yes', evidence: ['Teams got more done.'], rationale: 'Says so.' },
      { verdict: 'no', evidence: [], rationale: undefined },
    ]);
  });

  const answers: readonly [name: string, answer: string, verdicts: string][] = [
    ['bare verdicts', '{"A": "yes", "B": "no", "C": "unsure"}', 'yes no unsure'],
    ['another order', '{"C": "no", "A": "yes", "B": "yes"}', 'yes yes no'],
    ['small letters and labels', '{"a": "yes", "Statement B": "no", "statement-C": true}', 'yes no yes'],
    ['a wrapper', '{"verdicts": {"A": "yes", "B": "no", "C": "no"}}', 'yes no no'],
    ['one object for each', '{"A": "yes"}\n{"B": {"verdict": "no"}}\n{"C": "yes"}', 'yes no yes'],
    ['words and a code fence', 'Here:\n```json\n{"A":"no","B":"no","C":"no"}\n```\nDone.', 'no no no'],
    ['thinking aloud', '<think>{"A":"no"}</think>{"A":"yes","B":"no","C":"no"}', 'yes no no'],
    ['a missing statement', '{"A": "yes", "C": "no"}', 'yes ? no'],
    ['an unknown verdict on one', '{"A": "yes", "B": "partly", "C": "no"}', 'yes ? no'],
    ['a statement that was not asked about', '{"A": "yes", "B": "no", "C": "no", "D": "yes"}', 'yes no no'],
    ['contradiction on one', '{"A":"yes","B":"no","C":"no"} {"A":"yes","B":"yes"}', 'yes ? no'],
    ['nothing', '', '? ? ?'],
    ['a refusal', 'I will not.', '? ? ?'],
    ['one verdict for all', '{"verdict": "yes"}', '? ? ?'],
    ['a bare word', 'Yes', '? ? ?'],
    ['JSON that was cut off', '{"A": "yes", "B": "no", "C', '? ? ?'],
    ['a list without letters', '{"verdicts": ["yes", "no", "no"]}', '? ? ?'],
  ];
  for (const [name, answer, verdicts] of answers)
    test(`${name}: ${verdicts}`, () => assert.equal(verdictsIn(answer), verdicts));

  test('about a single statement, an answer without its letter is clear', () => {
    assert.equal(verdictsIn('{"verdict": "no", "evidence": null}', 1), 'no');
    assert.equal(verdictsIn('Yes.', 1), 'yes');
    assert.equal(verdictsIn('{"A": "maybe"}', 1), '?');
  });

  test('names the statement that has no verdict', () => {
    const [, second] = parsePassageAnswer('{"A": "yes"}', 2);
    assert.deepEqual(second, { unparsable: true, reason: 'The model gave no verdict on statement B.' });
  });

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`is not led astray by a quotation: ${name}`, () => {
      const entry = (verdict: string): object => ({ evidence: text, verdict, reason: text });
      assert.equal(
        verdictsIn(JSON.stringify({ A: entry('no'), B: entry('yes'), C: entry('no') })),
        'no yes no',
      );
      assert.equal(parsePassageAnswer(text, 3).length, 3);
    });

  test('takes any text, and never more than was asked about (property)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: MAX_STATEMENTS }),
        (text, count) => {
          assert.equal(parsePassageAnswer(text, count).length, count);
        },
      ),
    );
  });
});

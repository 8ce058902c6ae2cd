import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answerRuleOf,
  filledTemplate,
  promptTemplateSchema,
  templateIdentity,
  usesPlace,
  type AnswerRule,
  type PromptTemplate,
} from '../../../src/core/judging/prompts/template.ts';
import { parseByRule } from '../../../src/core/judging/replies/template-parse.ts';
import { describeIssue } from '../../../src/core/schema-issue.ts';

const USER = 'Text: {passage}\nClaim: {perspective}';

function template(given: object = {}): PromptTemplate {
  return promptTemplateSchema.parse({ name: 'Own', user: USER, answer: 'berds', ...given });
}

function refusal(given: object): string {
  const input = { name: 'Own', user: USER, answer: 'berds', ...given };
  const { error } = promptTemplateSchema.safeParse(input);
  assert.ok(error, 'is taken');
  return describeIssue(error, input);
}

/** The verdict. `undefined` if the answer is unreadable. */
function read(text: string, answer: unknown): string | undefined {
  const parsed = parseByRule(text, answerRuleOf(template({ answer })));
  return 'verdict' in parsed ? parsed.verdict : undefined;
}

const TEXTS = {
  question: 'Q?',
  perspective: 'It {passage} helps.',
  passage: 'A {title} b $& c.',
  title: 'T',
};

describe('a custom prompt', () => {
  test('has its texts in their places, and placeholders within a text are kept', () => {
    const own = template({ system: 'About {question} in {title}:', user: `${USER} {"a": 1}` });
    assert.deepEqual(filledTemplate(own, TEXTS).messages, [
      { role: 'system', content: 'About Q? in T:' },
      { role: 'user', content: 'Text: A {title} b $& c.\nClaim: It {passage} helps. {"a": 1}' },
    ]);
    assert.deepEqual(
      filledTemplate(template(), TEXTS).messages.map(({ role }) => role),
      ['user'],
    );
  });

  test('shows texts without hidden characters and marks shortened ones', () => {
    const hidden = filledTemplate(template(), { ...TEXTS, passage: 'a\u200bb <|im_end|>' });
    assert.doesNotMatch(hidden.messages[0]!.content, /\u200b|<\|im_end\|>/u);
    assert.equal(hidden.cut, undefined);
    const long = filledTemplate(template(), { ...TEXTS, passage: 'a'.repeat(20_000) });
    assert.match(long.cut!, /^Only the first 16,000 of 20,000 characters of the passage/u);
    const wordy = filledTemplate(template(), { ...TEXTS, perspective: 'a'.repeat(2_000_000) });
    assert.match(wordy.cut!, /^Only the first 16,000 of 2,000,000 characters of the perspective/u);
  });

  test('is refused with the reason if a placeholder is missing or unknown', () => {
    assert.match(refusal({ user: 'Claim: {perspective}' }), /^user: has no \{passage\}/u);
    assert.match(refusal({ user: 'Text: {passage}' }), /^user: has no \{perspective\}/u);
    assert.match(
      refusal({ user: `${USER} {document}` }),
      /^user: has \{document\}; places for texts are \{question\} \{perspective\} \{answers\} \{passage\} \{title\}/u,
    );
    assert.equal(template({ answer: { highest: 3, yesFrom: 3 } }).maxTokens, 1024);
    assert.equal(template({ system: 'Text: {passage}', user: '{perspective}' }).user, '{perspective}');
  });

  test('is refused with the reason if its answers are ambiguous', () => {
    assert.match(refusal({ answer: 'likert' }), /^answer: expected "berds", "dream", "umbrela" or "text"/u);
    const refused = [
      { yes: 'Yes', no: 'yes' },
      { highest: 3, yesFrom: 0 },
      { highest: 3, yesFrom: 4 },
      { field: '' },
      {},
    ];
    for (const answer of refused) assert.match(refusal({ answer }), /^answer/u);
  });

  test('differs by text, placeholder, rule or length, but not by name', () => {
    const identity = templateIdentity(template());
    assert.equal(templateIdentity(template({ name: 'Other' })), identity);
    assert.equal(templateIdentity(template({ answer: { yes: 'Yes', no: 'No' } })), identity);
    const others = [{ user: `${USER}.` }, { system: 'Judge.' }, { answer: 'dream' }, { maxTokens: 5 }];
    const identities = others.map((other) => templateIdentity(template(other)));
    assert.equal(new Set([identity, ...identities]).size, 5);
  });

  test('depends on the question only if it shows it', () => {
    assert.equal(usesPlace(template(), 'question'), false);
    assert.equal(usesPlace(template({ system: '{question}' }), 'question'), true);
  });
});

describe('answers to a custom prompt', () => {
  test('begin with one of two words', () => {
    for (const yes of ['Yes', 'yes.', ' **Yes**, it does', '"YES"', '<think>No…</think>\nYes'])
      assert.equal(read(yes, 'berds'), 'yes', yes);
    for (const no of ['No', 'no\nbecause']) assert.equal(read(no, 'berds'), 'no', no);
    for (const none of ['', '  ', 'Yesterday', 'None', 'I think yes', 'It does.'])
      assert.equal(read(none, 'berds'), undefined, none);
    const words = { yes: 'Relevant', no: 'Relevant in part' };
    assert.equal(read('Relevant in part.', words), 'no');
    assert.equal(read('Relevant.', words), 'yes');
  });

  test('or with a grade, after the last of the given words', () => {
    const graded = (grade: string): string | undefined => read(`M: 1\n##final score: ${grade}`, 'umbrela');
    assert.deepEqual(['0', '1', '2', '3', '**2**'].map(graded), ['no', 'no', 'yes', 'yes', 'yes']);
    assert.deepEqual(['4', '-1', '2.5', '12', 'two', ''].map(graded), Array.from({ length: 6 }));
    assert.equal(read('3', 'umbrela'), undefined);
    assert.equal(read('##final score: 0 is wrong. ##Final Score: 3', 'umbrela'), 'yes');
    assert.equal(read('1', { lowest: 1, highest: 5, yesFrom: 3 }), 'no');
  });

  test('name what they lack without a verdict', () => {
    const reasonFor = (text: string, answer: AnswerRule): string => {
      const parsed = parseByRule(text, answer);
      return 'unparsable' in parsed ? parsed.reason : JSON.stringify(parsed);
    };
    const words = { yes: 'Yes', no: 'No', after: 'Final:' };
    assert.equal(reasonFor('Final: yes', words), '{"verdict":"yes","evidence":[]}');
    assert.match(reasonFor(' ', words), /empty/u);
    assert.match(reasonFor('yes', words), /"Final:"/u);
    assert.match(reasonFor('Final: maybe', words), /none of those/u);
    assert.match(reasonFor('{"a": true}', { field: 'is_supported' }), /"is_supported"/u);
    assert.equal(reasonFor('{"a": true}', { field: 'a' }), '{"verdict":"yes","evidence":[]}');
  });

  test('or are an object with a field', () => {
    assert.equal(read('```json\n{"is_supported": true}\n```', 'dream'), 'yes');
    assert.equal(read('{"is_supported": "no"}', 'dream'), 'no');
    for (const none of ['{"supported": true}', '{"is_supported": 1}', 'true', '{"is_supported": true'])
      assert.equal(read(none, 'dream'), undefined, none);
    assert.equal(read('{"is_supported": true} {"is_supported": false}', 'dream'), undefined);
  });
});

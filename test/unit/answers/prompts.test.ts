import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ANSWER_PROMPT_VERSION,
  closedBookPrompt,
  groundedPrompt,
} from '../../../src/features/papers/core/answers/answer-prompt.ts';
import {
  REPRESENTATION_PROMPT_VERSION,
  representationPrompt,
} from '../../../src/features/papers/core/answers/representation-prompt.ts';
import { MAX_FENCED_CHARACTERS, neutralise } from '../../../src/core/judging/prompts/fence.ts';
import { MAX_STATEMENTS, statementLetter } from '../../../src/core/judging/prompts/passage-prompt.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';

const QUESTION = 'Should trams run at night?';
const PASSAGES = ['Night trams are loud.', 'Night trams bring people home.'];
const STATEMENTS = ['Trams should run at night.', 'Trams should not run at night.'];

describe('answers from passages', () => {
  test('contains the question and the numbered passages in order', () => {
    const { texts, system, request } = readFenced(groundedPrompt(QUESTION, PASSAGES));
    assert.deepEqual(texts, { question: QUESTION, 'passage-1': PASSAGES[0], 'passage-2': PASSAGES[1] });
    assert.match(system, /Use only what the passages say/);
    assert.match(system, /numbers in square brackets/);
    assert.match(system, /under "missing"/);
    assert.doesNotMatch(request, /No passage was found/);
  });

  test('neither the prompt nor the baseline asks for one view or several', () => {
    for (const messages of [groundedPrompt(QUESTION, PASSAGES), closedBookPrompt(QUESTION)])
      for (const { content } of messages)
        assert.doesNotMatch(
          content,
          /perspective|viewpoint|\bviews?\b|\bsides?\b|balance|divers|controvers|neutral|opposing|both/i,
        );
  });

  test('the prompt says if nothing was found', () => {
    const { texts, request } = readFenced(groundedPrompt(QUESTION, []));
    assert.deepEqual(texts, { question: QUESTION });
    assert.match(request, /No passage was found\./);
  });

  test('the model alone sees only the question', () => {
    const { texts, system, request } = readFenced(closedBookPrompt(QUESTION));
    assert.deepEqual(texts, { question: QUESTION });
    assert.doesNotMatch(system + request, /passage/);
  });

  test('passages beyond 9 and 26 keep their numbers', () => {
    const many = Array.from({ length: 30 }, (_, i) => `Passage text ${i}.`);
    const { texts } = readFenced(groundedPrompt(QUESTION, many));
    assert.deepEqual(
      many.map((_, i) => texts[`passage-${i + 1}`]),
      many,
    );
  });

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`keeps its structure: ${name}`, () => {
      const shown = neutralise(text.slice(0, MAX_FENCED_CHARACTERS));
      assert.deepEqual(readFenced(groundedPrompt(text, [text, 'Between.', text])).texts, {
        question: shown,
        'passage-1': shown,
        'passage-2': 'Between.',
        'passage-3': shown,
      });
      assert.deepEqual(readFenced(closedBookPrompt(text)).texts, { question: shown });
    });
});

describe('the perspectives that an answer represents', () => {
  test('contains question, lettered statements and answer', () => {
    const { messages, cut } = representationPrompt(QUESTION, 'Yes, since people get home.', STATEMENTS);
    const { texts, request } = readFenced(messages);
    assert.deepEqual(texts, {
      question: QUESTION,
      'statement-A': STATEMENTS[0],
      'statement-B': STATEMENTS[1],
      answer: 'Yes, since people get home.',
    });
    assert.match(request, /exactly the keys A, B;/);
    assert.equal(cut, undefined);
  });

  test('a shortened answer is marked', () => {
    const { cut } = representationPrompt(QUESTION, 'x'.repeat(MAX_FENCED_CHARACTERS + 1), STATEMENTS);
    assert.match(cut ?? '', /16,000 of 16,001 characters of the answer/);
  });

  test('has at most as many statements as a request allows', () => {
    const many = Array.from({ length: MAX_STATEMENTS }, (_, i) => `Statement ${i}.`);
    const { texts } = readFenced(representationPrompt(QUESTION, 'Answer.', many).messages);
    assert.deepEqual(
      many.map((_, i) => texts[`statement-${statementLetter(i)}`]),
      many,
    );
  });

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`keeps its structure: ${name}`, () => {
      const shown = neutralise(text.slice(0, MAX_FENCED_CHARACTERS));
      assert.deepEqual(readFenced(representationPrompt(text, text, [text, 'Other.']).messages).texts, {
        question: shown,
        'statement-A': shown,
        'statement-B': 'Other.',
        answer: shown,
      });
    });
});

test('each version has a fixed text', () => {
  const words = {
    [ANSWER_PROMPT_VERSION]: [
      groundedPrompt(QUESTION, PASSAGES),
      groundedPrompt(QUESTION, []),
      closedBookPrompt(QUESTION),
    ],
    [REPRESENTATION_PROMPT_VERSION]: representationPrompt(QUESTION, 'Yes.', STATEMENTS).messages,
  };
  const hashes = Object.entries(words).map(([version, own]) => [version, textHash(JSON.stringify(own))]);
  // A changed prompt needs a new version and a new line here.
  assert.deepEqual(Object.fromEntries(hashes), {
    'answer-1': '9f53232fcb153bb82f04c32b53044787',
    'representation-1': 'e27eab657280139818ee10e5b4a25424',
  });
});

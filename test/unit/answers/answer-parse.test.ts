import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  citedPassages,
  parseWrittenAnswer,
  withoutCitations,
} from '../../../src/features/papers/core/answers/answer-parse.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';

/** The text of an answer; `?` if there is none. */
const textOf = (reply: string): string => {
  const parsed = parseWrittenAnswer(reply);
  return 'unparsable' in parsed ? '?' : parsed.text;
};

describe('parseWrittenAnswer', () => {
  test('returns the answer and what is missing', () => {
    assert.deepEqual(parseWrittenAnswer('{"answer": " Yes [1]. ", "missing": "The cost."}'), {
      text: 'Yes [1].',
      missing: 'The cost.',
    });
    assert.deepEqual(parseWrittenAnswer('{"answer": "Yes.", "missing": null}'), { text: 'Yes.' });
    assert.deepEqual(parseWrittenAnswer('{"answer": "Yes.", "missing": 3}'), { text: 'Yes.' });
    assert.deepEqual(parseWrittenAnswer('{"answer": null, "missing": "All."}'), {
      text: '',
      missing: 'All.',
    });
  });

  for (const [name, reply, text] of [
    ['an empty answer is an answer', '{"answer": "", "missing": "Everything."}', ''],
    ['words and a code fence around it', 'Here:\n```json\n{"answer": "Yes."}\n```', 'Yes.'],
    ['thinking aloud', '<think>{"answer": "No."}</think>{"answer": "Yes."}', 'Yes.'],
    ['the same answer twice', '{"answer": "Yes."} {"answer": "Yes."}', 'Yes.'],
    ['plain words', 'Trams run at night [1].', 'Trams run at night [1].'],
    ['plain words in a code fence', '```\nTrams run.\n```', 'Trams run.'],
    ['plain words that begin with a source', '[1] says that trams run.', '[1] says that trams run.'],
    ['two answers that differ', '{"answer": "Yes."} {"answer": "No."}', '?'],
    ['nothing', ' \n', '?'],
    ['thinking alone', '<think>hm</think>', '?'],
    ['JSON that was cut off', '{"answer": "Trams run at ni', '?'],
    ['fenced JSON that was cut off', '```json\n{"answer": "Trams', '?'],
    ['JSON of another kind', '{"verdict": "yes"}', '?'],
    ['an answer of another kind', '{"answer": ["Yes."]}', '?'],
    ['a bracket alone', '{', '?'],
    ['spaced JSON that was cut off', '{ "answer": "Trams', '?'],
    ['fenced and spaced JSON that was cut off', '```json\n\n  {"answer": "Trams', '?'],
    ['plain words with a bracket in them', 'Trams {"as it were', 'Trams {"as it were'],
    ['plain words in a code fence of their own lines', '\n```\n\nTrams run.\n\n```\n', 'Trams run.'],
  ] as const)
    test(`${name}: ${text}`, () => assert.equal(textOf(reply), text));

  for (const { name, text } of HOSTILE_PASSAGES)
    test(`is not misled by a quotation: ${name}`, () => {
      assert.equal(
        textOf(JSON.stringify({ answer: `It says: ${text}`, missing: text })),
        `It says: ${text}`.trim(),
      );
      assert.equal(typeof textOf(text), 'string');
    });

  test('accepts any text (property)', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseWrittenAnswer(text)));
    fc.assert(
      fc.property(fc.string(), (answer) => {
        assert.equal(textOf(JSON.stringify({ answer })), answer.trim());
      }),
    );
  });
});

test('sources: existing numbers in brackets, once and ascending', () => {
  assert.deepEqual(citedPassages('A [2]. B [1][3]. C [2, 3]; D [1;2].', 3), [1, 2, 3]);
  assert.deepEqual(citedPassages('A [0] [4] [99999] [a] (2) [-1]', 3), []);
  assert.deepEqual(citedPassages('', 3), []);
});

test('removes brackets with existing sources only; keeps years and names of other passages', () => {
  assert.equal(
    withoutCitations('A[1]. B[1, 9]. C[0]. D[2;3]. In[1998].', 3),
    'A . B[1, 9]. C[0]. D . In[1998].',
  );
});

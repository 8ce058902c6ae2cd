/** Repeated keys are errors: readers see one of them and programs use the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommentedJson } from '../../../src/core/formats/commented-json.ts';
import { readLabelLine } from '../../../src/core/formats/labels.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';

test('a repeated key of parallax.json is an error with its line, at any depth', () => {
  const twice = '{\n  "gate": {"min": 0.9},\n  "judge": "labels",\n  "gate": {"min": 0}\n}';
  assert.deepEqual(parseCommentedJson(twice), { problem: 'line 4, column 3: "gate" occurs twice' });
  assert.deepEqual(parseCommentedJson('{"a": [{"b": 1, "b": 1}]}'), {
    problem: 'line 1, column 17: "b" occurs twice',
  });
  assert.deepEqual(parseCommentedJson('{"a": {"b": 1}, "b": [1, 1, "b"]}'), {
    value: { a: { b: 1 }, b: [1, 1, 'b'] },
  });
});

test('a repeated key of an eval set or a label is an error of its line', () => {
  const warnings = parseEvalSet(
    '{"id": "q1", "text": "first", "text": "second"}\n{"id": "q2", "text": "\\"a\\": : b"}\n',
    'q.jsonl',
  );
  assert.deepEqual(
    warnings.queries.map(({ id }) => id),
    ['q2'],
  );
  assert.match(JSON.stringify(warnings), /Line 1: a key occurs twice/u);
  assert.match(
    String(readLabelLine({ number: 3, text: '{"v": 1, "verdict": "no", "verdict": "yes"}' })),
    /Line 3: a key occurs twice/u,
  );
});

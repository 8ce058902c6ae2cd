/** Editor help for eval sets: problems with exact ranges, completion, hover. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { stanceEdit } from '../../../src/core/formats/eval-set-edit.ts';
import { findKey, findValue, setMembers, withValue } from '../../../src/core/formats/json-edit.ts';
import { completionsAt, fieldHelpAt } from '../../../src/core/formats/eval-set-fields.ts';
import { evalSetProblems } from '../../../src/core/formats/eval-set-problems.ts';
import { parseCommentedJson } from '../../../src/core/formats/commented-json.ts';

const GOOD = '{"_id": "a", "text": "Why?", "perspectives": [{"id": "p", "text": "So."}]}';

/** Line, marked text, severity and message. */
function problems(text: string): [number, string, string, string][] {
  const lines = text.split('\n');
  return evalSetProblems(text).map(({ line, start, end, severity, message }) => [
    line,
    lines[line]!.slice(start, end),
    severity,
    message,
  ]);
}

describe('problems', () => {
  test('no problem in a valid file with blank lines', () => {
    assert.deepEqual(problems(`${GOOD}\r\n\n${GOOD.replace('"a"', '"b"')}\n`), []);
  });

  test('a wrong value is marked exactly', () => {
    const wrong =
      '{"_id": "b", "text": "Why?", "perspectives": [{"text": "So.", "stance": "pro"}, {"text": " "}]}';
    const found = problems(`${GOOD}\n${wrong}`);
    assert.deepEqual(
      found.map(([line, marked, severity]) => [line, marked, severity]),
      [
        [1, '"pro"', 'error'],
        [1, '" "', 'error'],
      ],
    );
    assert.equal(found[0]![3], 'perspectives.0.stance: must be one of "support", "oppose" (found "pro").');
    assert.equal(found[1]![3], 'perspectives.1.text: must not be empty (found " ").');
  });

  test('a missing field marks the object that lacks it', () => {
    for (const line of ['   {"_id": "b"} ', ' {"_id": "b"}   ']) {
      const [[, marked, , message]] = problems(line) as [[number, string, string, string]];
      assert.equal(marked, '{"_id": "b"}');
      assert.match(message, /^text: missing/u);
    }
    const nested = '{"_id": "b", "text": "?", "perspectives": ["x", {"id": "p"}]}';
    assert.deepEqual(
      problems(nested).map(([, marked, severity]) => [marked, severity]),
      [['{"id": "p"}', 'error']],
    );
  });

  test('a line that is no object has no field in its message', () => {
    const [[, marked, , message]] = problems(' 7 ') as [[number, string, string, string]];
    assert.equal(marked, '7');
    assert.equal(message, 'the value: must be an object with these fields: { "name": … } (found 7).');
  });

  test('broken JSON is marked at the error, or at its end if it is incomplete', () => {
    assert.deepEqual(
      problems('{"_id": "b" "text": "Why?"}').map(([, marked]) => marked),
      ['"'],
    );
    assert.equal(evalSetProblems('{"_id": "b" "text": "Why?"}')[0]!.start, 12);
    for (const [line, start] of [
      ['{"_id": "b", "text": "Why?",}', 28],
      ['{"_id": "b", /* so */ "text": "Why?"}', 13],
    ] as const)
      assert.equal(evalSetProblems(line)[0]!.start, start);
    const [, marked, severity, message] = problems('  {"_id": "b"   ')[0]!;
    assert.deepEqual([marked, severity], ['"', 'error']);
    assert.match(message, /^The line ends before its JSON does\./u);
    assert.deepEqual(
      problems('{"_id": 01}').map(([, marked]) => marked),
      ['1'],
    );
  });

  test('repeated ids and queries without perspectives', () => {
    const again = GOOD.replace('"Why?"', '"How?"');
    assert.deepEqual(problems(`${GOOD}\n${again}`), [
      [1, '"a"', 'error', 'The question "a" occurs a second time; the one on line 1 counts.'],
    ]);
    const byId = '{"id": "a", "text": "?", "perspectives": ["x"]}';
    assert.deepEqual(
      problems(`${GOOD}\n${byId}`).map(([, marked]) => marked),
      ['"a"'],
    );
    assert.deepEqual(
      problems(`${byId.replace('"a"', '"q2"')}\n${byId.replace('"id": "a"', '"x": 1')}`).length,
      1,
    );
    const placed = '{"_id": "b", "text": "?", "perspectives": ["x", {"id": "p1", "text": "y"}, "z"]}';
    assert.deepEqual(
      problems(placed).map(([, marked]) => marked),
      ['{"id": "p1", "text": "y"}'],
    );
    const twice =
      '{"_id": "b", "text": "?", "perspectives": [{"id": "p", "text": "x"}, {"id": "p", "text": "y"}]}';
    assert.deepEqual(
      problems(twice).map(([, marked, severity]) => [marked, severity]),
      [['{"id": "p", "text": "y"}', 'warning']],
    );
    assert.deepEqual(
      problems('{"_id": "b", "text": "?", "perspectives": []}').map(([, marked, severity]) => [
        marked,
        severity,
      ]),
      [['[]', 'warning']],
    );
  });

  test('ranges stay within their line for any text', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '"text"',
      '"perspectives"',
      ' ',
      '1',
      'nul',
      '\\',
      '\n',
      '"_id"',
      '\u2028',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
        ),
        (text) => {
          const lines = text.replace(/^\uFEFF/u, '').split('\n');
          for (const { line, start, end } of evalSetProblems(text)) {
            assert.ok(start >= 0 && start <= end, text);
            assert.ok(end <= lines[line]!.length, text);
          }
        },
      ),
    );
  });
});

describe('hand-written JSON', () => {
  const good = (text: string): unknown => {
    const read = parseCommentedJson(text);
    return 'problem' in read ? assert.fail(read.problem) : read.value;
  };
  const problem = (text: string): string => {
    const read = parseCommentedJson(text);
    return 'problem' in read ? read.problem : assert.fail('it was read');
  };

  test('reports the place of excessive nesting', () => {
    const deep = (levels: number): string => `{\n "a": // [[[\n${'['.repeat(levels)}${']'.repeat(levels)}}`;
    for (const levels of [100, 200_000])
      assert.equal(problem(deep(levels)), 'line 3, column 100: it is nested more than 100 levels deep');
    good(deep(99));
  });

  test('with comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF{\n  // why\n  "b": [1, 2,], /* "b": 1, */\n  "a": "//",\n}\n';
    assert.deepEqual(good(text), { b: [1, 2], a: '//' });
  });

  test('is read as JSON.parse reads it, including `__proto__`', () => {
    const reads = (text: string): void => assert.deepEqual(good(text), JSON.parse(text));
    reads('{"__proto__": {"a": 1}, "constructor": null, "a": [true, -1.5e3, "\\u00e9"]}');
    fc.assert(fc.property(fc.json(), reads), { numRuns: 500 });
  });

  test('reports errors with their place', () => {
    assert.equal(problem('{\n  "a": 1\n  "b": 2\n}'), 'line 3, column 3: a comma is missing');
    assert.equal(problem('{"a": '), 'line 1, column 7: a value is missing');
    assert.equal(problem(''), 'line 1, column 1: a value is missing');
    assert.match(problem('{"a": "'), /the closing quote is missing$/u);
    assert.match(problem('{} {}'), /something follows after the end$/u);
    for (const [text, wrong] of [
      ['{a: 1}', 'line 1, column 2: this is not JSON'],
      ['{1: 1}', 'line 1, column 2: a name in double quotes is missing'],
      ['{"a" 1}', 'line 1, column 6: a colon is missing'],
      ['{"a": 1', 'line 1, column 8: a closing brace is missing'],
      ['[1', 'line 1, column 3: a closing bracket is missing'],
      ['{} /* why', 'line 1, column 4: the comment does not end'],
    ] as const)
      assert.equal(problem(text), wrong);
  });

  test('with many adjacent lists is not nested', () => {
    const flat = `{"a": [${'[{}],'.repeat(200)}[]]}`;
    assert.deepEqual(good(flat), JSON.parse(flat));
    assert.deepEqual(findValue(flat, ['a', 200]), { start: flat.length - 4, end: flat.length - 2 });
  });

  test('keeps its line ends and indentation when a value is added, also at the end of a list', () => {
    const json = '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}\r\n';
    assert.equal(withValue(json, ['b'], 2), json.replace('\t]\r\n', '\t],\r\n\t"b": 2\r\n'));
    assert.equal(withValue(json, ['a', -1], 2), json.replace('1\r\n', '1,\r\n\t\t2\r\n'));
    assert.equal(withValue('{\n  "a": "\\t"\n}\n', ['b'], {}), '{\n  "a": "\\t",\n  "b": {}\n}\n');
  });

  test('has its keys found', () => {
    const json = '{"a": {"b": 1}}';
    assert.deepEqual(findKey(json, ['a', 'b']), { start: 7, end: 10 });
    assert.equal(findKey(json, ['a', 'c']), undefined);
    assert.equal(findKey(json, []), undefined);
    assert.equal(findValue(json, ['a', 0]), undefined);
  });
});

describe('completion', () => {
  /** `|` marks the cursor. */
  const offered = (line: string): string[] => {
    const offset = line.indexOf('|');
    return completionsAt(line.replace('|', ''), offset).map((found) =>
      found.kind === 'key' ? found.field.name : `= ${found.value}`,
    );
  };

  test('offers missing keys of a query, a perspective and metadata', () => {
    assert.deepEqual(offered('{|}'), ['_id', 'text', 'perspectives', 'answers', 'metadata']);
    assert.deepEqual(offered('{"_id": "a", |}'), ['text', 'perspectives', 'answers', 'metadata']);
    assert.deepEqual(offered('{"_id": "a", "te|xt": "?"}'), ['text', 'perspectives', 'answers', 'metadata']);
    assert.deepEqual(offered('{"perspectives": [{"text": "x"}, {"id": "p", "|'), [
      'text',
      'stance',
      'stanceBy',
      'group',
      'document',
      'within',
    ]);
    assert.deepEqual(offered('{"metadata": {|}}'), ['tags']);
    assert.deepEqual(offered('{| "_id": "a", "text": "?"}'), ['perspectives', 'answers', 'metadata']);
  });

  test('offers nothing in unknown objects', () => {
    for (const line of [
      '{"other": {|}}',
      '{"other": [{|}]}',
      '{"metadata": {"x": {|}}}',
      '{"perspectives": {"x": {|}}}',
      '{"perspectives": [{"x": {|}}]}',
      '{"perspectives": {|}}',
    ])
      assert.deepEqual(offered(line), [], line);
  });

  test('offers values of enumerations', () => {
    assert.deepEqual(offered('{"perspectives": [{"stance": |}]}'), ['= support', '= oppose']);
    assert.deepEqual(offered('{"perspectives": [{"stanceBy": "|"}]}'), ['= human', '= model']);
    assert.deepEqual(offered('{"text": "|"}'), []);
    assert.deepEqual(offered('|'), []);
  });
});

test('hover explains keys by their place', () => {
  const line = '{"text": "text", "perspectives": [{"text": "x"}], "other": 1}';
  const { field, start, end } = fieldHelpAt(line, 2)!;
  assert.match(field.about, /^The question/u);
  assert.equal(line.slice(start, end), '"text"');
  assert.equal(fieldHelpAt('["text"]', 3), undefined);
  assert.match(fieldHelpAt(line, line.lastIndexOf('"text"') + 1)!.field.about, /^A statement/u);
  assert.equal(fieldHelpAt(line, line.indexOf(': "text"') + 4), undefined);
  assert.equal(fieldHelpAt(line, line.indexOf('other')), undefined);
});

describe('a line with excessive nesting', () => {
  const deep = (inner: string): string => `{"_id": "a", "x": ${'['.repeat(200_000)}${inner}`;
  const closed = `${deep(']'.repeat(200_000))}, "text": "Why?", "perspectives": [{"text": "So.", "stance": "pro"}]}`;

  test('has its problems marked on the line if there is no better range', () => {
    const [broken] = evalSetProblems(`${GOOD}\n${deep('')}`);
    assert.match(broken!.message, /nested too deep/u);
    assert.equal(broken!.line, 1);
    const [wrong] = evalSetProblems(closed);
    assert.match(wrong!.message, /^perspectives\.0\.stance: /u);
  });

  test('is neither inspected nor edited', () => {
    for (const text of [deep(''), closed]) {
      assert.deepEqual(completionsAt(text, text.length - 5), []);
      assert.equal(fieldHelpAt(text, 3), undefined);
      assert.equal(findValue(text, ['_id']), undefined);
      assert.equal(findKey(text, ['_id']), undefined);
      for (const change of [() => withValue(text, ['y'], 1), () => setMembers(text, 0, { y: 'z' })])
        assert.throws(change, (error) => ParallaxError.is(error, 'bad-file'));
      assert.ok('problem' in parseCommentedJson(text));
    }
    assert.throws(
      () => stanceEdit(closed, 'a', { id: 'p1', text: 'So.' }, { stance: 'support', by: 'human' }),
      (error) => ParallaxError.is(error),
    );
  });
});

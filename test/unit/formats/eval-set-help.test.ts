/** Eval sets while they are edited: problems at exact places, completion, hover. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { completionsAt, fieldHelpAt } from '../../../src/core/formats/eval-set-fields.ts';
import { evalSetProblems } from '../../../src/core/formats/eval-set-problems.ts';
import { scanJson, slotAt } from '../../../src/core/formats/json-scan.ts';

const GOOD = '{"_id": "a", "text": "Why?", "perspectives": [{"id": "p", "text": "So."}]}';

/** Line, what is marked, severity, message. */
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
  test('none in a good file, blank lines and all', () => {
    assert.deepEqual(problems(`${GOOD}\r\n\n${GOOD.replace('"a"', '"b"')}\n`), []);
  });

  test('a wrong value is marked, and nothing beside it', () => {
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
    assert.match(found[0]![3], /^perspectives\.0\.stance: /u);
    assert.equal(found[1]![3], 'perspectives.1.text: must not be empty.');
  });

  test('a missing field marks what it is missing in', () => {
    const [[, marked, , message]] = problems('  {"_id": "b"}  ') as [[number, string, string, string]];
    assert.equal(marked, '{"_id": "b"}');
    assert.match(message, /^text: missing/u);
  });

  test('broken JSON is marked where it breaks, and at its end where it ends too early', () => {
    assert.deepEqual(
      problems('{"_id": "b" "text": "Why?"}').map(([, marked]) => marked),
      ['"'],
    );
    assert.equal(evalSetProblems('{"_id": "b" "text": "Why?"}')[0]!.start, 12);
    assert.match(problems('{"_id": "b"')[0]![3], /^The line ends before its JSON does\./u);
    assert.deepEqual(
      problems('{"_id": 01}').map(([, marked]) => marked),
      ['0'],
    );
  });

  test('repeated ids, and queries with nothing to cover', () => {
    const again = GOOD.replace('"Why?"', '"How?"');
    assert.deepEqual(problems(`${GOOD}\n${again}`), [
      [1, '"a"', 'error', 'The query "a" occurs a second time; the one on line 1 counts.'],
    ]);
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

  test('any text: every mark lies within its line', () => {
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

describe('the scan', () => {
  test('breaks exactly where JSON.parse gives up', () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"a"',
      ':',
      ',',
      ' ',
      '1',
      '-0.5e3',
      'null',
      'true',
      '"\\u00e9"',
      '"\\x"',
      '01',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (text) => {
          assert.equal(scanJson(text).breaksAt === undefined, isJson(text), text);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('the innermost slot counts, also in what is half typed', () => {
    const text = '{"perspectives": [{"id": "p", "';
    const slot = slotAt(scanJson(text), text.length)!;
    assert.deepEqual([slot.kind, slot.path], ['key', ['perspectives', 0]]);
  });
});

describe('completion', () => {
  /** `|` is the cursor. */
  const offered = (line: string): string[] => {
    const offset = line.indexOf('|');
    return completionsAt(line.replace('|', ''), offset).map((found) =>
      found.kind === 'key' ? found.field.name : found.value,
    );
  };

  test('keys of a query, of a perspective, of metadata; those that are there are not offered again', () => {
    assert.deepEqual(offered('{|}'), ['_id', 'text', 'perspectives', 'metadata']);
    assert.deepEqual(offered('{"_id": "a", |}'), ['text', 'perspectives', 'metadata']);
    assert.deepEqual(offered('{"_id": "a", "te|xt": "?"}'), ['text', 'perspectives', 'metadata']);
    assert.deepEqual(offered('{"perspectives": [{"text": "x"}, {"id": "p", "|'), [
      'text',
      'stance',
      'stanceBy',
      'group',
    ]);
    assert.deepEqual(offered('{"metadata": {|}}'), ['tags']);
  });

  test('values where there are only some', () => {
    assert.deepEqual(offered('{"perspectives": [{"stance": |}]}'), ['support', 'oppose']);
    assert.deepEqual(offered('{"perspectives": [{"stanceBy": "|"}]}'), ['human', 'model']);
    assert.deepEqual(offered('{"text": "|"}'), []);
    assert.deepEqual(offered('|'), []);
  });
});

test('hover explains keys by where they stand', () => {
  const line = '{"text": "text", "perspectives": [{"text": "x"}], "other": 1}';
  assert.match(fieldHelpAt(line, 2)!.field.about, /^The question/u);
  assert.match(fieldHelpAt(line, line.lastIndexOf('"text"') + 1)!.field.about, /^A statement/u);
  assert.equal(fieldHelpAt(line, line.indexOf(': "text"') + 4), undefined);
  assert.equal(fieldHelpAt(line, line.indexOf('other')), undefined);
});

import assert from 'node:assert/strict';
import { excerpt } from '../../../src/core/snippets.ts';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { segments, type EvidenceSpan } from '../../../webview/components/evidence.ts';

const span = (perspective: number, start: number, end: number): EvidenceSpan => ({ perspective, start, end });

describe('segments', () => {
  test('splits overlapping evidence at the start and end of each span', () => {
    assert.deepEqual(segments('abcdefgh', [span(0, 1, 5), span(2, 3, 7)]), [
      { text: 'a', perspectives: [], ending: [] },
      { text: 'bc', perspectives: [0], ending: [] },
      { text: 'de', perspectives: [0, 2], ending: [0] },
      { text: 'fg', perspectives: [2], ending: [2] },
      { text: 'h', perspectives: [], ending: [] },
    ]);
  });

  test('puts one letter after adjacent or overlapping spans of a perspective', () => {
    const pieces = segments('abcdef', [span(1, 0, 2), span(1, 2, 4), span(1, 3, 6)]);
    assert.deepEqual(
      pieces.map(({ ending }) => ending),
      [[], [], [], [1]],
    );
  });

  test('omits empty spans and those outside the window', () => {
    assert.deepEqual(
      segments('abcdef', [span(0, 0, 2), span(0, 3, 3), span(1, 4, 99)], { start: 2, end: 5 }),
      [
        { text: 'cd', perspectives: [], ending: [] },
        { text: 'e', perspectives: [1], ending: [1] },
      ],
    );
  });

  test('keeps the text and marks exactly the covered characters, for any spans', () => {
    const spans = fc.array(fc.record({ perspective: fc.nat(7), start: fc.nat(50), end: fc.nat(70) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), spans, (text, all) => {
        const pieces = segments(text, all);
        assert.equal(pieces.map((piece) => piece.text).join(''), text);
        let at = 0;
        for (const { text: piece, perspectives } of pieces)
          for (const end = at + piece.length; at < end; at++) {
            const expected = all
              .filter(({ start, end: to }) => start <= at && at < to)
              .map((one) => one.perspective);
            assert.deepEqual(perspectives, [...new Set(expected)].sort());
          }
      }),
    );
  });
});

describe('excerpt', () => {
  const text = `${'word '.repeat(100)}evidence ${'word '.repeat(100)}`;
  const at = text.indexOf('evidence');

  test('starts at the beginning without evidence or with evidence near it', () => {
    assert.equal(excerpt(text, []).start, 0);
    assert.equal(excerpt(text, [span(0, 40, 44)]).cutBefore, false);
  });

  test('starts at a word shortly before distant evidence', () => {
    const { start, cutBefore, cutAfter } = excerpt(text, [span(0, at, at + 8), span(1, at + 20, at + 30)]);
    assert.ok(start > at - 60 && start < at, `${start} is not shortly before ${at}`);
    assert.equal(text[start - 1], ' ');
    assert.deepEqual([cutBefore, cutAfter], [true, true]);
  });

  test('is the whole text if it is short', () => {
    assert.deepEqual(excerpt('short', [span(0, 0, 5)]), {
      start: 0,
      end: 5,
      cutBefore: false,
      cutAfter: false,
    });
  });

  test('cuts text without spaces between whole characters', () => {
    const emoji = '🦉'.repeat(400);
    const { start, end } = excerpt(emoji, [span(0, 401, 500)]);
    assert.doesNotMatch(emoji.slice(start, end), /^[\udc00-\udfff]|[\ud800-\udbff]$/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { excerpt, placeIn, readPassage, readWhole } from '../../src/core/snippets.ts';

/** The panel's snippet of a passage, with stars around the words of the question. */
function shown(passage: string, question: string, isCode = false): string {
  const { text, from, words } = readPassage(passage, question, { isCode });
  const { start, end } = excerpt(text, [], from);
  return [...words]
    .filter((span) => span.start >= start && span.end <= end)
    .reverse()
    .reduce(
      (all, span) =>
        `${all.slice(0, span.start - start)}*${all.slice(span.start - start, span.end - start)}*${all.slice(span.end - start)}`,
      text.slice(start, end),
    );
}

describe('the visible part of a passage', () => {
  const filler = 'Nothing of it stands here at all, whatever one looks for. '.repeat(8);

  it('begins with the sentence about the question and marks its words', () => {
    assert.match(
      shown(`${filler}Integers that **overflow** should panic. ${filler}`, 'Should integer overflow panic?'),
      /^\*Integers\* that \*overflow\* should \*panic\*\. Nothing/u,
    );
  });

  it('begins at the start if that is as good, without the heading in its name', () => {
    assert.match(
      shown(`## Alternatives\n\nA lead. Overflow panics.`, 'overflow'),
      /^A lead\. \*Overflow\* panics\.$/u,
    );
    assert.match(
      shown(`---\ntitle: Retries\n---\n\n# Retries\n\n## Clients\n\nA lead.`, 'retries'),
      /^A lead\.$/u,
    );
    assert.match(shown(`Title\n=====\n\nSome text.`, 'else'), /^Some text\.$/u);
    assert.equal(shown('# Only a title', 'else'), 'Only a title');
    assert.match(shown(`${filler}${filler}`, 'else'), /^Nothing of it/u);
  });

  it('keeps list items apart and begins with the words of one', () => {
    assert.equal(shown('# Steps\n\n- open it\n- read it', 'read'), 'open it • *read* it');
    assert.match(shown(`- ${filler}\n- read it\n- close it`, 'read'), /^\*read\* it • close it$/u);
  });

  it('marks words of scripts without spaces', () => {
    assert.equal(shown('我住在东京都。', '东京在哪里'), '我住在*东京*都。');
  });

  it('marks adjacent or overlapping pairs of letters as one', () => {
    assert.equal(shown('东京都东京', '东京都'), '*东京都东京*');
    assert.equal(shown('京都东京', '东京都'), '*京都东京*');
    assert.equal(shown('东京和东京', '东京'), '*东京*和*东京*');
  });

  it('maps every letter to its place in code, with whitespace collapsed', () => {
    const { text, source } = readPassage('\n  a\n\n  bc', 'x', { isCode: true });
    assert.equal(text, 'a bc');
    assert.deepEqual([...source], [3, 4, 8, 9]);
  });

  it('leaves code unchanged', () => {
    assert.equal(shown('# a comment\nx = a*b*c', 'comment', true), '# a *comment* x = a*b*c');
  });

  it('is the plain source if all of it is markup', () => {
    assert.equal(shown('---\ntitle: x\n---\n', 'y'), '--- title: x ---');
  });

  it('begins with visible text, not with a link target', () => {
    const links = '[add_policy]: /api/add_policy/\n[policy]: /api/policy/arguments/';
    assert.match(shown(`${filler}\n\nThe end.\n\n${links}`, 'arguments of add_policy'), /^Nothing of it/u);
  });

  it('is the whole text, by block for Markdown, else unchanged', () => {
    const passage = '## Head\n\nOne *line*\nand more.\n\n- item';
    assert.equal(readWhole(passage, 'docs/a.md').text, 'Head\n\nOne line and more.\n\n- item');
    assert.equal(readWhole(passage, 'docs/a.txt').text, passage);
    const { text, source } = readWhole(passage, 'docs/a.md');
    const at = placeIn({ source }, passage.indexOf('line'));
    assert.equal(text.slice(at, at + 4), 'line');
    assert.equal(readWhole('---\ntitle: x\n---\n', 'a.md').text, '---\ntitle: x\n---\n');
  });

  it('finds the place of evidence', () => {
    const passage = '# Head\n\nSome **bold words** here.';
    const read = readPassage(passage, '');
    const at = passage.indexOf('bold');
    assert.equal(read.text.slice(placeIn(read, at), placeIn(read, at + 10)), 'bold words');
  });

  it('is part of the text, for any text', () => {
    const parts = fc.constantFrom(
      'word',
      ' overflow',
      '\n',
      '. ',
      '**',
      '# ',
      '`',
      '[',
      '](',
      ')',
      '\n\n',
      '😀',
      '京都',
    );
    fc.assert(
      fc.property(
        fc.array(parts).map((all) => all.join('')),
        fc.boolean(),
        (passage, isCode) => {
          const { text, from, words } = readPassage(passage, 'overflow 京都', { isCode });
          assert.ok(from >= 0 && from <= text.length);
          for (const [place, { start, end }] of words.entries()) {
            assert.ok(start < end && end <= text.length && (place === 0 || start >= words[place - 1]!.end));
          }
        },
      ),
    );
  });
});

describe('an excerpt', () => {
  const text = 'word '.repeat(100);
  const cut = (...args: Parameters<typeof excerpt>): string => {
    const { start, end, cutBefore, cutAfter } = excerpt(...args);
    return `${cutBefore ? '…' : ''}${args[0].slice(start, end)}${cutAfter ? '…' : ''}`;
  };

  it('begins at the given place and ends with a word', () => {
    assert.equal(cut('One two three.', []), 'One two three.');
    assert.equal(cut('One two three.', [], 4), '…two three.');
    assert.equal(cut('One two three.', [], 0, 6), 'One…');
    assert.equal(cut('One two three.', [], 0, 7), 'One two…');
    assert.equal(cut('One two', [], 0, 7), 'One two');
  });

  it('begins at the start if evidence is near it, else at a word shortly before', () => {
    const at = (...starts: number[]) => starts.map((start) => ({ start, end: start + 4 }));
    assert.deepEqual(excerpt(text, at(80), 10, 20), { start: 0, end: 19, cutBefore: false, cutAfter: true });
    assert.deepEqual(excerpt(text, at(200, 85), 0, 20), {
      start: 45,
      end: 64,
      cutBefore: true,
      cutAfter: true,
    });
    assert.equal(excerpt(text, at(202), 0, 20).start, 165, 'not within a word');
  });

  it('cuts text without spaces between whole characters', () => {
    const long = '😀'.repeat(100);
    const { start, end } = excerpt(long, [{ start: 121, end: 123 }], 0, 49);
    assert.deepEqual([start, end], [80, 128]);
    assert.deepEqual(excerpt('x'.repeat(300), [], 0, 50), {
      start: 0,
      end: 50,
      cutBefore: false,
      cutAfter: true,
    });
    assert.equal(
      excerpt(`${'x'.repeat(45)} ${'x'.repeat(90)}`, [], 0, 90).end,
      90,
      'a space that is too far',
    );
  });
});

it('removes headings of reStructuredText with any underline; shorter rules are none', () => {
  const begins = (passage: string): string => readPassage(passage, 'other').text;
  assert.equal(begins("Issues\n''''''\n\nThe switch statement."), 'The switch statement.');
  assert.equal(begins('Data updates\n""""""""""""\nIt is important.'), 'It is important.');
  assert.equal(begins('*****\n Top \n*****\n\nInner\n+++++\n\nText.'), 'Text.');
  assert.equal(begins('Title\n-\n\nText.'), 'Text.');
  assert.match(begins('A whole sentence.\n...\nMore of it.'), /^A whole sentence/u);
  assert.equal(begins('Title\n~~~~\nText.'), 'Text.', 'one sign short');
  const title = 'x'.repeat(200);
  assert.equal(begins(`${title}\n---\nText.`), 'Text.');
  assert.match(begins(`${title}x\n---\nText.`), /^x/u, 'too long for a title');
});

it('removes metadata at the top of a document from its first passage', () => {
  const begins = (passage: string, isFirst = true): string => readPassage(passage, 'x', { isFirst }).text;
  const pep =
    'PEP: 8\nTitle: Style\nAuthor: Kim,\n        Lee\n\n\nAbstract\n========\n\nThis document says how.';
  assert.equal(begins(pep), 'This document says how.');
  const rfc = '- Feature Name: `x`\n- Start Date: 2016-08-22\n\n## Summary\n\nRemove it.';
  assert.equal(begins(rfc), 'Remove it.');
  assert.match(begins(rfc, false), /^Feature Name/u);
  const list = '- Pro: it is fast\n- Contra: it is large\n\nSo much for it.';
  assert.match(begins(list, false), /^Pro: it is fast/u);
  assert.match(begins('Note: one line alone.\n\nMore.'), /^Note: one line/u);
  assert.match(begins('PEP: 8\nTitle: Style'), /^PEP: 8 Title/u);
});

it('does not begin with block attributes and entry names of AsciiDoc', () => {
  const begins = (passage: string): string => readPassage(passage, 'x').text;
  assert.equal(begins('[subs=+attributes]\nText of it.'), 'Text of it.');
  assert.equal(
    begins('= Gist\n:navtitle: Block\n\nPurpose::\nCreate a block macro.'),
    'Create a block macro.',
  );
  assert.equal(begins('Purpose::'), 'Purpose::');
  assert.match(begins('See std::vec::Vec for it.\nMore.'), /^See std/u);
  assert.match(begins('Purpose:: Said on the line.\nMore.'), /^Purpose:: Said/u);
});

it('question words select no sentence and are not marked, unless there are no others', () => {
  const filler = 'It should say how its parts should fit, and how they do. '.repeat(8);
  const passage = `${filler}One file stores the version number.`;
  const { text, from, words } = readPassage(passage, 'How should a package store its version number?');
  assert.match(text.slice(from), /^One file/u);
  assert.deepEqual(
    words.map(({ start, end }) => text.slice(start, end)),
    ['stores', 'version', 'number'],
  );
  assert.equal(readPassage('You may do that. How you do it matters.', 'How do you?').words.length > 0, true);
});

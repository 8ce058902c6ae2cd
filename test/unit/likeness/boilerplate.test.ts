/** Lines of passages that name no theme. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutBoilerplate } from '../../../src/core/likeness/boilerplate.ts';

const proposal = (document: string, author: string, motivation: string) => ({
  document,
  text: [
    `# ${document}`,
    `* Author: [${author}](https://example.org)`,
    '* Status: **Accepted**',
    '',
    '## Motivation',
    motivation,
  ].join('\n'),
});

test('removes a line that three documents share, whatever follows its label', () => {
  assert.deepEqual(
    withoutBoilerplate([
      proposal('one', 'Ada', 'Errors are untyped.'),
      proposal('two', 'Bob', 'Tasks outlive their scope.'),
      proposal('three', 'Cleo', 'Macros are missing.'),
    ]),
    ['# one\nErrors are untyped.', '# two\nTasks outlive their scope.', '# three\nMacros are missing.'],
  );
});

test('keeps a line that one document repeats or two share', () => {
  const text = 'Note: read this.';
  assert.deepEqual(
    withoutBoilerplate([
      { document: 'a', text },
      { document: 'a', text },
      { document: 'a', text },
      { document: 'b', text },
    ]),
    [text, text, text, text],
  );
});

test('removes sample code with its fence, also in a passage that begins within it', () => {
  const [fenced, cut] = withoutBoilerplate([
    { document: 'a', text: 'Before.\n```swift\nlet alpha = 1\n```\nAfter.' },
    { document: 'b', text: 'func animate() {\n    view.alpha = 0\n}\nIt fades out.' },
  ]);
  assert.equal(fenced, 'Before.\nAfter.');
  assert.equal(cut, 'It fades out.');
});

test('returns a text for each text, with lines of it only', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ document: fc.string(), text: fc.string() })), (passages) => {
      const left = withoutBoilerplate(passages);
      assert.equal(left.length, passages.length);
      for (const [place, text] of left.entries())
        for (const line of text === '' ? [] : text.split('\n'))
          assert.ok(passages[place]!.text.split('\n').includes(line));
    }),
  );
});

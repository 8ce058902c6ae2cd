import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { eachPassageOf } from '../../../src/engine/corpus/passages.ts';
import { splitToolsFor } from '../../../src/engine/corpus/tokenizer.ts';
import type { ExtractedDocument } from '../../../src/engine/types.ts';
import { BERDS_SPLIT, type SplitSpec } from '../../../src/core/split/spec.ts';
import { scan } from './workspace.ts';

const words = (size: number): SplitSpec => ({ type: 'words', size, overlap: 0 });
const tokens = (size: number, overlap = 0): SplitSpec => ({ type: 'tokens', size, overlap });

function document(text: string, more: Partial<ExtractedDocument> = {}): ExtractedDocument {
  return { id: 'docs/a.md', title: '', text, verbatim: true, isRecord: false, ...more };
}
const passagesOf = (...args: Parameters<typeof eachPassageOf>) => [...eachPassageOf(...args)];
const ids = (...args: Parameters<typeof passagesOf>) => passagesOf(...args).map(({ id }) => id);

describe('passages of a document', () => {
  it('are numbered from 1, even a single one', () => {
    assert.deepEqual(ids(document('a b c'), words(2), {}), ['docs/a.md#p1', 'docs/a.md#p2']);
    assert.deepEqual(ids(document('a'), words(2), {}), ['docs/a.md#p1']);
  });

  it('have the document id if it is not split', () => {
    assert.deepEqual(passagesOf(document(' a\nb \n'), { type: 'none' }, {}), [
      { id: 'docs/a.md', text: ' a\nb \n', span: { start: 0, end: 6 }, lines: { startLine: 0, endLine: 1 } },
    ]);
  });

  it('of a record stay whole up to one and a half times the size', () => {
    const record = (text: string) => document(text, { id: 'r', isRecord: true });
    assert.deepEqual(ids(record('a b c'), words(2), {}), ['r']);
    assert.deepEqual(ids(record('a b c d'), words(2), {}), ['r#p1', 'r#p2']);
    assert.deepEqual(ids(record('# A\nb\n# C\nd'), { type: 'headings', maxWords: 4 }, {}), ['r']);
  });

  it('by headings are split by words if # is a comment', () => {
    const spec: SplitSpec = { type: 'headings', maxWords: 4 };
    const text = '# A\nb\n# C\nd';
    assert.deepEqual(
      passagesOf(document(text), spec, {}).map(({ section }) => section),
      ['A', 'C'],
    );
    assert.deepEqual(
      passagesOf(document(text, { id: 'src/a.py' }), spec, {}).map((passage) => passage.text),
      ['# A\nb\n#', 'C\nd'],
    );
  });
});

const DEBATE = path.resolve(import.meta.dirname, '../../../../shared/data/debate');

describe('a corpus in BEIR form that was split before', () => {
  const skip = !existsSync(DEBATE) && 'cannot run here: ../shared/data is absent';

  it('keeps its passages and ids, without its queries', { skip }, async () => {
    const { documents, reasons } = await scan(DEBATE, { include: ['*.jsonl'] });
    const passages = [...documents.values()].map((record) => passagesOf(record, BERDS_SPLIT, {}));
    assert.deepEqual(reasons, {});
    assert.equal(documents.size, 5702);
    assert.deepEqual(
      passages.map((parts) => parts.map(({ id }) => id)),
      [...documents.keys()].map((id) => [id]),
    );
  });
});

describe('splitting by o200k tokens', () => {
  it('counts like the vocabulary', async () => {
    const text =
      'Perspectives that a retriever loses: naïve, 東京タワー, 👩‍👩‍👧‍👦!\n\n  Indented <|endoftext|> text.';
    const expected = encode(text, { disallowedSpecial: new Set() });
    const { tokenEnds } = await splitToolsFor(tokens(8));
    const ends = [...(tokenEnds?.(text) ?? [])];
    assert.equal(ends.length, expected.length);
    assert.equal(ends.at(-1), text.length);
  });

  it('puts a token that is part of a character at the end of that character', async () => {
    const { tokenEnds } = await splitToolsFor(tokens(8));
    assert.deepEqual([...(tokenEnds?.('ᚠᛇ') ?? [])], [1, 1, 1, 2, 2, 2]);
  });

  it('gives ascending ends up to the end of any text, whatever was tokenized before', async () => {
    const { tokenEnds } = await splitToolsFor(tokens(8));
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\ud83d', '<|endoftext|>'),
    );
    fc.assert(
      fc.property(
        fc.array(anything).map((parts) => parts.join('')),
        (text) => {
          const ends = [...(tokenEnds?.(text) ?? [])];
          assert.ok(ends.every((end, at) => end >= (ends[at - 1] ?? 0)));
          assert.equal(ends.at(-1) ?? 0, text.length);
        },
      ),
    );
  });

  it('makes passages of the size', async () => {
    const text = 'one two three four five';
    const passages = passagesOf(document(text), tokens(2, 1), await splitToolsFor(tokens(2, 1)));
    assert.deepEqual(
      passages.map((passage) => passage.text),
      ['one two', 'two three', 'three four', 'four five'],
    );
  });

  it('splits runs without a boundary', async () => {
    const { tokenEnds } = await splitToolsFor(tokens(8));
    for (const text of ['=', ' ', 'x', '我', '\n'].map((unit) => unit.repeat(200_000))) {
      let last = 0;
      for (const end of tokenEnds?.(text) ?? []) last = end;
      assert.equal(last, text.length);
    }
  });

  it('loads nothing for other splitters', async () => {
    assert.deepEqual(await splitToolsFor(words(3)), {});
  });
});

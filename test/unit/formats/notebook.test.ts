import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_CELLS, readNotebook } from '../../../src/core/formats/notebook.ts';
import { programOf } from '../../../src/features/agents/tools/programs.ts';

describe('a notebook', () => {
  it('has cells in every version, with missing parts empty', () => {
    const cells = [
      { cell_type: 'code', source: ['a = 1\n', 'b'], metadata: { vscode: { languageId: 'typescript' } } },
      { cell_type: 'markdown', source: 'Words.' },
      { cell_type: 'code', source: [1], input: 'old' },
      { cell_type: 'heading', level: 3, source: 'Head' },
      { cell_type: 'heading', level: 9, source: ['a', 1], metadata: { vscode: { languageId: 7 } } },
      7,
      null,
    ];
    const metadata = { language_info: { name: 'Python' } };
    const notebook = readNotebook({ cells, metadata })!;
    assert.deepEqual(
      notebook.cells.map(({ type, source, level, languageId }) => [type, source, level, languageId]),
      [
        ['code', 'a = 1\nb', 1, 'typescript'],
        ['markdown', 'Words.', 1, undefined],
        ['code', 'old', 1, undefined],
        ['heading', 'Head', 3, undefined],
        ['heading', '', 1, undefined],
        ['raw', '', 1, undefined],
        ['raw', '', 1, undefined],
      ],
    );
    assert.equal(notebook.language, 'Python');
    assert.deepEqual(readNotebook({ worksheets: [{ cells }, {}], metadata }), notebook);
  });

  it('is refused without a list of cells or with too many of them', () => {
    for (const json of [
      undefined,
      'x',
      [],
      {},
      { cells: 7 },
      { cells: Array.from({ length: MAX_CELLS + 1 }, () => 1) },
    ])
      assert.equal(readNotebook(json), undefined);
    const sheet = { cells: Array.from({ length: MAX_CELLS }, () => 1) };
    assert.equal(readNotebook({ worksheets: [sheet, sheet] }), undefined);
    assert.equal(readNotebook({ worksheets: sheet.cells })!.cells.length, 0);
    assert.equal(readNotebook({ worksheets: [...sheet.cells, 1] }), undefined);
    assert.equal(readNotebook(sheet)!.cells.length, MAX_CELLS);
  });

  it('with half a million cells, invalid or empty, is refused for agents', () => {
    for (const cell of ['1', '{}'])
      assert.deepEqual(programOf('a.ipynb', `{"cells":[${`${cell},`.repeat(500_000)}${cell}]}`)!.cells, []);
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { surveyCorpus } from '../../../src/engine/corpus/survey.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { folderWith } from './workspace.ts';

it('lists what would be indexed: folders with counts and kinds, and whether there is code', async (t) => {
  const names = [
    'docs/a.md',
    'docs/deep/b.md',
    'docs/c.html',
    'docs/conf.py',
    'app/rag.py',
    'README.md',
    'x.png',
  ];
  const base = await folderWith(t, Object.fromEntries(names.map((name) => [name, ''])));
  const survey = (config: object) =>
    surveyCorpus(
      {
        name: 'c',
        base,
        config: corpusSchema.parse({ roots: ['.'], ...config }),
        excludeGlobs: [],
        store: base,
      },
      {},
    );
  assert.deepEqual(await survey({ code: 'auto' }), {
    folders: [
      { name: 'docs', prose: 3, code: 1, kinds: ['md', 'html'] },
      { name: 'app', prose: 0, code: 1, kinds: [] },
      { name: '', prose: 1, code: 0, kinds: ['md'] },
    ],
    withCode: false,
    canChoose: true,
    unread: { kinds: [{ extension: 'png', files: 1 }], ignored: [] },
  });
  const inner = await survey({ roots: ['docs'], exclude: ['deep/**'] });
  assert.deepEqual(inner.folders, [{ name: '', prose: 2, code: 1, kinds: ['md', 'html'] }]);
  assert.equal(inner.withCode, true);
  const several = await survey({ roots: ['docs', 'app'] });
  assert.deepEqual(
    several.folders.map(({ name }) => name),
    ['docs', 'app'],
  );
  assert.equal(several.canChoose, false);
});

it('lists what is not read: kinds without a reader, and documents ignored by .gitignore', async (t) => {
  const base = await folderWith(t, {
    '.gitignore': 'data\nbuild\n*.log\nprivate.md\n',
    'docs/a.md': '',
    'docs/b.epub': '',
    'docs/c.png': '',
    'd.png': '',
    'private.md': '',
    'x.log': '',
    'app/data/prices/a.csv': '',
    'app/build/out.js': '',
  });
  const config = corpusSchema.parse({ roots: ['.'] });
  const { unread } = await surveyCorpus({ name: 'c', base, config, excludeGlobs: [], store: base }, {});
  assert.deepEqual(unread, {
    kinds: [
      { extension: 'png', files: 2 },
      { extension: 'epub', files: 1 },
    ],
    ignored: ['app/data/', 'private.md'],
  });
});

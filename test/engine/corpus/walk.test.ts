import assert from 'node:assert/strict';
import { mkdir, realpath, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { walkCorpus } from '../../../src/engine/corpus/walk.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { addFiles, folderWith, type Files } from './workspace.ts';

async function walk(base: string, config: object = {}, excludeGlobs: string[] = [], signal?: AbortSignal) {
  const result = await walkCorpus(corpusSchema.parse({ roots: ['.'], ...config }), {
    base,
    excludeGlobs,
    signal,
  });
  return {
    ...result,
    names: result.files.map((file) => file.relativePath),
    reasons: result.skipped.map((skipped) => `${path.relative(base, skipped.path)}: ${skipped.reason}`),
  };
}

/** Empty files of these names. */
const touch = (...names: string[]): Files => Object.fromEntries(names.map((name) => [name, '']));

describe('walking', () => {
  it('finds files of known types in a fixed order and counts the others', async (t) => {
    const base = await folderWith(
      t,
      touch(
        'b.md',
        'B.md',
        'a/z.txt',
        'a-b.md',
        'x.png',
        'y.PNG',
        'data',
        'ä ö.md',
        'README',
        'package-lock.json',
        'lib.min.js',
      ),
    );
    const { names, unknownTypes } = await walk(base);
    assert.deepEqual(names, ['B.md', 'README', 'a-b.md', 'a/z.txt', 'b.md', 'ä ö.md']);
    assert.deepEqual(Object.fromEntries(unknownTypes), { png: 2, data: 1, json: 1, js: 1 });
  });

  it('reads only the files of a root that ends in "/*"', async (t) => {
    const base = await folderWith(t, touch('a.md', 'web/b.md', 'docs/c.md', 'docs/in/d.md'));
    assert.deepEqual((await walk(base, { roots: ['./*'] })).names, ['a.md']);
    assert.deepEqual((await walk(base, { roots: ['docs', './*'] })).names, [
      'a.md',
      'docs/c.md',
      'docs/in/d.md',
    ]);
    assert.deepEqual((await walk(base, { roots: ['docs/*'] })).names, ['docs/c.md']);
    assert.deepEqual((await walk(base, { roots: ['docs/*', 'docs'] })).names, ['docs/c.md', 'docs/in/d.md']);
  });

  it('omits code beside readable documents, on request', async (t) => {
    const docs = touch('docs/a.md', 'docs/b.md', 'docs/c.html', 'app/rag.py', 'package.json');
    const base = await folderWith(t, docs);
    assert.deepEqual((await walk(base, { code: 'auto' })).names, ['docs/a.md', 'docs/b.md', 'docs/c.html']);
    assert.equal((await walk(base)).names.length, 5);
    assert.deepEqual(
      (await walk(base, { code: 'auto', roots: ['docs', 'app/rag.py'] })).names.at(0),
      'app/rag.py',
    );
    const program = await folderWith(t, touch('README.md', 'a.py', 'b.py', 'c.py'));
    assert.equal((await walk(program, { code: 'auto' })).names.length, 4);
    assert.deepEqual((await walk(program, { code: false })).names, ['README.md']);
  });

  it('omits hidden entries, node_modules and its files, unless include names them', async (t) => {
    const base = await folderWith(
      t,
      touch(
        '.env',
        '.hidden/a.md',
        'node_modules/p/a.md',
        '.git/a.md',
        'parallax.json',
        'q.parallax.jsonl',
        '.parallax/judgements.jsonl',
        'a.md',
        '.github/b.md',
      ),
    );
    assert.deepEqual((await walk(base)).names, ['a.md']);
    assert.deepEqual((await walk(base, { include: ['**/*.md', '.github/**'] })).names, [
      '.github/b.md',
      'a.md',
    ]);
    assert.deepEqual((await walk(base, { include: ['./node_modules/**'] })).names, ['node_modules/p/a.md']);
    assert.deepEqual((await walk(base, { include: ['**/.git/**', '.parallax/**'] })).names, []);
  });

  it('recognizes queries and judgements beside a BEIR corpus', async (t) => {
    const base = await folderWith(
      t,
      touch(
        'beir/corpus.jsonl',
        'beir/queries.jsonl',
        'beir/qrels/test.tsv',
        'beir/qrels.txt',
        'other/queries.jsonl',
      ),
    );
    assert.deepEqual((await walk(base)).names, ['beir/corpus.jsonl', 'other/queries.jsonl']);
  });

  it('applies include and exclude to each root, and the editor’s globs to the base', async (t) => {
    const base = await folderWith(
      t,
      touch('docs/a.md', 'docs/b.txt', 'docs/old/c.md', 'more/a.md', 'docs/x.foo'),
    );
    const roots = ['docs', 'more'];
    assert.deepEqual((await walk(base, { roots, include: ['*.md'] })).names, ['docs/a.md', 'more/a.md']);
    assert.deepEqual((await walk(base, { roots, include: ['*.foo'] })).names, ['docs/x.foo']);
    assert.deepEqual((await walk(base, { roots, exclude: ['old', '*.txt'] })).names, [
      'docs/a.md',
      'more/a.md',
    ]);
    assert.deepEqual((await walk(base, { roots }, ['docs/old', '**/*.txt', ''])).names, [
      'docs/a.md',
      'more/a.md',
    ]);
    await assert.rejects(walk(base, { include: [''] }), (error) => ParallaxError.is(error, 'bad-config'));
  });

  it('names documents by their path within the base, or from the root’s parent', async (t) => {
    const base = await folderWith(t, touch('docs/a.md', 'one.foo'));
    const other = await folderWith(t, touch('docs/a.md', 'docs/b.md', 'x/docs/a.md', 'notes.md'));
    assert.deepEqual((await walk(base, { roots: ['docs', 'one.foo'] })).names, ['docs/a.md', 'one.foo']);
    assert.deepEqual(
      (await walk(base, { roots: [path.join(other, 'docs'), path.join(other, 'notes.md')] })).names,
      ['docs/a.md', 'docs/b.md', 'notes.md'],
    );
    // Three folders called docs.
    const roots = ['docs', path.join(other, 'docs'), path.join(other, 'x/docs')];
    assert.deepEqual((await walk(base, { roots })).names, [
      'docs/a.md',
      'docs~2/a.md',
      'docs~2/b.md',
      'docs~3/a.md',
    ]);
  });

  it('lists a file once for any number of roots', async (t) => {
    const base = await folderWith(t, touch('docs/a.md', 'docs/in/b.md'));
    assert.deepEqual((await walk(base, { roots: ['docs/in', '.', 'docs', 'docs/a.md'] })).names, [
      'docs/a.md',
      'docs/in/b.md',
    ]);
  });

  it('reports missing roots and continues', async (t) => {
    const base = await folderWith(t, touch('a.md'));
    const { names, reasons } = await walk(base, { roots: ['nowhere', 'a.md/below', '.'] });
    assert.deepEqual(names, ['a.md']);
    assert.deepEqual(reasons, [`${path.join('a.md', 'below')}: missing`, 'nowhere: missing']);
  });

  it('stops when cancelled', async (t) => {
    const base = await folderWith(t, touch('a.md'));
    await assert.rejects(walk(base, {}, [], AbortSignal.abort()), (error) =>
      ParallaxError.is(error, 'cancelled'),
    );
  });
});

describe('.gitignore', () => {
  it('is respected at every level, deeper files override, with negation', async (t) => {
    const base = await folderWith(t, {
      ...touch(
        'a.md',
        'secret.md',
        'keep/secret.md',
        'keep/deep/secret.md',
        'build/a.md',
        'src/build/a.md',
        'log/a.txt',
        'log/keep.txt',
      ),
      '.gitignore': 'secret.md\n/build/\nlog/*\n!log/keep.txt\n',
      'keep/.gitignore': '!secret.md\n',
      'keep/deep/.gitignore': 'secret.md\n',
    });
    assert.deepEqual((await walk(base)).names, ['a.md', 'keep/secret.md', 'log/keep.txt', 'src/build/a.md']);
  });

  it('of parent folders applies up to the root of the repository', async (t) => {
    const base = await folderWith(t, {
      ...touch(
        'repo/.git/HEAD',
        'repo/docs/in/a.md',
        'repo/docs/in/b.md',
        'repo/docs/in/c.md',
        'repo/docs/in/d.md',
      ),
      '.gitignore': 'a.md',
      'repo/.gitignore': 'b.md',
      'repo/docs/.gitignore': '/in/c.md',
      'repo/.git/info/exclude': 'd.md',
    });
    assert.deepEqual((await walk(base, { roots: ['repo/docs/in'] })).names, ['repo/docs/in/a.md']);
    await rename(path.join(base, 'repo/.git'), path.join(base, 'repo/git'));
    assert.equal((await walk(base, { roots: ['repo/docs/in'] })).names.length, 4);
  });

  it('does not exclude a root that was named explicitly', async (t) => {
    const base = await folderWith(t, {
      ...touch('.git/HEAD', 'data/a.md', 'data/b.md'),
      '.gitignore': 'data/\n',
      'data/.gitignore': 'b.md',
    });
    assert.deepEqual((await walk(base)).names, []);
    assert.deepEqual((await walk(base, { roots: ['data'] })).names, ['data/a.md']);
    assert.deepEqual((await walk(base, { roots: ['data/b.md'] })).names, ['data/b.md']);
  });

  it('may be unreadable', async (t) => {
    const base = await folderWith(t, touch('a.md'));
    await mkdir(path.join(base, '.gitignore'));
    assert.deepEqual((await walk(base)).names, ['a.md']);
  });
});

describe('symbolic links', () => {
  it('are not followed out of the roots without the option', async (t) => {
    const outside = await folderWith(t, touch('far/a.md', 'b.md'));
    const base = await folderWith(t, touch('docs/c.md'));
    await symlink(path.join(outside, 'far'), path.join(base, 'docs/far'));
    await symlink(path.join(outside, 'b.md'), path.join(base, 'docs/b.md'));
    const closed = await walk(base, { roots: ['docs'] });
    assert.deepEqual(closed.names, ['docs/c.md']);
    assert.deepEqual(closed.reasons, [
      `${path.join('docs', 'b.md')}: outside`,
      `${path.join('docs', 'far')}: outside`,
    ]);
    const open = await walk(base, { roots: ['docs'], followSymlinks: true });
    assert.deepEqual(open.names, ['docs/b.md', 'docs/c.md', 'docs/far/a.md']);
    assert.deepEqual(open.reasons, []);
  });

  it('within the roots list no file twice', async (t) => {
    const base = await folderWith(t, touch('v2/a.md', '.shared/b.md'));
    await symlink('v2', path.join(base, 'latest'));
    await symlink('v2/a.md', path.join(base, 'a.md'));
    await symlink('.shared', path.join(base, 'shared'));
    assert.deepEqual((await walk(base)).names, ['shared/b.md', 'v2/a.md']);
  });

  it('that loop, are dangling or refer to each other are reported', async (t) => {
    const base = await folderWith(t, touch('in/a.md'));
    await symlink('..', path.join(base, 'in/up'));
    await symlink('.', path.join(base, 'in/self'));
    await symlink('nowhere.md', path.join(base, 'dangling.md'));
    await symlink('pong', path.join(base, 'ping'));
    await symlink('ping', path.join(base, 'pong'));
    for (const followSymlinks of [false, true]) {
      const { names, reasons } = await walk(base, { followSymlinks });
      assert.deepEqual(names, ['in/a.md']);
      assert.deepEqual(reasons, [
        'dangling.md: missing',
        `${path.join('in', 'self')}: symlink-loop`,
        `${path.join('in', 'up')}: symlink-loop`,
        'ping: symlink-loop',
        'pong: symlink-loop',
      ]);
    }
  });

  it('that lead into each other outside the roots terminate', async (t) => {
    const outside = await folderWith(t, touch('x/a.md', 'y/b.md'));
    await symlink(path.join(outside, 'y'), path.join(outside, 'x/to-y'));
    await symlink(path.join(outside, 'x'), path.join(outside, 'y/to-x'));
    const base = await folderWith(t, {});
    await symlink(path.join(outside, 'x'), path.join(base, 'x'));
    assert.deepEqual((await walk(base, { followSymlinks: true })).names, ['x/a.md', 'x/to-y/b.md']);
  });

  it('may be the root', async (t) => {
    const real = await folderWith(t, touch('docs/a.md'));
    const base = await folderWith(t, {});
    await symlink(path.join(real, 'docs'), path.join(base, 'docs'));
    assert.equal(await realpath(path.join(base, 'docs')), path.join(real, 'docs'));
    assert.deepEqual((await walk(base, { roots: ['docs'] })).names, ['docs/a.md']);
  });
});

describe('what is no file', () => {
  it('is ignored: a folder called x.md is a folder', async (t) => {
    const base = await folderWith(t, touch('x.md/a.md'));
    assert.deepEqual((await walk(base)).names, ['x.md/a.md']);
    await addFiles(base, touch('x.md/b.md'));
    assert.deepEqual((await walk(base)).names, ['x.md/a.md', 'x.md/b.md']);
  });
});

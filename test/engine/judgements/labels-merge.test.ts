/** Labels that two branches add, merged by Git. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { labelSchema, type Label } from '../../../src/core/formats/labels.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const labelOf = (hash: string, name: string): Label =>
  labelSchema.parse({
    v: 1,
    query: 'q1',
    perspective: 'p1',
    perspectiveText: 'Cats are kind.',
    document: 'd1',
    hash,
    by: { kind: 'human', name },
    at: new Date().toISOString(),
    verdict: 'yes',
  });

const IDENTITY = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.org', '-c', 'core.autocrlf=false'];

class Repository {
  readonly folder: string;
  readonly file: string;

  readonly attributes: string;

  constructor(t: TestContext) {
    this.folder = temporaryFolder(t);
    this.file = path.join(this.folder, '.parallax', 'judgements.jsonl');
    this.attributes = path.join(this.folder, '.parallax', '.gitattributes');
    this.git('init', '--quiet', '--initial-branch', 'main');
    writeFileSync(path.join(this.folder, 'README.md'), 'Cats.\n');
    this.commit();
  }

  git(...argv: readonly string[]): void {
    execFileSync('git', [...IDENTITY, ...argv], { cwd: this.folder, stdio: 'pipe' });
  }

  commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'more');
  }

  /** The driver with which Git merges the labels. */
  mergedBy(): string {
    return execFileSync('git', ['check-attr', 'merge', this.file], {
      cwd: this.folder,
      encoding: 'utf8',
    }).trim();
  }

  async label(...hashes: readonly string[]): Promise<void> {
    const labels = new LabelsFile(this.file, assert.fail);
    for (const hash of hashes) await labels.append(labelOf(hash, hash));
    this.commit();
  }

  /** Ada and Grace label on different branches. @returns whether Git merged them without a conflict */
  async branchAndMerge(): Promise<boolean> {
    this.git('switch', '--quiet', '--create', 'ada');
    await this.label('ada 1', 'ada 2');
    this.git('switch', '--quiet', '--create', 'grace', 'main');
    await this.label('grace 1');
    return spawnSync('git', [...IDENTITY, 'merge', '--quiet', 'ada'], { cwd: this.folder }).status === 0;
  }

  async read(): Promise<{ readonly hashes: unknown; readonly problems: readonly string[] }> {
    const { index, problems } = await new LabelsFile(this.file, () => undefined).content();
    return { hashes: [...index.labels()].map(({ hash }) => hash).sort(), problems };
  }
}

test('labels of two branches merge without a conflict, even if both created the file', async (t) => {
  for (const earlier of [['before'], []]) {
    const repository = new Repository(t);
    await repository.label(...earlier);
    assert.equal(await repository.branchAndMerge(), true);
    assert.deepEqual(await repository.read(), {
      hashes: ['ada 1', 'ada 2', ...earlier, 'grace 1'].sort(),
      problems: [],
    });
  }
});

test('labels older than the merge setting merge without a conflict from the next one on', async (t) => {
  const repository = new Repository(t);
  await repository.label('before');
  rmSync(repository.attributes);
  repository.commit();
  assert.equal(await repository.branchAndMerge(), true);
  const { hashes, problems } = await repository.read();
  assert.deepEqual({ hashes, problems }, { hashes: ['ada 1', 'ada 2', 'before', 'grace 1'], problems: [] });
});

test('Git’s setting is not written if an ignore list above says how labels are merged', async (t) => {
  const said = [
    ['.gitattributes', '*.jsonl filter=lfs diff=lfs merge=lfs -text', true],
    ['.gitattributes', '/.parallax/*\t-merge', true],
    ['.gitattributes', '.parallax/judgements.jsonl binary', true],
    ['.git/info/attributes', '* merge=text', true],
    ['.gitattributes', '# *.jsonl merge=lfs\n*.jsonl text eol=lf\n*.json merge=lfs', false],
    ['.gitattributes', `${'{a,b}'.repeat(40)} merge=lfs`, false],
  ] as const;
  for (const [list, lines, decides] of said) {
    const repository = new Repository(t);
    const place = path.join(repository.folder, list);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, `${lines}\n`);
    await repository.label('first', 'second');
    assert.equal(existsSync(repository.attributes), !decides, lines);
    assert.equal(repository.mergedBy().endsWith(': union'), !decides, repository.mergedBy());
  }
});

test('without the setting Git’s conflict is named, and every label is kept', async (t) => {
  const repository = new Repository(t);
  await repository.label('before');
  writeFileSync(repository.attributes, '*.jsonl merge=text\n');
  repository.commit();
  assert.equal(await repository.branchAndMerge(), false);
  const { hashes, problems } = await repository.read();
  assert.deepEqual(hashes, ['ada 1', 'ada 2', 'before', 'grace 1']);
  assert.equal(problems.length, 3);
  for (const problem of problems)
    assert.match(problem, /: left by a merge whose conflict is not resolved; skipped\.$/u);
});

test('an existing merge setting stays, and outside of a repository nothing is written', async (t) => {
  const repository = new Repository(t);
  await repository.label('before');
  assert.match(readFileSync(repository.attributes, 'utf8'), /^\*\.jsonl merge=union$/mu);
  for (const own of ['*.jsonl binary\n', '']) {
    writeFileSync(repository.attributes, own);
    await repository.label('again');
    assert.equal(readFileSync(repository.attributes, 'utf8'), own);
  }
  const plain = path.join(temporaryFolder(t), '.parallax');
  await new LabelsFile(path.join(plain, 'judgements.jsonl'), assert.fail).append(labelOf('h', 'Ada'));
  assert.equal(existsSync(path.join(plain, '.gitattributes')), false);
});

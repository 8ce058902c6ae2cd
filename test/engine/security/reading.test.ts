/** Pipes, devices, links that lead outside and growing files instead of a file. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ParallaxError } from '../../../src/core/errors.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { GitIgnore } from '../../../src/engine/corpus/gitignore.ts';
import { walkCorpus } from '../../../src/engine/corpus/walk.ts';
import { appendLines } from '../../../src/engine/files/append-lines.ts';
import { RefusedFile } from '../../../src/engine/files/file-reason.ts';
import { readArgument, readInput } from '../../../src/engine/files/read-input.ts';
import { readBytes, readChunks, readText } from '../../../src/engine/files/reading.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { workspace as gateWorkspace } from '../cli/gate-support.ts';
import { run } from '../cli/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const POSIX = process.platform !== 'win32';

const refusedFor = (code: string) => (error: unknown) => error instanceof RefusedFile && error.code === code;
const noWarning = (warning: string): never => assert.fail(warning);

async function all(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

/** All functions that read a file, called with something else. */
async function refusals(file: string, code: string): Promise<void> {
  await assert.rejects(readBytes(file), refusedFor(code));
  await assert.rejects(readText(file), refusedFor(code));
  await assert.rejects(all(readChunks(file)), refusedFor(code));
  await assert.rejects(
    readInput(file, () => undefined),
    (error) => ParallaxError.is(error, 'bad-file') && error.message.includes(file),
  );
}

describe('instead of a file', () => {
  it('a pipe is refused without waiting for its writer', { skip: !POSIX }, async (t) => {
    const pipe = path.join(temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [pipe]);
    await refusals(pipe, 'ENOTREG');
    await assert.rejects(appendLines(pipe, ['x\n']), (error) => ParallaxError.is(error, 'bad-file'));
    await assert.rejects(
      new LabelsFile(pipe, noWarning).read(),
      (error) => ParallaxError.is(error, 'bad-file') && error.message.includes('not a file'),
    );
  });

  it('a device is refused, also behind a link', { skip: !POSIX }, async (t) => {
    const link = path.join(temporaryFolder(t), 'zero');
    symlinkSync('/dev/zero', link);
    await refusals(link, 'ENOTREG');
  });

  it('a folder is refused', async (t) => {
    const error = await readText(temporaryFolder(t)).catch((caught: unknown) => caught);
    assert.equal((error as NodeJS.ErrnoException).code, 'EISDIR');
  });
});

describe('a pipe named on the command line', () => {
  it('is read to its end', { skip: !POSIX }, async (t) => {
    const pipe = path.join(temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'head -c 100000 /dev/zero > "$0"', pipe]);
    t.after(() => writer.kill());
    assert.equal(await readArgument(pipe, (text) => text.length), 100_000);
  });
});

describe('a file', () => {
  it('is read up to the size at which it was opened', async (t) => {
    const file = path.join(temporaryFolder(t), 'log');
    writeFileSync(file, 'a'.repeat(600_000));
    let read = 0;
    for await (const chunk of readChunks(file)) {
      read += chunk.length;
      appendFileSync(file, 'b'.repeat(300_000));
    }
    assert.equal(read, 600_000);
  });

  it('that shrinks is read to its new end', async (t) => {
    const file = path.join(temporaryFolder(t), 'log');
    writeFileSync(file, 'a'.repeat(600_000));
    let read = 0;
    for await (const chunk of readChunks(file)) {
      read += chunk.length;
      writeFileSync(file, 'b');
    }
    assert.equal(read, 262_144);
  });

  it('that is too large is refused before it is read', async (t) => {
    const file = path.join(temporaryFolder(t), 'large');
    writeFileSync(file, 'abcd');
    await assert.rejects(readBytes(file, { maxBytes: 3 }), refusedFor('EFBIG'));
    assert.equal(await readText(file, { maxBytes: 4 }), 'abcd');
    assert.equal(await readText(file), 'abcd');
    assert.equal(await all(readChunks(file)), 'abcd');
  });

  it('that is empty has no chunk', async (t) => {
    const file = path.join(temporaryFolder(t), 'empty');
    closeSync(openSync(file, 'w'));
    assert.equal(await all(readChunks(file)), '');
    assert.equal(await readText(file), '');
  });
});

describe('a link that leads out of the boundary', { skip: !POSIX }, () => {
  it('is not read', async (t) => {
    const root = temporaryFolder(t);
    const inner = path.join(root, 'inner');
    mkdirSync(inner);
    writeFileSync(path.join(root, 'secret'), 'xyzzy');
    symlinkSync('../secret', path.join(inner, 'link'));
    await assert.rejects(readText(path.join(inner, 'link'), { boundary: inner }), (error) =>
      ParallaxError.is(error, 'untrusted'),
    );
    const link = path.join(inner, 'link');
    const warnings: string[] = [];
    const labels = new LabelsFile(link, (warning) => warnings.push(warning), {
      base: inner,
      trusted: false,
    });
    assert.deepEqual([...(await labels.read()).labels()], []);
    assert.equal(warnings.length, 1);
    assert.ok(warnings[0]!.includes('leads out of this folder'));
  });

  it('is not used as an ignore list', async (t) => {
    const root = temporaryFolder(t);
    const inner = path.join(root, 'inner');
    mkdirSync(path.join(inner, '.git', 'info'), { recursive: true });
    writeFileSync(path.join(root, 'rules'), 'docs\n');
    symlinkSync('../rules', path.join(inner, '.gitignore'));
    symlinkSync('../../../rules', path.join(inner, '.git', 'info', 'exclude'));
    const ignoresDocs = async (): Promise<boolean> => {
      const rules = await (await GitIgnore.above(inner)).inside(inner, readdirSync(inner));
      return rules.ignores(path.join(inner, 'docs'), true);
    };
    assert.equal(await ignoresDocs(), false);
    writeFileSync(path.join(inner, 'own'), 'docs\n');
    rmSync(path.join(inner, '.gitignore'));
    symlinkSync('own', path.join(inner, '.gitignore'));
    assert.equal(await ignoresDocs(), true);
  });
});

describe('a corpus', { skip: !POSIX }, () => {
  it('names what it omitted for being no file', async (t) => {
    const root = temporaryFolder(t);
    writeFileSync(path.join(root, 'own.txt'), 'Here.');
    execFileSync('mkfifo', [path.join(root, 'pipe.txt')]);
    symlinkSync('/dev/zero', path.join(root, 'zero.txt'));
    symlinkSync('/dev/zero', path.join(root, '.gitignore'));
    const server = createServer().listen(path.join(root, 'socket'));
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const config = configSchema.parse({ corpora: { docs: { roots: ['.'], followSymlinks: true } } });
    const { files, skipped } = await walkCorpus(config.corpora['docs']!, { base: root, excludeGlobs: [] });
    assert.deepEqual(
      files.map(({ relativePath }) => relativePath),
      ['own.txt'],
    );
    assert.deepEqual(skipped.map(({ path: file }) => path.basename(file)).sort(), [
      'pipe.txt',
      'socket',
      'zero.txt',
    ]);
    for (const { message } of skipped)
      assert.equal(message, 'It is a pipe, a socket or a device, not a file.');
  });
});

describe('a workspace with pipes and devices instead of files', { skip: !POSIX }, () => {
  /** Each would block one of the four threads of the system's pool forever, so five of them would block the engine. */
  it('is indexed although its five ignore lists are pipes', async (t) => {
    const root = temporaryFolder(t);
    mkdirSync(path.join(root, '.git', 'info'), { recursive: true });
    for (const name of ['a', 'b', 'c', '.']) {
      mkdirSync(path.join(root, name), { recursive: true });
      execFileSync('mkfifo', [path.join(root, name, '.gitignore')]);
      writeFileSync(path.join(root, name, 'own.txt'), 'Here.');
    }
    execFileSync('mkfifo', [path.join(root, '.git', 'info', 'exclude')]);
    const indexed = await run(indexCommand, root, '--store', temporaryFolder(t));
    assert.equal(indexed.code, 0, indexed.stderr);
    assert.match(indexed.stdout, /^4 documents,/u);
  });

  it('answers while labels, documents and an eval set are pipes', async (t) => {
    const own = await gateWorkspace(t, 2, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
    const pipe = (name: string): void => {
      rmSync(path.join(own.folder, name), { force: true });
      execFileSync('mkfifo', [path.join(own.folder, name)]);
    };
    for (const name of ['.parallax/judgements.jsonl', 'one.jsonl', 'two.jsonl', 'x.md', 'y.md']) pipe(name);
    await own.configure({
      corpora: { docs: { roots: ['.'], exclude: ['questions.jsonl'], split: { type: 'none' } } },
      evalSets: ['one.jsonl', 'two.jsonl', 'questions.jsonl'],
    });
    const judged = await own.gate();
    assert.equal(judged.code, 3);
    assert.match(judged.stdout + judged.stderr, /not a file/u);
  });

  it('reports an eval set that is a device behind a link, in every request', async (t) => {
    const own = await gateWorkspace(t, 2, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
    const zero = path.join(own.folder, 'zero.jsonl');
    symlinkSync('/dev/zero', zero);
    for (const evalSets of [['zero.jsonl'], ['z*.jsonl'], ['/dev/zero']]) {
      await own.configure({ evalSets, corpora: { docs: { roots: ['corpus.jsonl'] } } });
      const judged = await own.gate();
      assert.ok(judged.code === 3 || judged.code === 2, judged.stdout);
      assert.match(judged.stdout + judged.stderr, /not a file|no file matches/u);
    }
    const asked = ['--corpus', path.join(own.folder, 'corpus.jsonl'), '--queries', zero];
    await assert.rejects(run(evalCommand, ...asked, '--pipeline', 'bm25'), /not a file/u);
  });
});

describe('JSON that is small on disk and large in memory', () => {
  it('is refused in a sentence before it is parsed, compressed or not', async (t) => {
    const file = path.join(temporaryFolder(t), 'run.json.gz');
    const many = Buffer.concat([Buffer.from('['), Buffer.alloc(3 * 11e6, '{},'), Buffer.from('{}]')]);
    const deep = Buffer.from(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
    for (const [json, sentence] of [
      [many, /run\.json\.gz: JSON may hold 10000000 lists and objects at most\.$/u],
      [deep, /run\.json\.gz: JSON may be nested 1000 levels deep at most\.$/u],
    ] as const) {
      writeFileSync(file, gzipSync(json));
      await assert.rejects(readArgument(file, JSON.parse), { id: 'too-large', message: sentence });
      writeFileSync(file, json);
      await assert.rejects(readInput(file, JSON.parse), { id: 'too-large', message: sentence });
    }
  });

  it('is refused at once if it is 14 MB of opening brackets', async (t) => {
    const file = path.join(temporaryFolder(t), 'run.json');
    writeFileSync(file, '['.repeat(14e6));
    const sentence = /run\.json: JSON may be nested 1000 levels deep at most\.$/u;
    await assert.rejects(readInput(file, JSON.parse), { id: 'too-large', message: sentence });
    const own = await gateWorkspace(t, 1, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
    writeFileSync(own.config, '['.repeat(14e6));
    const refused = await own.gate();
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /nested/u);
  });

  it('is refused behind any number of blanks', async (t) => {
    const file = path.join(temporaryFolder(t), 'run.json');
    writeFileSync(file, `${' \n'.repeat(2_000)}${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    await assert.rejects(readInput(file, JSON.parse), { id: 'too-large' });
  });

  it('may have any number of lines', async (t) => {
    const file = path.join(temporaryFolder(t), 'lines.jsonl');
    writeFileSync(file, '{"a":[]}\n'.repeat(6_000_000));
    assert.equal(await readInput(file, (text) => text.length), 54_000_000);
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { VectorFile } from '../../../src/engine/dense/vector-file.ts';
import { VectorTable } from '../../../src/engine/dense/vector-table.ts';
import { randomVectors } from './support.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const KEY = 'test|Ünïcode key';
const D = 5;

interface Opened {
  readonly file: VectorFile;
  readonly slots: number[];
  /** [n, d], without padding. */
  readonly vectors: number[];
}

async function openFile(path: string, key = KEY, dimensions: number | undefined = D): Promise<Opened> {
  let table = tableFor({ dimensions: D });
  const file = await VectorFile.open(path, { key, dimensions }, (identity) => (table = tableFor(identity)));
  assert.ok(file);
  const slots = [...table.slots];
  return { file, slots, vectors: slots.flatMap((_, row) => [...table.memory.row(row)]) };
}

function tableFor({ dimensions }: { readonly dimensions: number }): VectorTable {
  return new VectorTable(dimensions);
}

/** A closed file of three blocks, with slots 0–3, 10–12 and 5. */
async function threeBlocks(path: string): Promise<Float32Array> {
  const vectors = randomVectors(8, D);
  const { file } = await openFile(path);
  await file.append(Uint32Array.of(0, 1, 2, 3), vectors.subarray(0, 4 * D));
  await file.append(Uint32Array.of(10, 11, 12), vectors.subarray(4 * D, 7 * D));
  await file.append(Uint32Array.of(5), vectors.subarray(7 * D));
  await file.flush();
  await file.close();
  return vectors;
}

test('rows are read as they were written', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = await threeBlocks(path);
  const { file, slots, vectors: read } = await openFile(path);
  assert.deepEqual(slots, [0, 1, 2, 3, 10, 11, 12, 5]);
  assert.deepEqual(Float32Array.from(read), vectors);
  assert.equal(file.loss, undefined);
  assert.equal(file.bytes, (await stat(path)).size);
  await file.close();
});

test('dimensions may come from the file; without either there is no file', async (t) => {
  const folder = temporaryFolder(t);
  await threeBlocks(join(folder, 'vectors'));
  const opened = await VectorFile.open(join(folder, 'vectors'), { key: KEY }, tableFor);
  assert.equal(opened?.identity.dimensions, D);
  await opened?.close();
  assert.equal(await VectorFile.open(join(folder, 'none'), { key: KEY }, tableFor), undefined);
});

test('many rows in large and small blocks are read, without damaged ones', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const d = 384;
  const vectors = randomVectors(7000, d);
  const { file } = await openFile(path, KEY, d);
  await file.append(
    Uint32Array.from({ length: 6000 }, (_, i) => i),
    vectors.subarray(0, 6000 * d),
  );
  for (let row = 6000; row < 7000; row += 8)
    await file.append(
      Uint32Array.from({ length: 8 }, (_, i) => row + i),
      vectors.subarray(row * d, (row + 8) * d),
    );
  await file.close();
  let table = tableFor({ dimensions: d });
  const again = await VectorFile.open(path, { key: KEY, dimensions: d }, () => table);
  assert.deepEqual(
    [...table.slots],
    Array.from({ length: 7000 }, (_, i) => i),
  );
  for (let row = 0; row < 7000; row++)
    assert.deepEqual(table.memory.row(row), vectors.subarray(row * d, (row + 1) * d));
  await again?.close();
  // Damage far from the end, while later blocks were being read. None of them may be kept.
  const { size } = await stat(path);
  const handle = await open(path, 'r+');
  await handle.write(Uint8Array.of(0x55, 0xaa), 0, 2, Math.floor(size / 2));
  await handle.close();
  table = tableFor({ dimensions: d });
  const damaged = await VectorFile.open(path, { key: KEY, dimensions: d }, () => table);
  assert.equal(damaged?.loss?.kind, 'damaged');
  assert.equal(table.rows, damaged?.loss?.keptRows);
  assert.ok(table.rows > 0 && table.rows < 6000);
  const [behind] = table.room(table.rows);
  assert.ok(behind!.every((byte) => byte === 0));
  await damaged?.close();
});

test('a truncated file keeps its whole blocks and nothing else', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = await threeBlocks(path);
  const { size } = await stat(path);
  const kept = new Set<number>();
  for (let length = size - 1; length >= 0; length--) {
    await truncate(path, length);
    const { file, slots, vectors: read } = await openFile(path);
    assert.deepEqual(Float32Array.from(read), vectors.slice(0, slots.length * D));
    if (file.loss) {
      assert.equal(file.loss.keptRows, slots.length);
      assert.equal(file.bytes + file.loss.lostBytes, length);
    }
    kept.add(slots.length);
    await file.close();
  }
  assert.deepEqual([...kept], [7, 4, 0]);
});

test('any flipped byte is noticed, and no wrong vector is returned', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = await threeBlocks(path);
  const sound = await readFile(path);
  for (let at = 0; at < sound.length; at++) {
    const flipped = Buffer.from(sound);
    flipped[at]! ^= 1 << (at % 8);
    await writeFile(path, flipped);
    const { file, slots, vectors: read } = await openFile(path);
    assert.ok(file.loss, `byte ${at} went unnoticed`);
    assert.ok(slots.length < 8);
    assert.deepEqual(Float32Array.from(read), vectors.slice(0, slots.length * D));
    await file.close();
  }
});

test('after a loss, appending continues where the valid rows end', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = await threeBlocks(path);
  await appendFile(path, 'rubbish from a power cut '.repeat(100));
  const damaged = await openFile(path);
  assert.equal(damaged.file.loss?.kind, 'damaged');
  assert.equal(damaged.slots.length, 8);
  await damaged.file.append(Uint32Array.of(20), vectors.subarray(0, D));
  await damaged.file.close();
  const { file, slots } = await openFile(path);
  assert.equal(file.loss, undefined);
  assert.deepEqual(slots, [0, 1, 2, 3, 10, 11, 12, 5, 20]);
  await file.close();
});

test('inspecting a damaged file changes nothing', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  await threeBlocks(path);
  await truncate(path, (await stat(path)).size - 3);
  const before = await readFile(path);
  await (await openFile(path)).file.close();
  assert.deepEqual(await readFile(path), before);
});

test('vectors of another embedder or dimension are never used', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  await threeBlocks(path);
  const otherKey = await openFile(path, 'another model');
  assert.equal(otherKey.file.loss?.kind, 'foreign');
  assert.deepEqual(otherKey.slots, []);
  await otherKey.file.close();
  const otherDimension = await openFile(path, KEY, 6);
  assert.equal(otherDimension.file.loss?.kind, 'foreign');
  await otherDimension.file.append(Uint32Array.of(1), Float32Array.of(1, 2, 3, 4, 5, 6));
  await otherDimension.file.close();
  const again = await openFile(path, KEY, 6);
  assert.deepEqual(again.vectors, [1, 2, 3, 4, 5, 6]);
  await again.file.close();
});

test('a second writer is refused, and destroys nothing', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = await threeBlocks(path);
  const [one, two] = [await openFile(path), await openFile(path)];
  await one.file.append(Uint32Array.of(20), vectors.subarray(0, D));
  await assert.rejects(two.file.append(Uint32Array.of(21), vectors.subarray(0, D)), (error) =>
    ParallaxError.is(error, 'store-unusable'),
  );
  await Promise.all([one.file.close(), two.file.close()]);
  const { file, slots } = await openFile(path);
  assert.deepEqual(slots.slice(8), [20]);
  await file.close();
});

test('a path that cannot be a file is a clear error', async (t) => {
  const path = join(temporaryFolder(t), 'folder');
  await mkdir(path);
  await assert.rejects(
    openFile(path),
    (error) => ParallaxError.is(error, 'store-unusable') && error.message.includes(path),
  );
});

test('a killed writer leaves every flushed row, and no partial one', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const writer = spawn(
    process.execPath,
    [join(import.meta.dirname, 'append-forever.ts'), path, KEY, String(D)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let acknowledged = 0;
  for await (const chunk of writer.stdout as AsyncIterable<Buffer>) {
    acknowledged = Number(chunk.toString().trim().split('\n').at(-1));
    if (acknowledged > 200) writer.kill('SIGKILL');
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  const { file, slots, vectors } = await openFile(path);
  assert.ok(slots.length >= acknowledged);
  slots.forEach((slot, row) => {
    assert.equal(slot, row);
    assert.ok(vectors.slice(row * D, (row + 1) * D).every((value) => value === row + 1));
  });
  await file.close();
});

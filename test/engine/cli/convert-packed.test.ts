/**
 * Files that other tools packed. Those below `test/fixtures/exchange` were written by the tools themselves, as ranx and
 * pandas use them: `lz4.frame` 4.0.2 and `cbor2` 5.4.6 of Python, and the Parquet writer of Apache Arrow for Rust.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { lz4Bomb } from '../security/bombs.ts';
import { run } from './support.ts';

const PACKED = path.join(import.meta.dirname, '../../fixtures/exchange');
const packed = (name: string): string => path.join(PACKED, name);

describe('files that other tools packed', () => {
  for (const name of [
    'ranx-run.lz4',
    ...['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4_raw'].map(
      (codec) => `ranx-run.${codec}.parquet`,
    ),
  ])
    test(`a run of ranx: ${name}`, async () => {
      const { stdout, stderr } = await run(
        convertCommand,
        ...['--from', `ranx-run=${packed(name)}`, '--to', 'ranx-run=-'],
      );
      assert.deepEqual(JSON.parse(stdout), { q1: { night: 9.5, ferry: 2.25 }, 'q é': { ferry: 1 } });
      assert.equal(stderr, '');
    });

  test('samples of ragas as a table of Parquet, with what stands beside the retrieval', async () => {
    const { stdout, stderr } = await run(
      convertCommand,
      ...['--from', `ragas=${packed('ragas.parquet')}`, '--to', 'ragas=-'],
    );
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(first, {
      id: 'q1',
      user_input: 'Do night trains pay?',
      retrieved_contexts: ['They do.', "It's unclear."],
      retrieved_context_ids: ['c1', 'c2'],
      reference_contexts: ['They do.'],
      reference_context_ids: ['c1'],
      response: 'Yes.',
      // More than a number of JSON holds exactly.
      seen: '1152921504606846976',
    });
    assert.equal(second?.['seen'], 1);
    assert.equal(stderr, '');
  });

  test('a text that LZ4 packed in several ways', async () => {
    const { stdout } = await run(
      convertCommand,
      ...['--from', `retrieved=${packed('retrieved.lz4')}`, '--to', 'trec-run=-'],
    );
    assert.equal(stdout.split('\n').length, 21);
    assert.match(stdout, /^q19 Q0 d1 1 1 parallax$/mu);
  });

  test('what is damaged, and what unpacks to more than is read, is refused in a sentence', async (t) => {
    const bomb = path.join(temporaryFolder(t), 'bomb.lz4');
    await writeFile(bomb, lz4Bomb(257));
    await assert.rejects(
      run(convertCommand, '--from', `trec-run=${bomb}`, '--to', 'trec-run=-'),
      (error) =>
        ParallaxError.is(error, 'too-large') &&
        /bomb\.lz4: Unpacked, it is larger than 256 MB\.$/u.test(error.message),
    );
    const half = path.join(temporaryFolder(t), 'half.lz4');
    await writeFile(half, lz4Bomb(1).subarray(0, 40));
    await assert.rejects(
      run(convertCommand, '--from', `trec-run=${half}`, '--to', 'trec-run=-'),
      (error) =>
        ParallaxError.is(error, 'bad-file') && /What LZ4 packed in it is damaged\.$/u.test(error.message),
    );
    const table = path.join(temporaryFolder(t), 'half.parquet');
    await writeFile(table, 'PAR1 and nothing else');
    await assert.rejects(
      run(convertCommand, '--from', `ranx-run=${table}`, '--to', 'trec-run=-'),
      (error) => ParallaxError.is(error, 'bad-file') && /half\.parquet: /u.test(error.message),
    );
  });
});

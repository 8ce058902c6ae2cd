/** Parquet tables, written by Apache Arrow for Rust like those of ranx and pandas. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { run } from './support.ts';

const PACKED = path.join(import.meta.dirname, '../../fixtures/exchange');
const packed = (name: string): string => path.join(PACKED, name);

describe('files packed by other tools', () => {
  for (const name of [
    ...['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd'].map((codec) => `ranx-run.${codec}.parquet`),
  ])
    test(`a run of ranx: ${name}`, async () => {
      const { stdout, stderr } = await run(
        convertCommand,
        ...['--from', `ranx-run=${packed(name)}`, '--to', 'ranx-run=-'],
      );
      assert.deepEqual(JSON.parse(stdout), { q1: { night: 9.5, ferry: 2.25 }, 'q é': { ferry: 1 } });
      assert.equal(stderr, '');
    });

  test('samples of ragas as a Parquet table, with their other columns', async () => {
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
      // More than a JSON number can represent exactly.
      seen: '1152921504606846976',
    });
    assert.equal(second?.['seen'], 1);
    assert.equal(stderr, '');
  });

  test('a damaged table is refused in a sentence', async (t) => {
    const table = path.join(temporaryFolder(t), 'half.parquet');
    await writeFile(table, 'PAR1 and nothing else');
    await assert.rejects(
      run(convertCommand, '--from', `ranx-run=${table}`, '--to', 'trec-run=-'),
      (error) => ParallaxError.is(error, 'bad-file') && /half\.parquet: /u.test(error.message),
    );
  });
});

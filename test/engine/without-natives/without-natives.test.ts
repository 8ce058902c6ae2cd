/** Parallax without native parts, or with some that do not load. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import '../../fixtures/built.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, 'absent.ts')).href;

/** Standard output of a program without some packages. */
async function runWithout(absent: readonly string[], args: readonly string[]): Promise<string> {
  // A nested test runner would report to the outer one.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PARALLAX_ABSENT: absent.join() };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', HOOK, ...args], { env });
  return stdout;
}

async function searchSample(t: TestContext, absent: readonly string[]): Promise<Record<string, unknown>> {
  const folder = temporaryFolder(t);
  const script = join(import.meta.dirname, 'search-sample.ts');
  return JSON.parse(await runWithout(absent, [script, folder])) as Record<string, unknown>;
}

/** The tests of the native runtime, compared with a plain implementation of the same graph. */
for (const file of ['embedders/onnx-embedder.test.ts', 'rerankers/cross-encoder.test.ts'])
  test(`through onnxruntime-web, all of ${file} passes, too`, async () => {
    const reporter = ['--test', '--test-reporter=tap'];
    const output = await runWithout(
      ['onnxruntime-node'],
      [...reporter, join(import.meta.dirname, '..', file)],
    );
    assert.match(output, /^# pass [1-9]\d*$/mu);
    assert.match(output, /^# fail 0$/mu);
  });

test('with native parts, an approximate search needs no note', async (t) => {
  assert.deepEqual(await searchSample(t, []), { found: 20, search: 'approximate', notices: [] });
});

test('without any, the search is exact, the encoder slower, and both are reported', async (t) => {
  const { found, search, notices } = await searchSample(t, ['onnxruntime-node', 'hnswlib-node']);
  assert.equal(found, 20);
  assert.equal(search, 'exact');
  const [approximate, encoder, ...others] = notices as string[];
  assert.match(
    approximate ?? '',
    /^Approximate search needs hnswlib-node, which is not part of this package\./u,
  );
  assert.match(encoder ?? '', /in WebAssembly \(onnxruntime-web\), several times slower/u);
  assert.deepEqual(others, []);
});

test('without WebAssembly, too, the reason is that of the native runtime', async (t) => {
  const { id, message } = await searchSample(t, ['onnxruntime-node', 'onnxruntime-web']);
  assert.equal(id, 'native-missing');
  assert.match(String(message), /need onnxruntime-node, which does not load here \(Cannot find package/u);
  assert.match(String(message), /Search by words and embedding endpoints work without it/u);
});

/** Models are found relative to a parallax.json in another folder. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { readConfig, readConfigFromHere } from '../../../src/cli/options/read-config.ts';
import { writeTinyEncoder } from '../../fixtures/tiny-encoder/make.ts';
import { files, inputs, run, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const CONFIG = {
  embedders: {
    tiny: { type: 'onnx', path: 'models/tiny' },
    two: { type: 'onnx', preset: 'dpr', path: 'models/passages', query: 'models/questions' },
  },
  judges: { nli: { type: 'nli', path: 'models/nli' } },
  pipelines: {
    tiny: { retriever: { type: 'dense', embedder: 'tiny' } },
    reranked: { retriever: { type: 'bm25' }, rerank: [{ type: 'cross-encoder', path: 'models/cross' }] },
  },
};

test('an encoder beside --config is found from another folder', async (t) => {
  const folder = temporaryFolder(t);
  const config = path.join(folder, 'parallax.json');
  await writeTinyEncoder(path.join(folder, 'models/tiny'));
  await writeFile(config, JSON.stringify(CONFIG));
  const places = await files(t, topics(2));
  const { code, stderr } = await run(
    evalCommand,
    ...inputs(places),
    '--pipeline',
    'tiny',
    '--config',
    config,
  );
  assert.equal(code, 0, stderr);
});

test('cross-encoders and NLI models are, too; a gate reads paths as written', async (t) => {
  const folder = temporaryFolder(t);
  const config = path.join(folder, 'parallax.json');
  await writeFile(config, JSON.stringify(CONFIG));
  const { judges, pipelines } = await readConfigFromHere(config);
  const [step] = pipelines['reranked']!.rerank;
  assert.deepEqual(
    [judges['nli'], step].map((own) => (own && 'path' in own ? own.path : undefined)),
    [path.join(folder, 'models/nli'), path.join(folder, 'models/cross')],
  );
  const { two } = (await readConfigFromHere(config)).embedders;
  assert.equal(two && 'query' in two && two.query, path.join(folder, 'models/questions'));
  const written = (await readConfig(config)).embedders['tiny']!;
  assert.equal('path' in written && written.path, 'models/tiny');
});

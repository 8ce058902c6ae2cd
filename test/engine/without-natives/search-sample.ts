/**
 * Searches the sample with a real encoder and the approximate index, and prints the result: `search-sample.ts <empty
 * folder>`.
 */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import type { RequestContext } from '../../../src/engine/requests/request.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { writeTinyEncoder } from '../../fixtures/tiny-encoder/make.ts';
import { engineConfig } from '../../fixtures/workspace.ts';

const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };

const folder = process.argv[2] ?? '';
cpSync('media/sample', folder, { recursive: true });
await writeTinyEncoder(path.join(folder, 'models/tiny'));
const written: unknown = JSON.parse(readFileSync(path.join(folder, 'parallax.json'), 'utf8'));
const config = configSchema.parse({
  ...(written as object),
  embedders: { tiny: { type: 'onnx', path: 'models/tiny', maxTokens: 64 } },
});
const engine = createEngine(undefined, () => undefined);
await engine.configure(engineConfig(folder, config, { storage: ':memory:', judges: {} }));
try {
  await engine.index({ corpus: 'handbook', rebuild: false }, context);
  const pipeline = parsePipeline({
    retriever: { type: 'dense', embedder: 'tiny', search: 'approximate' },
    candidates: 20,
    k: 5,
  });
  const query = { id: 'q', text: 'Should the city ban cars?' };
  const { candidates, search } = await engine.search(
    { corpus: 'handbook', query, perspectives: [], pipeline },
    context,
  );
  const { notices } = await engine.status({ corpus: 'handbook' });
  process.stdout.write(JSON.stringify({ found: candidates.length, search, notices }));
} catch (error) {
  if (!ParallaxError.is(error)) throw error;
  process.stdout.write(JSON.stringify({ id: error.id, message: error.message }));
} finally {
  await engine.close();
}

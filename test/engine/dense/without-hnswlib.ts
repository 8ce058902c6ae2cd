/** Uses a dense index in a process where `hnswlib-node` cannot be found: `without-hnswlib.ts <file>`. */
import { registerHooks } from 'node:module';
import { ParallaxError } from '../../../src/core/errors.ts';
import { DenseIndex } from '../../../src/engine/dense/dense-index.ts';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'hnswlib-node') throw new Error("Cannot find package 'hnswlib-node'\nRequire stack: …");
    return next(specifier, context);
  },
});

const live = { count: 2, has: () => true };
const index = await DenseIndex.open(process.argv[2] ?? '', { key: 'test' });
await index.append([0, 1], Float32Array.of(1, 0, 0, 1));
try {
  await index.prepareGraph(live);
} catch (error) {
  if (!ParallaxError.is(error)) throw error;
  const result = await index.search(Float32Array.of(0, 1), { depth: 1, live, search: 'approximate' });
  process.stdout.write(JSON.stringify({ id: error.id, message: error.message, ...result }));
}
await index.close();

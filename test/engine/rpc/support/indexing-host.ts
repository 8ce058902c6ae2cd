/** Acts as the extension host: forks the engine, starts a long indexing, and prints its process id. */
import { EngineClient } from '../../../../src/extension/engine-process/engine-client.ts';
import { engineConfig } from '../../../fixtures/workspace.ts';

const [folder = '', enginePath = ''] = process.argv.slice(2);
const ignore = (): void => undefined;
const client = new EngineClient({
  enginePath,
  config: () => Promise.resolve(engineConfig(folder, { corpora: { pets: { roots: ['docs'] } } })),
  complete: () => Promise.reject(new Error('No editor here.')),
  log: { info: ignore, warn: ignore, error: ignore },
});
let said = false;
await client.request(
  'index',
  { corpus: 'pets', rebuild: false },
  {
    onNote: () => {
      if (!said) process.stdout.write(`${client.pid}\n`);
      said = true;
    },
  },
);
process.stdout.write('indexed\n');

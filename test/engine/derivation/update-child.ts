/** Indexes a corpus with segments of few passages, until it is done or killed: `update-child.ts <folder> <store>`. */
import path from 'node:path';
import { CorpusIndex } from '../../../src/engine/corpus-index.ts';
import { HashingEmbedder } from '../../../src/engine/embedders/hashing-embedder.ts';
import { corpusSchema } from '../../../src/shared/config.ts';

const [folder = '', store = ''] = process.argv.slice(2);
const never = (): Promise<never> => Promise.reject(new Error('not asked for here'));
const index = await CorpusIndex.open(
  {
    name: 'corpus',
    base: folder,
    config: corpusSchema.parse({ roots: ['.'], include: ['*.jsonl'] }),
    excludeGlobs: [],
    store: path.join(folder, store),
  },
  {
    embedder: () => Promise.resolve(new HashingEmbedder(64)),
    crossEncoders: { score: never },
    externals: {
      search: never,
      store: () => {
        throw new Error('not asked for here');
      },
    },
    approximateAbove: Infinity,
    log: () => undefined,
    threadsFrom: 0,
    segmentPassages: 500,
  },
);
process.stdout.write('open\n');
await index.update({});
await index.close();

/** A self-contained index: hashing is its only embedder, and it uses no model or external retriever. */
import type * as z from 'zod';
import { CorpusIndex, type CorpusIndexOptions } from '../../src/engine/corpora/corpus-index.ts';
import { HashingEmbedder } from '../../src/engine/embedders/hashing-embedder.ts';
import { corpusSchema } from '../../src/shared/config.ts';

export interface PlainIndexOptions extends Pick<CorpusIndexOptions, 'threadsFrom' | 'segmentPassages'> {
  /** The folder of the corpus files. */
  readonly folder: string;
  /** Folder of the index. */
  readonly store: string;
  /** As in `parallax.json`. */
  readonly corpus: z.input<typeof corpusSchema>;
  /** Dimensions of the vectors. */
  readonly dimensions: number;
  readonly log?: (message: string) => void;
}

export function openPlainIndex({
  folder,
  store,
  corpus,
  dimensions,
  threadsFrom,
  segmentPassages,
  log = () => undefined,
}: PlainIndexOptions): Promise<CorpusIndex> {
  const embedder = new HashingEmbedder(dimensions);
  const config = corpusSchema.parse(corpus);
  return CorpusIndex.open(
    { name: 'corpus', base: folder, config, excludeGlobs: [], store },
    {
      embedder: () => Promise.resolve(embedder),
      crossEncoders: { score: () => Promise.reject(new Error('No pipeline here asks a cross-encoder.')) },
      externals: {
        search: () => Promise.reject(new Error('No pipeline here asks a foreign retriever.')),
        store: () => {
          throw new Error('No pipeline here asks a store.');
        },
      },
      // Exact at any size.
      approximateAbove: Infinity,
      log,
      threadsFrom,
      segmentPassages,
    },
  );
}

/** `parallax push`: writes a corpus with its vectors into a store. */
import { counted } from '../../core/counted.ts';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { isStore } from '../../core/external/store-types.ts';
import type { StoreRetriever } from '../../core/external/stores.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import {
  corpusNamed,
  corpusNames,
  openCorpus,
  updateIndex,
  warnOfSkipped,
  type CorpusSource,
} from '../local-corpus.ts';
import { CONFIG_OPTION, folderOfConfig, readConfig } from '../options/read-config.ts';
import { progressLine } from '../presentation/progress.ts';
import { required, UsageError } from '../presentation/terminal.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { command } from './command.ts';

export const pushCommand = command({
  usage:
    'parallax push --to <name> [--corpus <file|folder|name>] [--create [--no-index]] [--store <folder>] [--config <file>]',
  options: {
    to: {
      type: 'string',
      help: 'the store: a corpus of parallax.json that has "store", or a pipeline whose retriever is one;\nPostgreSQL with pgvector, Qdrant, Chroma, OpenSearch, Elasticsearch',
    },
    corpus: {
      type: 'string',
      help: 'what is written: a folder or file, or the name of a corpus of parallax.json (default: its only one with files)',
    },
    create: {
      type: 'boolean',
      default: false,
      help: 'make the table, collection or index if it does not exist',
    },
    'no-index': {
      type: 'boolean',
      default: false,
      help: 'make the table of PostgreSQL without an HNSW index: every search then compares all rows',
    },
    store: {
      type: 'string',
      help: 'a folder that keeps the index and its vectors for the next run (default: a temporary one)',
    },
    config: CONFIG_OPTION,
  },
  notes:
    'Run it again to continue: passages whose ids the store holds are left as they are, and nothing is\ndeleted. A corpus of parallax.json with that "store" then has the same passages, under the same ids.\n',

  async run({ values }, io) {
    const config = await readConfig(values.config);
    const source = corpusOf(config, values.corpus, folderOfConfig(values.config));
    const target = storeOf(config, required(values.to, 'to'));
    const folder = values.store === undefined ? undefined : path.resolve(values.store);
    await using local = await openCorpus(source, folder, config, io, folderOfConfig(values.config));
    try {
      const { added, held, differing, lack } = await untilInterrupted(async (signal) => {
        await updateIndex(local, io, { signal });
        await warnOfSkipped(local, io);
        return local.engine.request(
          'push',
          { corpus: source.name, store: target, create: values.create, indexed: !values['no-index'] },
          { signal, onProgress: progressLine(io, 'Writing') },
        );
      });
      io.stdout(counted('{0} [0:passage|passages] added, {1} [1:was|were] there before.\n', added, held));
      if (lack !== undefined) io.stderr(`warning: ${lack}\n`);
      if (differing > 0)
        io.stderr(
          `warning: ${differing} of them have another text in the store, and stay as they are there. Delete them there, and run this again.\n`,
        );
      return 0;
    } catch (error) {
      if (ParallaxError.is(error, 'cancelled'))
        throw new ParallaxError('cancelled', 'Stopped. What was written stays; run it again to go on.');
      throw error;
    }
  },
});

/** @throws UsageError if the corpus is ambiguous */
function corpusOf(config: ParallaxConfig, corpusName: string | undefined, base: string): CorpusSource {
  const corpora = Object.fromEntries(Object.entries(config.corpora).filter(([, { store }]) => !store));
  const [name] = corpusName === undefined ? corpusNames({ ...config, corpora }) : [corpusName];
  if (name === undefined)
    throw new UsageError(
      'Name with --corpus what is to be written: a folder, or a corpus of parallax.json that has files.',
    );
  return corpusNamed(name, config, base);
}

/** @throws UsageError if there is no store of that name */
function storeOf({ corpora, pipelines }: ParallaxConfig, name: string): StoreRetriever {
  const corpus = Object.hasOwn(corpora, name) ? corpora[name]?.store : undefined;
  if (corpus) return corpus;
  const retriever = Object.hasOwn(pipelines, name) ? pipelines[name]?.retriever : undefined;
  if (retriever && isStore(retriever)) return retriever;
  throw new UsageError(
    `parallax.json has no store "${name}": --to takes the name of a corpus with "store", or of a pipeline that searches one.`,
  );
}

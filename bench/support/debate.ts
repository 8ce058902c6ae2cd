/** The debate corpus of the shared data, indexed in a folder. */
import path from 'node:path';
import { openForEvaluation, type EvaluatedCorpus } from '../../src/cli/evaluated-corpus.ts';
import { corpusOfPaths } from '../../src/cli/local-corpus.ts';
import { configSchema } from '../../src/shared/config.ts';

export const DEBATE = '../shared/data/debate';

/** @param store folder of the index */
export async function openDebate(store: string): Promise<EvaluatedCorpus> {
  const source = corpusOfPaths({ paths: [path.join(DEBATE, 'corpus.jsonl')], split: { type: 'none' } });
  const opened = await openForEvaluation(source, store, configSchema.parse({}), {
    stdout: () => undefined,
    stderr: (text) => void process.stderr.write(text),
  });
  await opened.corpus.update({});
  return opened;
}

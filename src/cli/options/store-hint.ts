/** A hint for a missing corpus if pipelines of parallax.json search a store. */
import { missingCorpusText, storeOfPipelines, type Homes } from '../../core/pipeline-needs.ts';
import { UsageError } from '../presentation/terminal.ts';

/**
 * Call this if neither an option nor parallax.json names a corpus.
 *
 * @throws UsageError if a pipeline searches a store, which could be the corpus
 */
export function requireNamedStore(config: Homes): void {
  if (Object.keys(config.corpora).length > 0 || !storeOfPipelines(config)) return;
  throw new UsageError(missingCorpusText(config));
}

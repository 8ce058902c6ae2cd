/** What is said where a corpus is missing, and pipelines of parallax.json search a store. */
import { storeLabel } from '../../core/external/stores.ts';
import { storeOfPipelines, type Homes } from '../../core/pipeline-needs.ts';
import { UsageError } from '../presentation/terminal.ts';

/**
 * To be asked where neither an option nor parallax.json names a corpus.
 *
 * @throws UsageError where a pipeline searches a store, which could be the corpus
 */
export function requireNamedStore(config: Homes): void {
  const store = storeOfPipelines(config);
  if (!store || Object.keys(config.corpora).length > 0) return;
  throw new UsageError(
    `parallax.json names no corpus, though its pipelines search ${storeLabel(store)}. If all passages are there, ` +
      'say so: "corpora": {"articles": {"store": {…}}} with what stands in the pipeline. Nothing is indexed then.',
  );
}

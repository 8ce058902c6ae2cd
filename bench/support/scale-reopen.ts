/**
 * Opens the index that scale-child.ts has made, in a process that has just started, as after a restart of the editor.
 * Writes its figures as one line of JSON.
 *
 *     node bench/support/scale-reopen.ts <folder>
 */
import type { CorpusIndex } from '../../src/engine/corpus-index.ts';
import type { ReopenFigures } from './scale-figures.ts';
import { DEFAULT_BM25 } from '../../src/core/pipeline.ts';
import { dense, DEPTH, measured, openIndex } from './scale-index.ts';
import { SyntheticCorpus } from './synthetic-corpus.ts';

const query = new SyntheticCorpus(1).query();
let index: CorpusIndex | undefined;
const reopen = await measured(async () => {
  index = await openIndex(process.argv[2]!);
  await index.bm25(query, DEFAULT_BM25, DEPTH, {});
});
const reopenDense = await measured(() => index!.dense(query, dense('exact'), DEPTH, {}));
await index!.close();
const figures: ReopenFigures = { reopen, reopenDense };
process.stdout.write(`${JSON.stringify(figures)}\n`);

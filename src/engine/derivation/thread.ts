/** Entry of a thread that derives parts of indexes from the texts of a store, one job after the other. */
import '../l10n.ts';
import { parentPort } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { AnalyzerName } from '../../core/text/analyzer.ts';
import { SegmentFiles } from '../bm25/segment-files.ts';
import { HashingEmbedder } from '../embedders/hashing-embedder.ts';
import { Pace } from '../pace.ts';
import { storedTexts } from '../store/stored-texts.ts';
import type { Answer, Derived, HashingJob, Job, SegmentJob } from './jobs.ts';

/** Kept for the next job. */
const embedders = new Map<number, HashingEmbedder>();
const segmentFiles = new Map<AnalyzerName, SegmentFiles>();

let turn: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (job: Job) => {
  turn = turn
    .then(() => derive(job))
    .then(
      (derived) => answer({ derived }, [derived.slots.buffer, derived.vectors.buffer] as ArrayBuffer[]),
      (error: unknown) => answer(explained(error)),
    );
});

function answer(content: Answer, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(content, transferred);
}

/** Errors that nobody threw on purpose are those of the file system. */
function explained(error: unknown): Answer {
  if (ParallaxError.is(error)) return { id: error.id, message: error.message };
  const message = l10n.t`The index cannot be written: ${messageOf(error)}. Make room on that disk, or try again.`;
  return { id: 'store-unusable', message };
}

function derive(job: Job): Promise<Derived> {
  return job.type === 'segment' ? segment(job) : hashed(job);
}

async function segment({ store, slots, analyzer, file }: SegmentJob): Promise<Derived> {
  const found: number[] = [];
  const texts = function* () {
    for (const stored of storedTexts(store, slots)) {
      found.push(stored.slot);
      yield stored;
    }
  };
  const files = segmentFiles.get(analyzer) ?? new SegmentFiles(analyzer);
  segmentFiles.set(analyzer, files);
  await files.write(texts(), file, new Pace({}));
  return { slots: Uint32Array.from(found), vectors: new Float32Array() };
}

async function hashed({ store, slots, dimensions }: HashingJob): Promise<Derived> {
  const stored = [...storedTexts(store, slots)];
  const embedder = embedders.get(dimensions) ?? new HashingEmbedder(dimensions);
  embedders.set(dimensions, embedder);
  const vectors = await embedder.embedPassages(stored.map(({ text }) => text));
  return { slots: Uint32Array.from(stored, ({ slot }) => slot), vectors };
}

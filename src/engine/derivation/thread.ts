/** Entry of a thread that derives parts of indexes from the texts of a store, one job after the other. */
import '../l10n.ts';
import { parentPort } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { AnalyzerName } from '../../core/text/analyzer.ts';
import { SegmentFiles, type SegmentFile } from '../bm25/segment-files.ts';
import { HashingEmbedder } from '../embedders/hashing-embedder.ts';
import { Pace } from '../concurrency/pace.ts';
import { storedTexts } from '../store/stored-texts.ts';
import { textChecksum } from '../text-sums.ts';
import type { Answer, Derived, HashingJob, Job, SegmentJob } from './jobs.ts';

/** Kept for the next job. */
const embedders = new Map<number, HashingEmbedder>();
const segmentFiles = new Map<AnalyzerName, SegmentFiles>();
/** Segments for which more passages follow, by file. */
const unfinishedSegments = new Map<string, SegmentFile>();

let turn: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (job: Job) => {
  turn = turn
    .then(() => derive(job))
    .then(
      (derived) =>
        answer({ derived }, [
          derived.slots.buffer,
          derived.texts.buffer,
          derived.vectors.buffer,
        ] as ArrayBuffer[]),
      (error: unknown) => answer(explained(error)),
    );
});

function answer(content: Answer, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(content, transferred);
}

/** Errors that are not thrown deliberately come from the file system. */
function explained(error: unknown): Answer {
  if (ParallaxError.is(error)) return { id: error.id, message: error.message };
  const message = l10n.t`The index cannot be written: ${messageOf(error)}. Make room on that disk, or try again.`;
  return { id: 'store-unusable', message };
}

function derive(job: Job): Promise<Derived> {
  switch (job.type) {
    case 'segment':
      return segment(job);
    case 'hashing':
      return hashed(job);
  }
}

async function segment({ store, slots, analyzer, file, unfinished }: SegmentJob): Promise<Derived> {
  const segmentFile = unfinishedSegments.get(file) ?? filesOf(analyzer).begin();
  unfinishedSegments.set(file, segmentFile);
  const pace = new Pace({});
  const storedSlots: number[] = [];
  for (const { slot, text } of storedTexts(store, slots)) {
    segmentFile.add(slot, text);
    storedSlots.push(slot);
    if (pace.due) await pace.rest();
  }
  if (!unfinished) {
    unfinishedSegments.delete(file);
    await segmentFile.write(file, pace);
  }
  return { slots: Uint32Array.from(storedSlots), texts: new Uint32Array(), vectors: new Float32Array() };
}

function filesOf(analyzer: AnalyzerName): SegmentFiles {
  const files = segmentFiles.get(analyzer) ?? new SegmentFiles(analyzer);
  segmentFiles.set(analyzer, files);
  return files;
}

async function hashed({ store, slots, dimensions }: HashingJob): Promise<Derived> {
  const stored = [...storedTexts(store, slots)];
  const embedder = embedders.get(dimensions) ?? new HashingEmbedder(dimensions);
  embedders.set(dimensions, embedder);
  const vectors = await embedder.embedPassages(stored.map(({ text }) => text));
  return {
    slots: Uint32Array.from(stored, ({ slot }) => slot),
    texts: Uint32Array.from(stored, ({ text }) => textChecksum(text)),
    vectors,
  };
}

import type { Slot } from '../types.ts';
import type { LiveSegment } from './live-segment.ts';
import type { Pace } from '../concurrency/pace.ts';
import { FREQUENCY_BITS, frequencyAt, SegmentAssembler, type Segment } from './segment.ts';

/** A segment to merge, with the passages that were live when the merge began. */
interface Source {
  readonly segment: Segment;
  /** `[passages]`: number in the merged segment, or {@link DROPPED}. */
  readonly renumbered: Int32Array;
}

export interface Merged {
  readonly segment: Segment;
  /** Slots of passages that were not live. */
  readonly dropped: Slot[];
}

const DROPPED = -1;

/** Merges the live passages of several segments into one. */
export async function mergeSegments(
  segments: readonly LiveSegment[],
  lexiconSize: number,
  pace: Pace,
): Promise<Merged> {
  const slots: Slot[] = [];
  const texts: number[] = [];
  const lengths: number[] = [];
  const dropped: Slot[] = [];
  const sources = segments.map(({ segment, alive }): Source => {
    const renumbered = new Int32Array(segment.slots.length).fill(DROPPED);
    segment.slots.forEach((slot, passage) => {
      if (alive[passage] === 0) return void dropped.push(slot);
      renumbered[passage] = slots.length;
      slots.push(slot);
      texts.push(segment.texts[passage]!);
      lengths.push(segment.lengths[passage]!);
    });
    return { segment, renumbered };
  });
  const counts = new Uint32Array(lexiconSize);
  await eachKept(sources, pace, (id) => counts[id]!++);
  const passages = {
    slots: Uint32Array.from(slots),
    texts: Uint32Array.from(texts),
    lengths: Uint32Array.from(lengths),
  };
  const assembler = new SegmentAssembler(passages, counts);
  await eachKept(sources, pace, (id, passage, { segment }, index) =>
    assembler.place(id, passage, frequencyAt(segment, index)),
  );
  return { segment: assembler.finish(), dropped };
}

/** Visits the postings of kept passages, under their new numbers, in ascending order for each term. */
async function eachKept(
  sources: readonly Source[],
  pace: Pace,
  visit: (id: number, passage: number, source: Source, index: number) => void,
): Promise<void> {
  for (const source of sources) {
    const { terms, starts, postings } = source.segment;
    for (let term = 0; term < terms.length; term++) {
      for (let index = starts[term]!; index < starts[term + 1]!; index++) {
        const passage = source.renumbered[postings[index]! >>> FREQUENCY_BITS]!;
        if (passage !== DROPPED) visit(terms[term]!, passage, source, index);
      }
      if (pace.due) await pace.rest();
    }
  }
}

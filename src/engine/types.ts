/**
 * Types that the parts of the engine hand to each other.
 */
import type { DocumentFields } from '../core/text/fields.ts';
import type { Passage, Ranked } from '../core/model.ts';
import type { Read } from '../core/read.ts';
import type { storedPassageSchema } from '../shared/requests/passages.ts';
import type { Progress } from '../shared/requests/progress.ts';
import type { Section } from '../core/split/headings.ts';

/** Passages are numbered in the order they were stored. A slot is never given out twice in one store. */
export type Slot = number;

/** Result of a search inside one index: slots, best first; ties go by {@link LiveSlots.compare}. */
export type Hit = Ranked<Slot>;

/** One document as a reader hands it over, before splitting. */
export interface ExtractedDocument {
  /** `path` or `path#n` for the n-th record of a file (from 1), or the record's own id field. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** True when `text` is the file's text itself, so that offsets can be used in the opened file. */
  readonly verbatim: boolean;
  /** Line of the file (from 0) on which a record begins, where that is known. */
  readonly recordLine?: number | undefined;
  readonly fields?: DocumentFields | undefined;
  /** Where the text is that of pages: ascending, together all of it. */
  readonly pages?: readonly Section[] | undefined;
  /** Records are short; they stay one passage when the corpus is a file of records. */
  readonly isRecord: boolean;
}

export interface StoredPassage extends Read<typeof storedPassageSchema> {
  /** The fields of its document. */
  readonly fields?: DocumentFields | undefined;
}

/** A passage on its way into the store. */
export type NewPassage = Pick<Passage, 'id' | 'section' | 'text' | 'span' | 'lines'>;

/** Which slots of an index count in a search; tells deleted passages from live ones. */
export interface LiveSlots {
  readonly count: number;
  /** Another number whenever the set is another; where it is absent, nobody knows. */
  readonly version?: number | undefined;
  has(slot: Slot): boolean;
  /**
   * The order of passages with equal scores: by document and place in it, so that it does not depend on when each of
   * them came into the index. By slot if absent.
   */
  readonly compare?: SlotOrder | undefined;
}

/** Negative if the first comes first. */
export type SlotOrder = (a: Slot, b: Slot) => number;

export const bySlot: SlotOrder = (a, b) => a - b;

export interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called before each request to a chat model that is sent, repeated ones included. What it throws keeps it from that. */
  readonly onRequest?: (() => void) | undefined;
}

/** Types that the parts of the engine share. */
import type { DocumentFields } from '../core/text/fields.ts';
import type { Passage, Ranked } from '../core/model.ts';
import type { Read } from '../core/read.ts';
import type { storedPassageSchema } from '../shared/requests/passages.ts';
import type { Progress } from '../shared/requests/progress.ts';
import type { Section } from '../core/split/headings.ts';

/** Passages are numbered in the order they were stored. A store never assigns a slot twice. */
export type Slot = number;

/** Result of a search inside one index: slots, best first; ties go by {@link LiveSlots.compare}. */
export type Hit = Ranked<Slot>;

/** One document as a reader returns it, before splitting. */
export interface ExtractedDocument {
  /** `path` or `path#n` for the n-th record of a file (from 1), or the record's own id field. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Whether `text` is the file's text itself, so that offsets apply to the opened file. */
  readonly verbatim: boolean;
  /** Line of the file (from 0) on which a record begins. `undefined` if unknown. */
  readonly recordLine?: number | undefined;
  readonly fields?: DocumentFields | undefined;
  /** The pages of the text, ascending and covering all of it. `undefined` if it has none. */
  readonly pages?: readonly Section[] | undefined;
  /** Records are short, so they stay one passage if the corpus is a file of records. */
  readonly isRecord: boolean;
}

export interface StoredPassage extends Read<typeof storedPassageSchema> {
  readonly fields?: DocumentFields | undefined;
}

/** A passage to add to the store. */
export type NewPassage = Pick<Passage, 'id' | 'section' | 'text' | 'span' | 'lines'>;

/** The slots of an index that count in a search, which excludes deleted passages. */
export interface LiveSlots {
  readonly count: number;
  /** Changes whenever the set does. `undefined` if changes are not tracked. */
  readonly version?: number | undefined;
  has(slot: Slot): boolean;
  /**
   * The order of passages with equal scores: by document and position, so that it does not depend on when each was
   * indexed. Defaults to the order of slots.
   */
  readonly compare?: SlotOrder | undefined;
}

/** Negative if the first comes first. */
export type SlotOrder = (a: Slot, b: Slot) => number;

export const bySlot: SlotOrder = (a, b) => a - b;

export interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Called before each request to a chat model or embedder that is sent, including repeated ones. If it throws, the request is
   * not sent.
   */
  readonly onRequest?: (() => void) | undefined;
}

/** Finds the passages of the document, passage or text that a user asks about. */
import path from 'node:path';
import type { NamedTarget } from '../core/explanation.ts';
import { fold, words } from '../../../core/text/words.ts';
import { DEFAULT_BM25 } from '../../../core/pipeline.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { isForeign } from '../../../engine/external/foreign-passages.ts';
import type { Slot, StoredPassage, WorkOptions } from '../../../engine/types.ts';

/** What a user named: a path, an id of a document or passage, a title, or a text. */
export interface Target {
  /** The passages that count as the document. Empty if the corpus has none. */
  readonly passages: readonly StoredPassage[];
  /** Documents with the text, if the target is a text. Several if more than one contains it. */
  readonly documents?: readonly string[];
  /** The passages that together contain the text, in reading order, if no single one does. */
  readonly cut?: readonly StoredPassage[];
  /** Absolute, if the target may be a file that is not in the index. */
  readonly file?: string;
  /** The passage, if the target is one passage. */
  readonly passage?: StoredPassage;
  /** Whether a passage that a retriever split differently belongs to the target. */
  readonly includes: (passage: StoredPassage) => boolean;
}

/** Passages to search for a text, those with its words first. */
const LOOKED_AT = 100;
/** The most words of a text to search by. */
const MAX_WORDS = 64;
/** A shorter text is an id or a title. */
const MIN_TEXT = 12;

/**
 * @param named an id, path or title of the corpus, or a text of at least a few words
 * @param within absolute path of the file in which a text was selected; the target is then that document, whatever
 *   else contains the text
 * @throws ParallaxError `cancelled`
 */
export async function findTarget(
  index: CorpusIndex,
  named: string,
  work: WorkOptions,
  within?: string,
): Promise<Target> {
  if (within !== undefined) return selectedIn(index, within, named);
  // A corpus in a store knows a passage only after fetching it.
  await index.fetchPassages([named], work);
  const passage = index.passageById(named);
  if (passage && passage.id !== passage.documentId)
    return { passages: [passage], passage, includes: (candidate) => overlaps(candidate, passage) };
  const file = path.resolve(index.ref.base, named);
  const ofDocument = index.passagesOf(named);
  if (ofDocument.length > 0) return { ...wholeDocuments(ofDocument), file };
  const ofFile = index.passagesOfFile(file);
  if (ofFile.length > 0) return { ...wholeDocuments(ofFile), file };
  const byTitle = index.passagesTitled(named);
  if (byTitle.length > 0) return wholeDocuments(byTitle);
  const text = normalised(named);
  if (text.length >= MIN_TEXT && text.includes(' ')) {
    const match = await findText(index, text, work);
    if (match) return match;
  }
  // A program may return what the corpus does not have.
  const includes = (passage: StoredPassage): boolean =>
    passage.id === named || passage.documentId === named || overlapsText(passage, text);
  return { passages: [], file, includes };
}

/**
 * The same in an index of the same documents with another split. A passage becomes the one with most of it there.
 *
 * @throws ParallaxError `cancelled`
 */
export async function targetResplit(
  { passage }: Target,
  index: CorpusIndex,
  { document, within }: NamedTarget,
  work: WorkOptions,
): Promise<Target> {
  if (!passage) return findTarget(index, document, work, within);
  const { start, end } = passage.span;
  const passages = index.passagesOf(passage.documentId).filter(({ span }) => {
    const shared = Math.min(span.end, end) - Math.max(span.start, start);
    return 2 * shared >= Math.min(span.end - span.start, end - start);
  });
  return { passages, includes: (candidate) => overlaps(candidate, passage) };
}

/** The passages with a selected text, or the whole document if none of its passages has the text. */
function selectedIn(index: CorpusIndex, file: string, selected: string): Target {
  const ofFile = index.passagesOfFile(file);
  const text = normalised(selected);
  if (ofFile.length === 0 || text === '') return { ...wholeDocuments(ofFile), file };
  const includes = (passage: StoredPassage): boolean => overlapsText(passage, text);
  const whole = ofFile.filter((passage) => normalised(passage.text).includes(text));
  if (whole.length > 0) return { passages: whole, includes, file };
  const cut = sharedBy(ofFile, text);
  return cut ? { passages: cut, cut, includes, file } : { ...wholeDocuments(ofFile), file };
}

/** A retriever elsewhere may split the same documents differently. */
export function isOfTarget({ passages, includes }: Target, index: CorpusIndex): (slot: Slot) => boolean {
  const slots = new Set(passages.map(({ slot }) => slot));
  return (slot) => slots.has(slot) || (isForeign(slot) && index.passages([slot]).some(includes));
}

function wholeDocuments(passages: readonly StoredPassage[]): Target {
  const documents = new Set(passages.map(({ documentId }) => documentId));
  return { passages, includes: ({ documentId }) => documents.has(documentId) };
}

const overlaps = (one: StoredPassage, other: StoredPassage): boolean =>
  overlapsText(one, normalised(other.text));

/** @param text normalised; a short one is a name */
function overlapsText(passage: StoredPassage, text: string): boolean {
  const passageText = normalised(passage.text);
  return (
    Math.min(passageText.length, text.length) >= MIN_TEXT &&
    (passageText.includes(text) || text.includes(passageText))
  );
}

/** Only its words, since a text copied from a rendered page lacks the marks of its source. */
const normalised = (text: string): string => words(fold(text.replaceAll(LINK_TARGET, '] '))).join(' ');

/** Of a Markdown link. */
const LINK_TARGET = /\]\([^\s()[\]]*\)/gu;

async function findText(index: CorpusIndex, text: string, work: WorkOptions): Promise<Target | undefined> {
  const query = text.split(' ').slice(0, MAX_WORDS).join(' ');
  const { hits } = await index.searches.bm25(query, DEFAULT_BM25, LOOKED_AT, work);
  const near = index.passages(hits.map(({ item }) => item));
  const whole = near.filter((passage) => normalised(passage.text).includes(text));
  const includes = (passage: StoredPassage): boolean => normalised(passage.text).includes(text);
  if (whole.length > 0)
    return { passages: whole, documents: [...new Set(whole.map(({ documentId }) => documentId))], includes };
  for (const documentId of new Set(near.map((passage) => passage.documentId))) {
    const cut = sharedBy(index.passagesOf(documentId), text);
    if (cut) return { passages: cut, documents: [documentId], cut, includes };
  }
  return undefined;
}

/** Neighbouring passages that contain a text only together. `undefined` if there are none. */
function sharedBy(passages: readonly StoredPassage[], text: string): StoredPassage[] | undefined {
  const texts = passages.map((passage) => normalised(passage.text));
  const starts: number[] = [];
  let joined = '';
  for (const each of texts) {
    // Overlapping passages repeat the end of the one before.
    const overlap = overlapOf(joined, each);
    starts.push(joined.length - overlap + (joined === '' || overlap > 0 ? 0 : 1));
    joined = overlap > 0 ? joined + each.slice(overlap) : joined === '' ? each : `${joined} ${each}`;
  }
  const at = joined.indexOf(text);
  if (at < 0) return undefined;
  return passages.filter(
    (_, place) => starts[place]! < at + text.length && starts[place]! + texts[place]!.length > at,
  );
}

/** Length of the longest end of one text that the other begins with, up to {@link MAX_OVERLAP} characters. */
function overlapOf(before: string, after: string): number {
  for (let length = Math.min(before.length, after.length, MAX_OVERLAP); length >= MIN_TEXT; length--)
    if (before.endsWith(after.slice(0, length))) return length;
  return 0;
}

const MAX_OVERLAP = 2_000;

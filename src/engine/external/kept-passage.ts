/** A foreign passage in the form in which it is kept: what names it, and the way back to a passage. */
import { aboutRecordSchema, type AboutRecord } from '../../core/external/about-record.ts';
import { textHash } from '../text-sums.ts';
import type { Slot, StoredPassage } from '../types.ts';

/** Ids of passages that are known by their texts begin with this; no document's path does. */
export const FOREIGN_PREFIX = 'foreign:';

/** A passage as its retriever hands it over. */
export interface ForeignPassage {
  readonly text?: string | undefined;
  /** The retriever's word for it, and its title where nothing else is known. */
  readonly name: string;
  readonly about?: AboutRecord | undefined;
}

/** A passage as it stands in the table, but for its number. */
export interface KeptPassage {
  readonly id: string;
  /** The hash of the text; absent while nobody needs it. */
  readonly hash?: string | undefined;
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

/** Keeps a record of a store, whose name is its id; nothing where it has no name, or no text to read. */
export function keptRecord({ name, text, about }: ForeignPassage): KeptPassage | undefined {
  if (name === '' || text === undefined) return undefined;
  return { id: name, name, about: written(about), text };
}

/** Keeps a passage that its text names; without a text its name does, and the text is empty. */
export function keptText({ name, text, about }: ForeignPassage): KeptPassage {
  const hash = textHash(text ?? `without text: ${name}`);
  return { id: FOREIGN_PREFIX + hash, hash, name, about: written(about), text: text ?? '' };
}

/** As it stands in the table. */
export const written = (about: AboutRecord | undefined): string =>
  about === undefined ? '{}' : JSON.stringify(about);

/** The reverse of {@link written}. */
export const aboutOf = (about: string): AboutRecord => aboutRecordSchema.parse(JSON.parse(about));

export function passageOf({ id, hash, name, about, text }: KeptPassage, slot: Slot): StoredPassage {
  const { title, source, page, document, fields } = aboutOf(about);
  return {
    slot,
    id,
    documentId: document ?? id,
    title: title ?? (source === undefined ? name : lastPart(source)),
    ...(page === undefined ? {} : { section: `p. ${page}` }),
    ...(source === undefined ? {} : { source }),
    ...(fields === undefined ? {} : { fields }),
    text,
    hash: hash ?? textHash(text),
    span: { start: 0, end: text.length },
    lines: { startLine: 0, endLine: text.split('\n').length - 1 },
    path: '',
    verbatim: false,
  };
}

/** A file's name, or the last part of an address. */
function lastPart(source: string): string {
  return source.split(/[/\\]/u).findLast((part) => part !== '') ?? source;
}

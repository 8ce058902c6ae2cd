/** The stored form of a foreign passage, and its conversion back to a passage. */
import { aboutRecordSchema, type AboutRecord } from '../../core/external/about-record.ts';
import { textHash } from '../text-sums.ts';
import type { Slot, StoredPassage } from '../types.ts';

/** The prefix of ids of passages known by their texts. No document's path begins with it. */
export const FOREIGN_PREFIX = 'foreign:';

/** A passage as its retriever returns it. */
export interface ForeignPassage {
  readonly text?: string | undefined;
  /** The retriever's id for it, which is also its title if nothing else is known. */
  readonly name: string;
  readonly about?: AboutRecord | undefined;
}

/** A passage as in the table, without its number. */
export interface KeptPassage {
  readonly id: string;
  /** The hash of the text. `undefined` until it is needed. */
  readonly hash?: string | undefined;
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

/** The stored form of a record, whose name is its id. `undefined` if it has no name or no text. */
export function keptRecord({ name, text, about }: ForeignPassage): KeptPassage | undefined {
  if (name === '' || text === undefined) return undefined;
  return { id: name, name, about: written(about), text };
}

/** The stored form of a passage under its text, or under its name if it has none; its text is then empty. */
export function keptText({ name, text, about }: ForeignPassage): KeptPassage {
  const hash = textHash(text ?? `without text: ${name}`);
  return { id: FOREIGN_PREFIX + hash, hash, name, about: written(about), text: text ?? '' };
}

/** As in the table. */
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

/** A file's name, or the last part of a URL. */
function lastPart(source: string): string {
  return source.split(/[/\\]/u).findLast((part) => part !== '') ?? source;
}

/** Files whose text is used unchanged: Markdown, plain text, source code. */
import { headFields } from '../../../core/likeness/document-fields.ts';
import { headingsOf } from '../../../core/split/headings.ts';
import { decodeText } from '../decode.ts';
import type { DraftDocument, ReadItem, WholeReader } from './reader.ts';

/** Plain text and source files. The title is the file's name. */
export const plainReader: WholeReader = {
  streamed: false,
  read: (bytes, { name }): ReadItem[] => [{ document: verbatimDocument(decodeText(bytes), name) }],
};

/** Markdown. The title is the front matter's, else the first heading, else the file's name. */
export const markdownReader: WholeReader = {
  streamed: false,
  read(bytes, { name }): ReadItem[] {
    const text = decodeText(bytes);
    return [{ document: verbatimDocument(text, frontMatterTitle(text) ?? firstHeading(text) ?? name) }];
  },
};

export function verbatimDocument(text: string, title: string): DraftDocument {
  return { title, text, verbatim: true, fields: headFields(text) };
}

/** The first Markdown heading with text. */
export function firstHeading(text: string): string | undefined {
  for (const { title } of headingsOf(text, 'markdown')) if (title) return title;
  return undefined;
}

/** `title:` within YAML front matter, plain or in quotes. */
function frontMatterTitle(text: string): string | undefined {
  const frontMatter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, 10_000))?.[1];
  const title = /^title:[ \t]*(.+?)[ \t]*$/m.exec(frontMatter ?? '')?.[1];
  return title?.replace(/^(["'])(.*)\1$/, '$2') || undefined;
}

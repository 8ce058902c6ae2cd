/** Chooses the reader of a file by its name. */
import type { TextForm } from '../../../core/split/split.ts';
import { CODE, DATA, extensionOf, MARKDOWN, PLAIN_TEXT, SOURCE } from '../../../core/text/file-kinds.ts';
import { delimitedReader } from './delimited.ts';
import { htmlReader } from './html.ts';
import { jsonReader } from './json.ts';
import { jsonLinesReader } from './jsonl.ts';
import { notebookReader } from './notebook.ts';
import type { Reader, ReadItem, WholeReader } from './reader.ts';
import { markdownReader, plainReader } from './verbatim.ts';
import { extraction } from '../extraction/extraction.ts';

const pdfReader: WholeReader = {
  streamed: false,
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    const { title, text, fields, pageStarts = [0] } = await extraction.extract('pdf', bytes, signal);
    const pages = pageStarts.map((start, index) => ({
      start,
      end: pageStarts[index + 1] ?? text.length,
      path: `p. ${index + 1}`,
    }));
    return [{ document: { title: title ?? name, text, verbatim: false, pages, fields } }];
  },
};

const docxReader: WholeReader = {
  streamed: false,
  async read(bytes, { name, signal }): Promise<ReadItem[]> {
    const { title, text, fields } = await extraction.extract('docx', bytes, signal);
    return [{ document: { title: title ?? name, text, verbatim: false, fields } }];
  },
};

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...MARKDOWN.map((extension) => [extension, markdownReader] as const),
  ...[...PLAIN_TEXT, ...DATA, ...SOURCE].map((extension) => [extension, plainReader] as const),
  ...['html', 'htm', 'xhtml'].map((extension) => [extension, htmlReader] as const),
  ...['csv', 'tsv', 'tab'].map((extension) => [extension, delimitedReader] as const),
  ...['jsonl', 'ndjson'].map((extension) => [extension, jsonLinesReader] as const),
  ['json', jsonReader],
  ['ipynb', notebookReader],
  ['pdf', pdfReader],
  ['docx', docxReader],
]);

/** Text files that usually have no extension. */
const NAMES =
  /^(?:readme|licen[cs]e|copying|changelog|changes|authors|contributing|notice|makefile|dockerfile|jenkinsfile)$/i;
/** Written by tools for tools. */
const GENERATED = /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$|\.min\.(?:js|css)$/i;

/** Documents whose text has Markdown headings: Markdown itself, and formats that readers convert to it. */
const MARKDOWN_HEADINGS = new Set([...MARKDOWN, 'txt', 'text', 'html', 'htm', 'xhtml', 'ipynb', 'docx']);
/**
 * A directive or a target, with which no other format begins a line. Many reStructuredText and AsciiDoc
 * manuals are called `.txt`.
 */
const RST_LINE = /^\.\. (?:[a-z][a-z-]{0,40}::|_[^:\n]{1,100}:)/m;
/** Attributes of a block, an anchor, or a macro that takes a whole line. */
const ASCIIDOC_LINE =
  /^(?:\[(?:verse|source|listing|horizontal|quote|cols|NOTE|TIP|WARNING|\[[\w.-]{1,80}\]\])|(?:include|ifdef|ifndef|image)::[^\s[]{0,200}\[)/m;
/** The title of a manual page: the name of a command, and the section of the manual. */
const ASCIIDOC_MANUAL = /^\S{1,100}\(\d\)\n=+\n/;
/** A line that continues an entry of a list. */
const ASCIIDOC_CONTINUATION = /^\+\n/m;
/** The rule above a listing, and what follows it. */
const LISTING = /(?:^|\n\n)(-{4,})\n(?=[^\n])/g;
const LOOKED_AT = 20_000;

/** The reader of a file with this name. `undefined` for unknown types and for generated files. */
export function readerFor(name: string): Reader | undefined {
  if (GENERATED.test(name)) return undefined;
  return READERS.get(extensionOf(name)) ?? (NAMES.test(name) ? plainReader : undefined);
}

/** How headings are marked in the text of a file with this name, and whether it is prose. */
export function textFormOf(name: string, text: string): TextForm {
  const extension = extensionOf(name);
  if (extension === 'rst') return { headings: 'rst' };
  if (extension === 'adoc' || extension === 'asciidoc') return { headings: 'asciidoc' };
  if (CODE.has(extension)) return { isCode: true };
  const isPlain = extension === 'txt' || extension === 'text' || NAMES.test(name);
  const beginning = isPlain ? text.slice(0, LOOKED_AT) : '';
  if (RST_LINE.test(beginning)) return { headings: 'rst' };
  if (isAsciidoc(beginning)) return { headings: 'asciidoc' };
  return { headings: MARKDOWN_HEADINGS.has(extension) || NAMES.test(name) ? 'markdown' : 'none' };
}

function isAsciidoc(beginning: string): boolean {
  const text = beginning.replaceAll('\r\n', '\n');
  const signs = [ASCIIDOC_LINE, ASCIIDOC_MANUAL, ASCIIDOC_CONTINUATION];
  return signs.some((sign) => sign.test(text)) || hasListing(text);
}

/** Lines between two rules of the same length. A single short line is a title that also has a line above it. */
function hasListing(text: string): boolean {
  for (const { 0: opening, 1: rule, index } of text.matchAll(LISTING)) {
    const start = index + opening.length;
    const end = text.indexOf(`\n${rule}\n`, start);
    const lines = text.slice(start, Math.max(start, end)).split('\n');
    if (end < 0 || lines.at(-1) === '') continue;
    if (lines.length > 1 || lines[0]!.length > rule!.length + 1) return true;
  }
  return false;
}

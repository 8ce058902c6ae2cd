/**
 * Which reader reads which file, by its name.
 */
import type { TextForm } from '../../../core/split/split.ts';
import { delimitedReader } from './delimited.ts';
import { docxReader } from './docx.ts';
import { htmlReader } from './html.ts';
import { jsonReader } from './json.ts';
import { jsonLinesReader } from './jsonl.ts';
import { notebookReader } from './notebook.ts';
import { pdfReader } from './pdf.ts';
import type { Reader } from './reader.ts';
import { markdownReader, plainReader } from './verbatim.ts';

const MARKDOWN = ['md', 'mdx', 'markdown', 'mdown', 'mkd', 'qmd', 'rmd'];
const PLAIN_TEXT = ['txt', 'text', 'rst', 'adoc', 'asciidoc', 'org', 'tex', 'textile', 'wiki', 'srt', 'vtt'];
const DATA = [
  'yaml',
  'yml',
  'toml',
  'ini',
  'cfg',
  'conf',
  'properties',
  'xml',
  'jsonc',
  'json5',
  'graphql',
  'proto',
  'sql',
];
const SOURCE = [
  ...[
    'py',
    'pyi',
    'ts',
    'tsx',
    'mts',
    'cts',
    'js',
    'jsx',
    'mjs',
    'cjs',
    'java',
    'kt',
    'kts',
    'scala',
    'groovy',
  ],
  ...[
    'c',
    'h',
    'cc',
    'cpp',
    'cxx',
    'hpp',
    'hh',
    'cs',
    'fs',
    'vb',
    'go',
    'rs',
    'rb',
    'php',
    'swift',
    'm',
    'mm',
  ],
  ...[
    'dart',
    'lua',
    'pl',
    'pm',
    'r',
    'jl',
    'hs',
    'ml',
    'mli',
    'clj',
    'cljs',
    'ex',
    'exs',
    'erl',
    'elm',
    'zig',
    'nim',
  ],
  ...[
    'sh',
    'bash',
    'zsh',
    'fish',
    'ps1',
    'bat',
    'cmd',
    'vue',
    'svelte',
    'css',
    'scss',
    'less',
    'tf',
    'nix',
    'sol',
  ],
];

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

/** Text files that go without an extension. */
const NAMES =
  /^(?:readme|licen[cs]e|copying|changelog|changes|authors|contributing|notice|makefile|dockerfile|jenkinsfile)$/i;
/** Written by tools for tools. */
const GENERATED = /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$|\.min\.(?:js|css)$/i;

/** Documents whose text has Markdown headings: Markdown itself and what readers turn into it. */
const MARKDOWN_HEADINGS = new Set([...MARKDOWN, 'txt', 'text', 'html', 'htm', 'xhtml', 'ipynb', 'docx']);
const CODE = new Set([...DATA, ...SOURCE]);
/** A directive or a target: nothing else begins a line so. Many manuals in reStructuredText are called `.txt`. */
const RST_LINE = /^\.\. (?:[a-z][a-z-]{0,40}::|_[^:\n]{1,100}:)/m;
const RST_LOOKED_AT = 20_000;

/** The reader for a file of this name; `undefined` for unknown types and for generated files. */
export function readerFor(name: string): Reader | undefined {
  if (GENERATED.test(name)) return undefined;
  return READERS.get(extensionOf(name)) ?? (NAMES.test(name) ? plainReader : undefined);
}

/** How the headings are marked in the text of a file of this name, and whether it is prose at all. */
export function textFormOf(name: string, text: string): TextForm {
  const extension = extensionOf(name);
  if (extension === 'rst') return { headings: 'rst' };
  if (extension === 'adoc' || extension === 'asciidoc') return { headings: 'asciidoc' };
  if (CODE.has(extension)) return { isCode: true };
  const isPlain = extension === 'txt' || extension === 'text' || NAMES.test(name);
  if (isPlain && RST_LINE.test(text.slice(0, RST_LOOKED_AT))) return { headings: 'rst' };
  return { headings: MARKDOWN_HEADINGS.has(extension) || NAMES.test(name) ? 'markdown' : 'none' };
}

/** `md` for `a.b.MD`; empty when there is none, also for `.gitignore`. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

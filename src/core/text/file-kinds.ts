/**
 * Kinds of files by their names.
 */

export const MARKDOWN = ['md', 'mdx', 'markdown', 'mdown', 'mkd', 'qmd', 'rmd'];
export const PLAIN_TEXT = [
  'txt',
  'text',
  'rst',
  'adoc',
  'asciidoc',
  'org',
  'tex',
  'textile',
  'wiki',
  'srt',
  'vtt',
];
export const DATA = [
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
export const SOURCE = [
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

/** Lines mean something in these, and sentences nothing. */
export const CODE: ReadonlySet<string> = new Set([...DATA, ...SOURCE]);

/** Whether a file of this name holds code or data that people read line by line. */
export function isCode(name: string): boolean {
  return CODE.has(extensionOf(name.slice(name.lastIndexOf('/') + 1)));
}

/** `md` for `a.b.MD`; empty when there is none, also for `.gitignore`. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

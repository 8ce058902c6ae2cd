/** Kinds of files by their names. */

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

/** Files with meaningful lines and no sentences. */
export const CODE: ReadonlySet<string> = new Set([...DATA, ...SOURCE]);

/** Settings of tools, which are not documents although they have the form of records or text. */
const TOOL_SETTINGS =
  /^(?:package|composer|deno|bower|lerna|nx|project|tsconfig|jsconfig|vercel|renovate|biome|manifest)(?:\.[\w-]{1,40})?\.json$|^\.[\w.-]{1,60}\.json$|\.config\.json$|^(?:makefile|dockerfile|jenkinsfile)$|^(?:requirements|constraints)(?:[-_.][\w.-]{1,40})?\.txt$|^(?:robots|runtime|cmakelists)\.txt$/i;
/** Files that every program has. */
const OF_A_PROGRAM =
  /^(?:readme|licen[cs]e|copying|changelog|changes|authors|contributing|notice|security|code_of_conduct|requirements|makefile|dockerfile|jenkinsfile)\b/i;
/** The number of prose files that make a corpus, however much code there is beside them. */
const ENOUGH_PROSE = 3;
const SHARE_OF_PROSE = 0.1;

/** `prose`: something to read. `code`: something for programs and their authors. */
export type FileKind = 'prose' | 'code';

/** @param file a path, with slashes or backslashes */
export function kindOfFile(file: string): FileKind {
  const name = nameOf(file);
  return CODE.has(extensionOf(name)) || TOOL_SETTINGS.test(name) ? 'code' : 'prose';
}

/** Whether the files include prose beyond what every program has. */
export function holdsProse(files: readonly string[]): boolean {
  const prose = files.filter((file) => kindOfFile(file) === 'prose' && !OF_A_PROGRAM.test(nameOf(file)));
  return prose.length >= ENOUGH_PROSE || prose.length > files.length * SHARE_OF_PROSE;
}

const nameOf = (file: string): string =>
  file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);

/** Whether a file name is that of code or line-based data. */
export function isCode(name: string): boolean {
  return CODE.has(extensionOf(nameOf(name)));
}

/** Whether a file name is that of Markdown. */
export function isMarkdown(name: string): boolean {
  return MARKDOWN.includes(extensionOf(nameOf(name)));
}

/** `md` for `a.b.MD`. Empty without an extension, as in `.gitignore`. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** Which editor languages are understood, and by which grammar. */

/** Rules and name resolution know two languages; TypeScript and JSX are JavaScript to them. */
export type Language = 'python' | 'javascript';
export type Grammar = 'python' | 'typescript' | 'tsx';

interface Spoken {
  readonly language: Language;
  readonly grammar: Grammar;
}

/** Editor language ids. JavaScript is read with the TSX grammar, which saves a fourth one. */
const SPOKEN: Readonly<Record<string, Spoken>> = {
  python: { language: 'python', grammar: 'python' },
  typescript: { language: 'javascript', grammar: 'typescript' },
  typescriptreact: { language: 'javascript', grammar: 'tsx' },
  javascript: { language: 'javascript', grammar: 'tsx' },
  javascriptreact: { language: 'javascript', grammar: 'tsx' },
};

/** By the ending of a file's name. */
export const ENDINGS: Readonly<Record<string, string>> = {
  py: 'python',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascriptreact',
};

/** The editor's language id for a file; undefined for one that no rule covers. */
export function languageIdOf(file: string): string | undefined {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}

export function spokenBy(languageId: string): Spoken | undefined {
  return Object.hasOwn(SPOKEN, languageId) ? SPOKEN[languageId] : undefined;
}

/** The supported editor languages and their grammars. */

/** Rules and name resolution distinguish two languages; TypeScript and JSX count as JavaScript. */
export type Language = 'python' | 'javascript';
export type Grammar = 'python' | 'typescript' | 'tsx';

interface Spoken {
  readonly language: Language;
  readonly grammar: Grammar;
}

/** Editor language ids. JavaScript is parsed with the TSX grammar, which avoids a fourth one. */
const SPOKEN: Readonly<Record<string, Spoken>> = {
  python: { language: 'python', grammar: 'python' },
  typescript: { language: 'javascript', grammar: 'typescript' },
  typescriptreact: { language: 'javascript', grammar: 'tsx' },
  javascript: { language: 'javascript', grammar: 'tsx' },
  javascriptreact: { language: 'javascript', grammar: 'tsx' },
};

/** By file extension. */
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

/** The editor's language id of a file. `undefined` for a language without rules. */
export function languageIdOf(file: string): string | undefined {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}

export function spokenBy(languageId: string): Spoken | undefined {
  return Object.hasOwn(SPOKEN, languageId) ? SPOKEN[languageId] : undefined;
}

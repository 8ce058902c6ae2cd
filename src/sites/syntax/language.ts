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

export function spokenBy(languageId: string): Spoken | undefined {
  return Object.hasOwn(SPOKEN, languageId) ? SPOKEN[languageId] : undefined;
}

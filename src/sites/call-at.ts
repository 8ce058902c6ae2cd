/** The call whose name contains a position, found in the text without parsing. */

export interface CalledHere {
  /** The last name of the callee. */
  readonly name: string;
  /** Names of its arguments or of the entries of its options. */
  readonly names: readonly string[];
  /** Positional arguments in order, as written. */
  readonly unnamed: readonly string[];
}

/** Calls with longer arguments are ignored. */
const MAX_CHARACTERS = 4_000;
/** Longer than any name in practice. */
const MAX_OF_A_NAME = 200;
const OF_A_NAME = /[\p{ID_Continue}$]/u;
const OPENING = '([{';
const CLOSING = ')]}';

/** `undefined` if the position is not in or at the end of a name followed by a call. */
export function calledHere(text: string, offset: number): CalledHere | undefined {
  let start = offset;
  while (start > offset - MAX_OF_A_NAME && OF_A_NAME.test(text.charAt(start - 1))) start--;
  let open = offset;
  while (open < offset + MAX_OF_A_NAME && OF_A_NAME.test(text.charAt(open))) open++;
  const name = text.slice(start, open);
  if (!/^[\p{ID_Start}_$]/u.test(name) || text[open] !== '(') return undefined;
  if (/\b(?:def|class|function)\s+$/u.test(text.slice(Math.max(0, start - 20), start))) return undefined;
  const args = argumentsFrom(text.slice(open + 1, open + MAX_CHARACTERS));
  const named = args.flatMap((each) => namesOf(each));
  return {
    name,
    names: [...new Set(named)],
    unnamed: args.filter((each) => namesOf(each).length === 0).map((each) => each.trim()),
  };
}

/**
 * The arguments up to the closing bracket of the call. Commas inside brackets and strings do not separate arguments.
 */
function argumentsFrom(text: string): string[] {
  const args: string[] = [];
  let depth = 0;
  let start = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
      continue;
    }
    if (/["'`]/u.test(character)) quote = character;
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character) && depth-- === 0)
      return [...args, text.slice(start, at)].filter(hasText);
    else if (character === ',' && depth === 0) {
      args.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [];
}

function hasText(argument: string): boolean {
  return argument.trim() !== '';
}

function namesOf(argument: string): readonly string[] {
  const named = /^\s*([\p{ID_Start}_$][\p{ID_Continue}$]*)\s*=(?!=)/u.exec(argument)?.[1];
  if (named !== undefined) return [named];
  if (!/^\s*\{/u.test(argument)) return [];
  return argumentsFrom(`${argument.trim().slice(1)}`).flatMap(
    (entry) => /^\s*["']?([\p{ID_Start}_$][\p{ID_Continue}$]*)["']?\s*(?::|$)/u.exec(entry)?.[1] ?? [],
  );
}

/** Usual names of arguments for the number of results, most likely first. */
const HOW_MANY =
  /^(?:k|top_?k|limit|n|n_?results|num_?results|max_?results|match_?count|size|count|top_?n|top|how_?many)$/iu;

/** The argument for the number of results, if the call has one with a usual name. */
export function likelyK({ names }: CalledHere): string | undefined {
  return names.find((name) => HOW_MANY.test(name));
}

/** Whether the name suggests a call that retrieves, so that not every other call gets a code action. */
export function mayBeSearch({ name, names }: CalledHere): boolean {
  return (
    /search|retriev|quer(?:y|ies)|find|fetch|lookup|recall|nearest|similar|neighbou?rs|context|documents|passages|chunks|rank|knowledge|ask/iu.test(
      name,
    ) || names.some((each) => HOW_MANY.test(each))
  );
}

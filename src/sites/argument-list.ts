/** The arguments of a call as written, for edits between them. */

/** A piece of the program's text, from `start` up to `end`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface ArgumentList {
  /** Offset after the opening bracket. */
  readonly open: number;
  readonly list: readonly Piece[];
}

/** The arguments of the call whose callee ends at an offset. `undefined` if they are unclear. */
export function argumentsAfter(text: string, calleeEnd: number): ArgumentList | undefined {
  const bracket = /^\s*\(/u.exec(text.slice(calleeEnd))?.[0].length;
  return bracket === undefined ? undefined : piecesFrom(text, calleeEnd + bracket, ')');
}

/** The members of an object or dictionary literal. `undefined` for anything else. */
export function membersOf(text: string, { start }: Piece): ArgumentList | undefined {
  return text[start] === '{' ? piecesFrom(text, start + 1, '}') : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The texts between commas up to the closing bracket. `undefined` if brackets are unbalanced. */
function piecesFrom(text: string, start: number, closing: string): ArgumentList | undefined {
  const list: Piece[] = [];
  const awaited = [closing];
  let from = start;
  const take = (end: number): void => {
    const raw = text.slice(from, end);
    const trimmed = raw.trim();
    const at = from + raw.length - raw.trimStart().length;
    if (trimmed !== '') list.push({ start: at, end: at + trimmed.length, text: trimmed });
    from = end + 1;
  };
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"' || char === "'" || char === '`') {
      const end = stringEnd(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (char === '#' || (char === '/' && text[at + 1] === '/')) {
      // With a comment between the arguments, the place of an edit is unclear.
      return undefined;
    } else if (CLOSING[char] !== undefined) awaited.push(CLOSING[char]);
    else if (char === awaited.at(-1)) {
      awaited.pop();
      if (awaited.length === 0) {
        take(at);
        return { open: start, list };
      }
    } else if (char === ',' && awaited.length === 1) take(at);
  }
  return undefined;
}

/** Offset after the closing quote. */
function stringEnd(text: string, start: number): number | undefined {
  const quote = text[start]!;
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let at = start + mark.length; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(mark, at)) return at + mark.length;
  }
  return undefined;
}

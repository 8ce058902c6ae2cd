/**
 * The text that is parsed. A notebook's cells are joined into one text, in document order, so that names
 * are found across cells; places are given back relative to the cell they stand in.
 */
import type { Place } from './model.ts';
import { spokenBy, type Grammar, type Language } from './syntax/language.ts';

export interface Cell {
  /** The editor's language id. */
  readonly languageId: string;
  readonly text: string;
}

interface Part {
  readonly cell: number;
  readonly start: number;
  readonly end: number;
}

/** `%magic`, `!shell` and `?help` lines of IPython, which Python cannot parse. */
const MAGIC_LINE = /^[ \t]*(?:%|!|\?).*$/gmu;
/** Magics whose argument is Python: only the magic itself is taken out. */
const TIMED = /^([ \t]*%{1,2}(?:time|timeit|prun|capture)\b(?:[ \t]+-\S+)*)(.*)$/u;
/** Cell magics whose cell is still Python. */
const PYTHON_CELL = /^\s*%%(?:time|timeit|capture|prun|writefile[ \t]+(?:-a[ \t]+)?\S+\.py)\b/u;

export class Source {
  readonly text: string;
  readonly language: Language;
  readonly grammar: Grammar;
  readonly isNotebook: boolean;
  private readonly parts: readonly Part[];

  private constructor(text: string, parts: readonly Part[], languageId: string, isNotebook: boolean) {
    const spoken = spokenBy(languageId);
    this.text = text;
    this.parts = parts;
    this.language = spoken?.language ?? 'python';
    this.grammar = spoken?.grammar ?? 'python';
    this.isNotebook = isNotebook;
  }

  /** Undefined for a language that no rule covers. */
  static file(text: string, languageId: string): Source | undefined {
    const spoken = spokenBy(languageId);
    if (!spoken) return undefined;
    const read = spoken.language === 'javascript' ? withoutTypes(text) : text;
    return new Source(read, [{ cell: 0, start: 0, end: text.length }], languageId, false);
  }

  /**
   * The cells in the language of the first code cell that rules cover; cells in other languages keep
   * their numbers and are skipped.
   */
  static notebook(cells: readonly Cell[]): Source | undefined {
    const first = cells.find(({ languageId }) => spokenBy(languageId));
    if (!first) return undefined;
    const parts: Part[] = [];
    let text = '';
    cells.forEach((cell, index) => {
      if (spokenBy(cell.languageId)?.language !== spokenBy(first.languageId)?.language) return;
      const start = text.length;
      text += cell.languageId === 'python' ? withoutMagics(cell.text) : withoutTypes(cell.text);
      parts.push({ cell: index, start, end: text.length });
      text += '\n';
    });
    return new Source(text, parts, first.languageId, true);
  }

  place(start: number, end: number): Place {
    const part = this.partAt(start);
    return { cell: part.cell, start: start - part.start, end: end - part.start };
  }

  /** Where a place of a cell stands in the joined text; undefined when the cell is not part of it. */
  offset({ cell, start }: Place): number | undefined {
    const part = this.parts.find((candidate) => candidate.cell === cell);
    return part && part.start + start;
  }

  /** The whole of the cell that an offset stands in. */
  partAt(offset: number): Part {
    return this.parts.findLast(({ start }) => start <= offset) ?? { cell: 0, start: 0, end: 0 };
  }
}

/** Blanks what is not Python with as many spaces, so that offsets stay. */
function withoutMagics(text: string): string {
  if (/^\s*%%/u.test(text) && !PYTHON_CELL.test(text)) return text.replaceAll(/[^\n]/gu, ' ');
  return text.replaceAll(MAGIC_LINE, (line) => {
    const timed = TIMED.exec(line);
    return timed ? ' '.repeat(timed[1]!.length) + timed[2]! : ' '.repeat(line.length);
  });
}

/** Types are no longer than this. */
const LONGEST_TYPE = 4000;
/** Never stands in the type arguments of a tag, but in what only looks like them. */
const NO_TYPE = /[`()]/u;

/** Ends type arguments: a tagged template follows, or the arguments of a call. */
const END_OF_TYPES = />[`(]/gu;
/** The call's result is waited for. */
const AWAITED = /\b(?:await|void|yield)\s+[^;={}]*$/u;
/** Names that are called are no longer than this, with what they are called on. */
const LONGEST_CALLEE = 300;

/**
 * Blanks type arguments with as many spaces where the grammar takes them for something else: of `sql<Row[]>` and the
 * template after it, and of `await client.search<Doc>(…)`, it makes comparisons, and the search is lost.
 */
function withoutTypes(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: written, index: end } of text.matchAll(END_OF_TYPES)) {
    const start = openingOf(text, end);
    if (start === undefined || start < done) continue;
    if (written === '>(' && !AWAITED.test(text.slice(Math.max(done, start - LONGEST_CALLEE), start)))
      continue;
    const blank = text
      .slice(start, end + 1)
      .split('\n')
      .map(({ length }) => ' '.repeat(length));
    parts.push(text.slice(done, start), blank.join('\n'));
    done = end + 1;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}

/** Where the type arguments begin that end here; undefined where these are none. */
function openingOf(text: string, end: number): number | undefined {
  let open = 0;
  for (let at = end; at > 0 && end - at < LONGEST_TYPE; at--) {
    if (text[at] === '>' && text[at - 1] !== '=') open++;
    else if (text[at] === '<' && --open === 0) return /[\w$]/u.test(text[at - 1] ?? '') ? at : undefined;
    else if (open === 0 || NO_TYPE.test(text[at] ?? '')) return undefined;
  }
  return undefined;
}

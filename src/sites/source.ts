/**
 * The parsed text. A notebook's cells are joined to one text, in document order, so that names resolve across cells;
 * places are reported relative to their cell.
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
/** Magics whose argument is Python: only the magic itself is removed. */
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

  /** `undefined` for a language without rules. */
  static file(text: string, languageId: string): Source | undefined {
    const spoken = spokenBy(languageId);
    if (!spoken) return undefined;
    const read = spoken.language === 'javascript' ? withoutTypes(text) : text;
    return new Source(read, [{ cell: 0, start: 0, end: text.length }], languageId, false);
  }

  /** The cells in the language of the first code cell with rules; other cells keep their numbers and are skipped. */
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

  /** The offset of a cell's place in the joined text. `undefined` if the cell is not part of it. */
  offset({ cell, start }: Place): number | undefined {
    const part = this.parts.find((candidate) => candidate.cell === cell);
    return part && part.start + start;
  }

  /** The range of the cell at an offset. */
  partAt(offset: number): Part {
    return this.parts.findLast(({ start }) => start <= offset) ?? { cell: 0, start: 0, end: 0 };
  }
}

/** Replaces what is not Python by as many spaces, so that offsets do not change. */
function withoutMagics(text: string): string {
  if (/^\s*%%/u.test(text) && !PYTHON_CELL.test(text)) return text.replaceAll(/[^\n]/gu, ' ');
  return text.replaceAll(MAGIC_LINE, (line) => {
    const timed = TIMED.exec(line);
    return timed ? ' '.repeat(timed[1]!.length) + timed[2]! : ' '.repeat(line.length);
  });
}

/** The longest type arguments. */
const LONGEST_TYPE = 4000;
/** Occurs in text that only looks like type arguments, but never in those of a tag. */
const NO_TYPE = /[`()]/u;

/** The end of type arguments before a tagged template or the arguments of a call. */
const END_OF_TYPES = />[`(]/gu;
/** The result of the call is awaited. */
const AWAITED = /\b(?:await|void|yield)\s+[^;={}]*$/u;
/** The longest callee including its receiver. */
const LONGEST_CALLEE = 300;

/**
 * Replaces type arguments by as many spaces if the grammar misreads them: it takes `sql<Row[]>` before a template, and
 * `await client.search<Doc>(…)`, for comparisons, and the search would be lost.
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

/** The start of the type arguments that end here. `undefined` if they are none. */
function openingOf(text: string, end: number): number | undefined {
  let open = 0;
  for (let at = end; at > 0 && end - at < LONGEST_TYPE; at--) {
    if (text[at] === '>' && text[at - 1] !== '=') open++;
    else if (text[at] === '<' && --open === 0) return /[\w$]/u.test(text[at - 1] ?? '') ? at : undefined;
    else if (open === 0 || NO_TYPE.test(text[at] ?? '')) return undefined;
  }
  return undefined;
}

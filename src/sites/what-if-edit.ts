/**
 * The edit of a user's code that a what-if stands for, where one edit is clearly meant: MMR in LangChain,
 * whose vector stores all take it. It is only ever shown, never made.
 */
import { MMR_WEIGHT } from '../core/inline/what-ifs.ts';
import type { CallSite, CodeEdit } from './model.ts';

interface Argument {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * @param text of the cell that the site stands in
 * @param pool how many candidates MMR chooses from
 * @returns nothing where it is not clear what to write
 */
export function mmrEdit(text: string, site: CallSite, pool: number): readonly CodeEdit[] | undefined {
  if (site.mmr || site.held) return undefined;
  const args = argumentsAfter(text, site.range.end);
  if (!args) return undefined;
  const edits = EDITS[site.callee]?.({ site, pool, ...args });
  return edits?.map(({ start, end, text: written }) => ({
    place: { cell: site.range.cell, start, end },
    text: written,
  }));
}

interface Asked {
  readonly site: CallSite;
  readonly pool: number;
  /** Offset after the opening parenthesis. */
  readonly open: number;
  readonly list: readonly Argument[];
}

type Edits = readonly Argument[] | undefined;

const EDITS: Readonly<Record<string, (asked: Asked) => Edits>> = {
  as_retriever: ({ site, pool, open, list }) => {
    if (site.library !== 'langchain' || list.some(({ text }) => text.startsWith('**'))) return undefined;
    const settings = `"fetch_k": ${pool}, "lambda_mult": ${MMR_WEIGHT}`;
    const type = named(list, 'search_type', '=');
    const kwargs = named(list, 'search_kwargs', '=');
    if (kwargs && !/=\s*\{\s*["']/u.test(kwargs.text)) return undefined;
    const k = site.k.value === undefined ? '' : `"k": ${site.k.value}, `;
    const last = list.at(-1);
    if (!last) return [inserted(open, `search_type="mmr", search_kwargs={${k}${settings}}`)];
    return [
      type ? { ...type, text: 'search_type="mmr"' } : { start: open, end: open, text: 'search_type="mmr", ' },
      kwargs
        ? inserted(kwargs.start + kwargs.text.indexOf('{') + 1, `${settings}, `)
        : inserted(last.end, `, search_kwargs={${k}${settings}}`),
    ];
  },
  similarity_search: ({ site, pool, list }) => {
    const last = list.at(-1);
    if (site.library !== 'langchain' || !last) return undefined;
    return [
      { ...site.range, text: 'max_marginal_relevance_search' },
      inserted(last.end, `, fetch_k=${pool}, lambda_mult=${MMR_WEIGHT}`),
    ];
  },
  asRetriever: ({ site, pool, open, list }) => {
    const settings = `searchType: "mmr", searchKwargs: { fetchK: ${pool}, lambda: ${MMR_WEIGHT} }`;
    const [only, second] = list;
    if (site.library !== 'langchain-js' || second || only?.text.includes('searchType')) return undefined;
    if (!only) return [inserted(open, `{ ${settings} }`)];
    if (only.text.startsWith('{') && !only.text.includes('searchKwargs'))
      return [inserted(only.start + 1, ` ${settings},`)];
    return /^\d+$/u.test(only.text) ? [{ ...only, text: `{ k: ${only.text}, ${settings} }` }] : undefined;
  },
};

function inserted(at: number, text: string): Argument {
  return { start: at, end: at, text };
}

function named(list: readonly Argument[], name: string, sign: string): Argument | undefined {
  return list.find(({ text }) => new RegExp(`^${name}\\s*${sign}`, 'u').test(text));
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The arguments of the call whose callee ends at an offset; undefined where the brackets do not match. */
function argumentsAfter(
  text: string,
  calleeEnd: number,
): { readonly open: number; readonly list: readonly Argument[] } | undefined {
  const open = /^\s*\(/u.exec(text.slice(calleeEnd))?.[0].length;
  if (open === undefined) return undefined;
  const start = calleeEnd + open;
  const list: Argument[] = [];
  const awaited = [')'];
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
      // A comment between the arguments: what to write where is no longer clear.
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

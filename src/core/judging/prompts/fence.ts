/**
 * Text from a corpus is material to be examined, never an instruction. Before it enters a prompt it is
 * made harmless and set between two lines that nothing inside it can imitate.
 *
 * Fences alone do not stop a model from obeying what it reads; that is what the instructions around them
 * and a measured pass rate are for. They do guarantee the structure of the prompt, whatever the text holds.
 */
import type { Span } from '../../model.ts';
import { breakTemplateMarks } from './template-marks.ts';

/** Longer texts are cut: about 4,000 tokens, so that a prompt fits the smallest common context. */
export const MAX_FENCED_CHARACTERS = 16_000;

export interface FenceOptions<Label extends string> {
  /**
   * Labels of the texts that the code is made from: prompts that share these begin alike, whatever their other texts
   * are. All of them when left out.
   */
  readonly stable?: readonly NoInfer<Label>[] | undefined;
  /** Of the code, 16 at most: it stands around every text, and each digit costs as much as a letter. */
  readonly digits?: number | undefined;
}

export interface FencedText {
  readonly block: string;
  /** The text between the lines of the block. */
  readonly harmless: string;
  /** The part of the original text that the block shows. */
  readonly shown: Span;
}

/**
 * Makes texts harmless and sets each between two lines of its own, `<label-code>` and `</label-code>`.
 * The code occurs in none of the texts; the same texts always get the same code, so that prompts can be
 * cached and compared.
 *
 * @param texts by label, for instance `passage`
 */
export function fence<Label extends string>(
  texts: Readonly<Record<Label, string>>,
  { stable, digits }: FenceOptions<Label> = {},
): { readonly code: string; readonly blocks: Readonly<Record<Label, FencedText>> } {
  const prepared = Object.entries<string>(texts).map(([label, text]) => {
    const end = cutPoint(text, MAX_FENCED_CHARACTERS);
    return { label, end, harmless: neutralise(text.slice(0, end)) };
  });
  const code = fenceCode(
    prepared.map(({ harmless }) => harmless),
    (text, salt) => hashCode(text, salt).slice(0, digits),
    stable && prepared.filter(({ label }) => stable.includes(label as Label)).map(({ harmless }) => harmless),
  );
  const blocks = prepared.map(({ label, end, harmless }) => [
    label,
    { block: `<${label}-${code}>\n${harmless}\n</${label}-${code}>`, harmless, shown: { start: 0, end } },
  ]);
  return { code, blocks: Object.fromEntries(blocks) as Record<Label, FencedText> };
}

/**
 * The first of a text's codes that stands in none of the texts, in whatever case. A text can be made to
 * contain its own code, but not those of every salt.
 *
 * @param codeOf gives a code for each salt 0, 1, …
 * @param source what codes are made from; the texts themselves when left out
 */
export function fenceCode(
  texts: readonly string[],
  codeOf: (text: string, salt: number) => string = hashCode,
  source: readonly string[] = texts,
): string {
  const lowered = texts.map((text) => text.toLowerCase());
  const joined = source.map((text) => text.toLowerCase()).join('\u0000');
  for (let salt = 0; ; salt++) {
    const code = codeOf(joined, salt);
    if (!lowered.some((text) => text.includes(code))) return code;
  }
}

/** @returns 16 hexadecimal digits */
function hashCode(text: string, salt: number): string {
  return hex32(fnv1a(text, salt)) + hex32(fnv1a(text, ~salt));
}

/** Characters that carry no visible text but can carry hidden orders: format, tag, bidi, private, control. */
const HIDDEN =
  /[\p{Cf}\p{Co}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u034f\u115f\u1160\u17b4\u17b5\u3164\ufe00-\ufe0e\uffa0\u{e0100}-\u{e01ef}]/gu;
const LINE_BREAK = /\r\n?|[\u2028\u2029]/g;

/**
 * The text without hidden characters and with chat-template marks broken by a space; otherwise unchanged.
 * Evidence quoted from it is mapped back by a comparison that ignores both.
 */
export function neutralise(text: string): string {
  return breakTemplateMarks(text.toWellFormed().replace(LINE_BREAK, '\n').replace(HIDDEN, ''));
}

/** Never between the two halves of a surrogate pair. */
function cutPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

/** FNV-1a over UTF-16 code units (Fowler, Noll and Vo); not a secret, only unlikely to repeat. */
function fnv1a(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0');
}

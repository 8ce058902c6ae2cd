/**
 * Text from a corpus is material to examine and never an instruction. Before it enters a prompt it is neutralised and
 * put between two lines that it cannot imitate.
 *
 * Fences alone do not keep a model from following what it reads; the surrounding instructions and a measured pass rate
 * address that. They guarantee the structure of the prompt for any text.
 */
import type { Span } from '../../model.ts';
import { breakTemplateMarks } from './template-marks.ts';

/** Longer texts are cut. About 4,000 tokens, so that a prompt fits the smallest common context. */
export const MAX_FENCED_CHARACTERS = 16_000;

export interface FenceOptions<Label extends string> {
  /**
   * Labels of the texts that the code is derived from. Prompts that share these begin identically, whatever their other
   * texts are. Defaults to all.
   */
  readonly stable?: readonly NoInfer<Label>[] | undefined;
  /** Length of the code, at most 16. It surrounds every text, and each digit costs as much as a letter. */
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
 * Neutralises texts and puts each between two lines, `<label-code>` and `</label-code>`. The code occurs in none of the
 * texts. The same texts always get the same code, so that prompts can be cached and compared.
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
 * The first code that occurs in none of the texts, ignoring case. An author can put the code of one salt
 * into a text, but not the codes of all salts.
 *
 * @param codeOf returns a code for each salt 0, 1, …
 * @param source what codes are derived from; defaults to the texts
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

/** Characters without visible text that can carry hidden instructions: format, tag, bidi, private, control. */
const HIDDEN =
  /[\p{Cf}\p{Co}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u034f\u115f\u1160\u17b4\u17b5\u3164\ufe00-\ufe0e\uffa0\u{e0100}-\u{e01ef}]/gu;
const LINE_BREAK = /\r\n?|[\u2028\u2029]/g;

/**
 * The text without hidden characters and with chat-template marks broken by a space, otherwise unchanged. Quotes from
 * it are mapped back by a comparison that ignores both.
 */
export function neutralise(text: string): string {
  return breakTemplateMarks(text.toWellFormed().replace(LINE_BREAK, '\n').replace(HIDDEN, ''));
}

/** Never splits a surrogate pair. */
function cutPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

/** FNV-1a over UTF-16 code units (Fowler, Noll and Vo). Not a secret, only unlikely to repeat. */
function fnv1a(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/**
 * Fields that stand at the very top of a document, as its author wrote them: front matter of Markdown, the header lines of
 * PEPs and e-mails, a list of bold or plain names as RFCs have it.
 */

/** A name, a colon, a value on the same line; a list's dash and bold marks around the name do not matter. */
const LINE = /^(?:[-*] )?(?:\*\*)?([\p{L}][\p{L}\p{N} _-]{1,30}?)(?:\*\*)?\s*:(?:\*\*)?\s+(\S.*)$/u;
const FENCE = /^---\s*$/u;
/** Fewer lines are a sentence with a colon in it, not a head. */
const LEAST_LINES = 2;
/** Longer values are prose. */
const LONGEST = 200;

/** @returns values by the name in lower case; empty where no such lines stand first */
export function documentFields(opening: string): ReadonlyMap<string, string> {
  const lines = opening.replace(/^\uFEFF/u, '').split(/\r?\n/u);
  const isFenced = FENCE.test(lines[0] ?? '');
  const fields = new Map<string, string>();
  for (const line of isFenced ? lines.slice(1) : lines) {
    const found = LINE.exec(line);
    if (found && found[2]!.length <= LONGEST) fields.set(found[1]!.toLowerCase(), unquoted(found[2]!));
    // Below a name a list or a longer text may stand indented.
    else if (isFenced ? FENCE.test(line) : !/^\s+\S/u.test(line)) break;
  }
  return isFenced || fields.size >= LEAST_LINES ? fields : new Map<string, string>();
}

const unquoted = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/u, '$2');

/** JSON written by hand: with comments and trailing commas. */
import * as l10n from '@vscode/l10n';
import { printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { MAX_LEVELS, tooDeepAt, treeOf } from './json-edit.ts';

/** @returns the value, or a clause about the problem with its place: `line 3, column 5: a comma is missing` */
export function parseCommentedJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  const errors: ParseError[] = [];
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const deep = tooDeepAt(json);
  if (deep !== undefined)
    return { problem: placed(json, deep, l10n.t`it is nested more than ${MAX_LEVELS} levels deep`) };
  const root = treeOf(json, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error || !root) return { problem: problemText(json, error) };
  const repeated = repeatedKey(root);
  if (repeated)
    return { problem: placed(json, repeated.offset, l10n.t`"${String(repeated.value)}" occurs twice`) };
  return { value: valueOf(root) };
}

/**
 * The offset of the first error in JSON without comments or trailing commas, or of the first place that is nested too
 * deep.
 */
export function strictJsonBreak(
  text: string,
): { readonly at: number; readonly isTooDeep: boolean } | undefined {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { at: deep, isTooDeep: true };
  const errors: ParseError[] = [];
  treeOf(text, errors, { disallowComments: true, allowTrailingComma: false });
  return errors[0] && { at: errors[0].offset, isTooDeep: false };
}

/** Like `JSON.parse`: keys such as `__proto__` get no special treatment. */
function valueOf(node: Node): unknown {
  const { type, children = [] } = node;
  if (type === 'array') return children.map(valueOf);
  if (type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    children.map(({ children: [key, value] = [] }) => [String(key?.value), value && valueOf(value)]),
  );
}

/** The first repeated key of an object. Readers of the file may see either of the two values. */
function repeatedKey({ type, children = [] }: Node): Node | undefined {
  const keys = new Set<unknown>();
  for (const child of children) {
    const [key] = type === 'object' ? (child.children ?? []) : [];
    if (key && keys.has(key.value)) return key;
    keys.add(key?.value);
    const within = repeatedKey(child);
    if (within) return within;
  }
  return undefined;
}

/** @param error `undefined` if the text has no value */
function problemText(json: string, error: ParseError | undefined): string {
  const offset = error?.offset ?? 0;
  const wrong = error ? printParseErrorCode(error.error) : 'ValueExpected';
  return placed(json, offset, whatIsWrong(wrong));
}

function placed(json: string, offset: number, wrong: string): string {
  const lines = json.slice(0, offset).split(/\r\n|\r|\n/u);
  return l10n.t`line ${lines.length}, column ${lines.at(-1)!.length + 1}: ${wrong}`;
}

/** @param error the parser's error code */
function whatIsWrong(error: string): string {
  switch (error) {
    case 'CommaExpected':
      return l10n.t('a comma is missing');
    case 'ColonExpected':
      return l10n.t('a colon is missing');
    case 'CloseBraceExpected':
      return l10n.t('a closing brace is missing');
    case 'CloseBracketExpected':
      return l10n.t('a closing bracket is missing');
    case 'PropertyNameExpected':
      return l10n.t('a name in double quotes is missing');
    case 'ValueExpected':
      return l10n.t('a value is missing');
    case 'UnexpectedEndOfString':
      return l10n.t('the closing quote is missing');
    case 'UnexpectedEndOfComment':
      return l10n.t('the comment does not end');
    case 'EndOfFileExpected':
      return l10n.t('something follows after the end');
    default:
      return l10n.t('this is not JSON');
  }
}

/** Explains in one sentence why a schema rejected data. */
import * as l10n from '@vscode/l10n';
import type * as z from 'zod';
import { mayHoldSecret, mayNameSecret } from './text/address-secrets.ts';

/** The first issue of a schema error as one sentence with the field's path and value. */
export function describeIssue(error: z.ZodError, input: unknown): string {
  return `${issueClause(error, input)}.`;
}

/** {@link describeIssue} without the full stop, to continue the sentence. */
export function issueClause(error: z.ZodError, input: unknown): string {
  const issue = error.issues[0];
  return issue ? clauseOf(issue, input) : l10n.t('not valid');
}

/** {@link issueClause} for one of the issues of a schema error. */
export function clauseOf(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === 'unrecognized_keys') return unknownField([...issue.path, issue.keys[0]!], input);
  const actual = valueAt(issue.path, input);
  if (issue.code === 'invalid_type' && issue.message.startsWith(UNWORDED)) return wrongType(issue, actual);
  if (issue.code === 'invalid_value' && UNWORDED_CHOICE.test(issue.message))
    return wrongChoice(issue, actual);
  const clause = `${placeOf(issue.path)}: ${boundOf(issue) ?? issue.message}`;
  // A number out of range is never a secret, even in a field such as maxTokens.
  if (typeof actual === 'number' && (issue.code === 'too_small' || issue.code === 'too_big'))
    return l10n.t`${clause} (found ${String(actual)})`;
  return actual === undefined || typeof actual === 'object'
    ? clause
    : withFound(clause, issue.path, actual, String(JSON.stringify(actual)));
}

function unknownField(path: readonly PropertyKey[], input: unknown): string {
  const actual = valueAt(path, input);
  return withFound(l10n.t`${placeOf(path)}: there is no such field`, path, actual, shown(actual));
}

function wrongType({ path, expected }: z.core.$ZodIssueInvalidType, actual: unknown): string {
  const type = TYPE_NAMES[expected]?.() ?? expected;
  return actual === undefined
    ? l10n.t`${placeOf(path)}: missing; must be ${type}`
    : withFound(l10n.t`${placeOf(path)}: must be ${type}`, path, actual, shown(actual));
}

/** The limit that a number breaks. `undefined` for other issues and for those with a sentence of their own. */
function boundOf(issue: z.core.$ZodIssue): string | undefined {
  if (!('origin' in issue) || (issue.origin !== 'number' && issue.origin !== 'int')) return undefined;
  if (!UNWORDED_BOUND.test(issue.message)) return undefined;
  if (issue.code === 'too_big')
    return issue.inclusive === false
      ? l10n.t`must be less than ${String(issue.maximum)}`
      : l10n.t`must be at most ${String(issue.maximum)}`;
  if (issue.code === 'too_small')
    return issue.inclusive === false
      ? l10n.t`must be more than ${String(issue.minimum)}`
      : l10n.t`must be at least ${String(issue.minimum)}`;
  return undefined;
}

function wrongChoice({ path, values }: z.core.$ZodIssueInvalidValue, actual: unknown): string {
  const choices = values.map((value) => JSON.stringify(value)).join(', ');
  const clause =
    values.length === 1
      ? l10n.t`${placeOf(path)}: must be ${choices}`
      : l10n.t`${placeOf(path)}: must be one of ${choices}`;
  return actual === undefined ? clause : withFound(clause, path, actual, shown(actual));
}

/** These sentences end up in CI logs, so values that may be passwords or keys are not repeated. */
function withFound(clause: string, path: readonly PropertyKey[], actual: unknown, text: string): string {
  const mayBeSecret =
    mayNameSecret(String(path.at(-1))) ||
    mayNameSecret(String(JSON.stringify(actual))) ||
    (typeof actual === 'string' && actual.includes('://') && mayHoldSecret(actual));
  return mayBeSecret ? clause : l10n.t`${clause} (found ${text})`;
}

/** Plain names of types for people who do not know JSON's. */
const TYPE_NAMES: Readonly<Record<string, () => string>> = {
  object: () => l10n.t('an object with these fields: { "name": … }'),
  record: () => l10n.t('an object with entries by name: { "name": … }'),
  array: () => l10n.t('a list: [ … ]'),
  string: () => l10n.t('text in quotation marks'),
  number: () => l10n.t('a number'),
  int: () => l10n.t('a whole number'),
  boolean: () => l10n.t('true or false'),
};

function shown(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

const LONGEST_SHOWN = 60;
/** The beginning of Zod's default messages. */
const UNWORDED = 'Invalid input: expected';
const UNWORDED_BOUND = /^Too (?:big|small): expected /u;
const UNWORDED_CHOICE = /^Invalid (?:option|input): expected /u;

function placeOf(path: readonly PropertyKey[]): string {
  return path.length > 0 ? path.map(String).join('.') : l10n.t('the value');
}

function valueAt(path: readonly PropertyKey[], input: unknown): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}

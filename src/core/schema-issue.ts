/** Explains in one sentence why a schema refused data. */
import * as l10n from '@vscode/l10n';
import type * as z from 'zod';

/** The first issue of a schema error as one sentence with the field's path and the value found there. */
export function describeIssue(error: z.ZodError, input: unknown): string {
  return `${issueClause(error, input)}.`;
}

/** As {@link describeIssue}, without the full stop: for what goes on after it. */
export function issueClause(error: z.ZodError, input: unknown): string {
  const issue = error.issues[0];
  if (!issue) return l10n.t('not valid');
  if (issue.code === 'unrecognized_keys') return unknownField([...issue.path, issue.keys[0]!], input);
  const found = valueAt(issue.path, input);
  return found === undefined || typeof found === 'object'
    ? l10n.t`${placeOf(issue.path)}: ${issue.message}`
    : l10n.t`${placeOf(issue.path)}: ${issue.message} (found ${JSON.stringify(found)})`;
}

function unknownField(path: readonly PropertyKey[], input: unknown): string {
  const found = String(JSON.stringify(valueAt(path, input)));
  const shown = found.length > LONGEST_SHOWN ? `${found.slice(0, LONGEST_SHOWN)}…` : found;
  return l10n.t`${placeOf(path)}: there is no such field (found ${shown})`;
}

const LONGEST_SHOWN = 60;

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

/** Enumerations within a sentence, in the user's language. */
import * as l10n from '@vscode/l10n';

/** @returns `a`, `a or b`, `a, b or c`; empty without names */
export function oneOf(names: readonly (string | number)[]): string {
  return enumerated(names, (some, one) => l10n.t`${some} or ${one}`);
}

/** @returns `a`, `a and b`, `a, b and c`; empty without names */
export function allOf(names: readonly (string | number)[]): string {
  return enumerated(names, (some, one) => l10n.t`${some} and ${one}`);
}

function enumerated(
  names: readonly (string | number)[],
  join: (some: string, one: string) => string,
): string {
  const last = String(names.at(-1) ?? '');
  return names.length < 2 ? last : join(names.slice(0, -1).join(', '), last);
}

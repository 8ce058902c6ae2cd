/** Validates data stored by an earlier page of a panel, possibly by another version. */

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

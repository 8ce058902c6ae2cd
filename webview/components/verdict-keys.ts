/** Keys for verdicts. */
import type { Verdict } from '../../src/core/model.ts';

/** The same in every language, because the buttons show them. */
export const VERDICT_KEYS: Readonly<Record<Verdict, string>> = { yes: 'Y', no: 'N', unsure: 'U' };

/** The verdict of a key. `undefined` for other keys and for shortcuts. */
export function verdictOfKey({
  key,
  ctrlKey,
  altKey,
  metaKey,
}: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey'>): Verdict | undefined {
  if (ctrlKey || altKey || metaKey) return undefined;
  const entry = Object.entries(VERDICT_KEYS).find(([, letter]) => letter === key.toUpperCase());
  return entry?.[0] as Verdict | undefined;
}

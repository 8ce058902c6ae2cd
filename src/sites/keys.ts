/** Identifiers of call sites that do not change with edits elsewhere in their file. */
import type { CallSite } from './model.ts';

/**
 * @param file path of the program relative to the workspace folder
 * @param sites of the whole program, in document order
 * @returns one per site, which does not change as long as the call stays in its function
 */
export function siteKeys(file: string, sites: readonly Pick<CallSite, 'within' | 'callee'>[]): string[] {
  const ordinals = new Map<string, number>();
  return sites.map(({ within, callee }) => {
    const name = `${file}#${within}#${callee}`;
    const ordinal = ordinals.get(name) ?? 0;
    ordinals.set(name, ordinal + 1);
    return `${name}#${ordinal}`;
  });
}

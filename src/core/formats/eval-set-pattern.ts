/** Entries of `evalSets` in `parallax.json`. An entry is a file, a pattern, or a folder with everything in it. */

const GLOB = /[*?[\]{}!]/u;

/** The glob pattern of an entry. For a folder it matches all eval sets in it, including later ones. */
export function evalSetPattern(entry: string): string {
  return isFolder(entry) ? `${entry}${entry.endsWith('/') ? '' : '/'}**/*.jsonl` : entry;
}

/** Whether an entry may match nothing. A named file must exist. */
export function mayMatchNothing(entry: string): boolean {
  return isFolder(entry) || GLOB.test(entry);
}

function isFolder(entry: string): boolean {
  const last = entry.replace(/^.*\/(?=.)/u, '');
  return last.endsWith('/') || (!last.includes('.') && !GLOB.test(entry));
}

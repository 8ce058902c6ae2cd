/** An entry of `evalSets` in `parallax.json` is a file, a pattern, or a folder with all that is in it. */

const GLOB = /[*?[\]{}!]/u;

/** The glob pattern of an entry: of a folder all eval sets in it, those that are added later included. */
export function evalSetPattern(entry: string): string {
  return isFolder(entry) ? `${entry}${entry.endsWith('/') ? '' : '/'}**/*.jsonl` : entry;
}

/** Whether an entry may rightly match nothing yet; a file that it names has to be there. */
export function mayMatchNothing(entry: string): boolean {
  return isFolder(entry) || GLOB.test(entry);
}

function isFolder(entry: string): boolean {
  const last = entry.replace(/^.*\/(?=.)/u, '');
  return last.endsWith('/') || (!last.includes('.') && !GLOB.test(entry));
}

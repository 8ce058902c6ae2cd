/** Writes the ticked parts of a corpus to parallax.json. */
import { withValue } from '../../../core/formats/json-edit.ts';
import { FILES_ONLY, type CorpusConfig } from '../../../shared/config.ts';
import type { CorpusChoice } from './inspector-options.ts';

/**
 * Makes the ticked folders the roots of a corpus, so that folders added later are not indexed without asking.
 *
 * @param json a valid parallax.json with this corpus
 * @param corpus its name
 * @param config its present configuration, with one root
 * @returns the new text of parallax.json
 */
export function withChoice(
  json: string,
  corpus: string,
  config: Pick<CorpusConfig, 'roots' | 'exclude'> | undefined,
  { folders, code }: CorpusChoice,
): string {
  const [root = '.'] = config?.roots ?? [];
  const within = (name: string): string => (root === '.' ? name : `${root}/${name}`);
  const roots = folders.map((name) => (name === '' ? `${root}${FILES_ONLY}` : within(name)));
  const exclude = (config?.exclude ?? []).flatMap((pattern) => relativeTo(folders, pattern));
  const withRoots = withValue(json, ['corpora', corpus, 'roots'], roots);
  const withExclude =
    config?.exclude.length === 0
      ? withRoots
      : withValue(withRoots, ['corpora', corpus, 'exclude'], [...new Set(exclude)]);
  return withValue(withExclude, ['corpora', corpus, 'code'], code);
}

/** Rewrites a pattern relative to the one root for the folders that replace it. */
function relativeTo(folders: readonly string[], pattern: string): string[] {
  if (pattern.startsWith('**/') || !pattern.includes('/')) return [pattern];
  return folders.flatMap((folder) =>
    folder !== '' && pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : [],
  );
}

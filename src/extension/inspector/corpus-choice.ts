/** Writes the ticked parts of a corpus to parallax.json. */
import { withValue } from '../../core/formats/json-edit.ts';
import { FILES_ONLY, type CorpusConfig } from '../../shared/config.ts';
import type { CorpusChoice } from './inspector-options.ts';

/**
 * The text of a parallax.json whose corpus has the ticked folders as its roots, so that a folder that comes later is
 * not indexed unasked.
 *
 * @param json a valid parallax.json with this corpus
 * @param corpus its name
 * @param config its present configuration, with one root
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

/** A pattern that was relative to the one root, for the folders that take its place. */
function relativeTo(folders: readonly string[], pattern: string): string[] {
  if (pattern.startsWith('**/') || !pattern.includes('/')) return [pattern];
  return folders.flatMap((folder) =>
    folder !== '' && pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : [],
  );
}

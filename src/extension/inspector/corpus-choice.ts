/** Writes the ticked parts of a corpus to parallax.json. */
import { withValue } from '../../core/formats/json-edit.ts';
import type { CorpusConfig } from '../../shared/config.ts';
import type { CorpusChoice } from './inspector-options.ts';

/** Signs that mean something in a pattern; `?` stands for any. */
const PATTERN_SIGNS = /[[\]{}()*?!+@\\]/g;

/**
 * The text of a parallax.json whose corpus leaves out the folders that were not ticked, beside what it left out.
 *
 * @param json a valid parallax.json with this corpus
 * @param corpus its name
 * @param config what it is now
 */
export function withChoice(
  json: string,
  corpus: string,
  config: Pick<CorpusConfig, 'exclude'> | undefined,
  { leaveOut, code }: CorpusChoice,
): string {
  const patterns = leaveOut.map((folder) => `${folder.replace(PATTERN_SIGNS, '?')}/**`);
  const exclude = [...new Set([...(config?.exclude ?? []), ...patterns])];
  const withFolders = exclude.length > 0 ? withValue(json, ['corpora', corpus, 'exclude'], exclude) : json;
  return withValue(withFolders, ['corpora', corpus, 'code'], code);
}

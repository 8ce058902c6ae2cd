/** Defaults without `parallax.json`: a corpus of the whole folder, and the built-in pipelines. */
import { labelsPassagesOfWords } from '../../core/formats/labels.ts';
import { BUILT_IN_PIPELINES, type NamedPipeline } from '../../core/pipeline.ts';
import { BERDS_SPLIT, SECTIONS_SPLIT } from '../../core/split/spec.ts';
import { configSchema, corpusSchema, type CorpusConfig, type ParallaxConfig } from '../config.ts';

/** The default place of eval sets. */
export const DEFAULT_EVAL_SETS = ['eval/*.parallax.jsonl'];

/**
 * The configuration of folders without `parallax.json`: one corpus per folder with everything readable, without code if
 * there is prose.
 *
 * @param folder the first open folder
 * @param otherFolders further folders, each a separate corpus
 * @param labels text of its labels file; if it has labels of 100-word passages, which were the default once, that split
 *   is kept, as labels of passages are found by their text
 */
export function defaultConfig(
  folder: string,
  labels = '',
  otherFolders: readonly string[] = [],
): ParallaxConfig {
  const split = labelsPassagesOfWords(labels) ? BERDS_SPLIT : SECTIONS_SPLIT;
  const corpora: Record<string, CorpusConfig> = {};
  for (const each of [folder, ...otherFolders]) {
    const root = each === folder ? '.' : each;
    corpora[newName(each, corpora)] = corpusSchema.parse({ roots: [root], split, code: 'auto' });
  }
  return configSchema.parse({
    version: 2,
    evalSets: DEFAULT_EVAL_SETS,
    corpora,
  });
}

/** Distinguishes folders of the same name by their parent folder, or by a number. */
function newName(folder: string, usedNames: Readonly<Record<string, unknown>>): string {
  const parts = folder.split(/[\\/]/u).filter((part) => part !== '');
  const name = parts.at(-1) ?? 'workspace';
  const candidates = [name, `${parts.at(-2) ?? ''}/${name}`];
  const free = candidates.find((candidate) => !(candidate in usedNames));
  if (free !== undefined) return free;
  let number = 2;
  while (`${name} ${number}` in usedNames) number++;
  return `${name} ${number}`;
}

/** The corpora of a `parallax.json` without corpora. As with splits, those of version 1 stay as they were. */
export function corporaWithout(
  folder: string,
  { version }: Pick<ParallaxConfig, 'version'>,
): ParallaxConfig['corpora'] {
  const { corpora } = defaultConfig(folder);
  if (version === 2) return corpora;
  const roots = ['.'];
  return Object.fromEntries(Object.keys(corpora).map((name) => [name, corpusSchema.parse({ roots })]));
}

/** The workspace's own pipelines, or the built-in ones. */
export function pipelinesOf(config: ParallaxConfig): readonly NamedPipeline[] {
  const named = Object.keys(config.pipelines).length > 0 ? config.pipelines : BUILT_IN_PIPELINES;
  return Object.entries(named).map(([name, pipeline]) => ({ name, pipeline }));
}

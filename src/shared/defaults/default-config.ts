/** What holds where `parallax.json` says nothing: a corpus of the whole folder, and the built-in pipelines. */
import { labelsPassagesOfWords } from '../../core/formats/labels.ts';
import { BUILT_IN_PIPELINES, type NamedPipeline } from '../../core/pipeline.ts';
import { BERDS_SPLIT, SECTIONS_SPLIT } from '../../core/split/spec.ts';
import { configSchema, corpusSchema, type CorpusConfig, type ParallaxConfig } from '../config.ts';

/** Where eval sets are looked for, and where new ones go, while nothing else is said. */
export const DEFAULT_EVAL_SETS = ['eval/*.parallax.jsonl'];

/**
 * The configuration of folders that have no `parallax.json`: everything readable in each is a corpus, without code where
 * there is something else.
 *
 * @param folder the first folder that is open
 * @param others further ones, each a corpus of its own
 * @param labels text of its labels file: where passages of 100 words were labelled, as they were the default once, they
 *   stay, since a label of a passage is found again by its text
 */
export function defaultConfig(folder: string, labels = '', others: readonly string[] = []): ParallaxConfig {
  const split = labelsPassagesOfWords(labels) ? BERDS_SPLIT : SECTIONS_SPLIT;
  const corpora: Record<string, CorpusConfig> = {};
  for (const each of [folder, ...others]) {
    const root = each === folder ? '.' : each;
    corpora[newName(each, corpora)] = corpusSchema.parse({ roots: [root], split, code: 'auto' });
  }
  return configSchema.parse({
    version: 2,
    evalSets: DEFAULT_EVAL_SETS,
    corpora,
  });
}

/** Folders of the same name are told apart by what they lie in, or by a number. */
function newName(folder: string, taken: Readonly<Record<string, unknown>>): string {
  const parts = folder.split(/[\\/]/u).filter((part) => part !== '');
  const name = parts.at(-1) ?? 'workspace';
  const candidates = [name, `${parts.at(-2) ?? ''}/${name}`];
  const free = candidates.find((candidate) => !(candidate in taken));
  if (free !== undefined) return free;
  let number = 2;
  while (`${name} ${number}` in taken) number++;
  return `${name} ${number}`;
}

/** The corpora of a `parallax.json` that names none: as with its splits, those of version 1 stay what they were. */
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

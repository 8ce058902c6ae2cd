/** Adds a pipeline to parallax.json, or changes the split of a corpus there. */
import { withValue } from '../../core/formats/json-edit.ts';
import type { NamedPipeline } from '../../core/pipeline.ts';
import type { SplitSpec } from '../../core/split/spec.ts';
import type { ConfigFile } from './config-file.ts';
import { briefPipeline } from '../../shared/defaults/starting-config.ts';

/** Shows the file, so that the addition can be read and undone. @throws ParallaxError like {@link ConfigFile.edit} */
export async function savePipeline(
  configFile: Pick<ConfigFile, 'edit' | 'open'>,
  { name, pipeline }: NamedPipeline,
): Promise<void> {
  await configFile.edit((json) => withValue(json, ['pipelines', name], briefPipeline(pipeline)));
  await configFile.open();
}

/** Shows the file, so that the change can be read and undone. @throws ParallaxError like {@link ConfigFile.edit} */
export async function saveSplit(
  configFile: Pick<ConfigFile, 'edit' | 'open'>,
  corpus: string,
  split: SplitSpec,
): Promise<void> {
  await configFile.edit((json) => withValue(json, ['corpora', corpus, 'split'], split));
  await configFile.open();
}

/** The judgements behind a comparison, saved as qrels. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { saveFile, type Save } from '../../../extension/platform/save-file.ts';
import { qrelsName } from './export-comparison.ts';

/**
 * Saves one file for each data set, because two may have the same query ids.
 *
 * @param id of the comparison
 * @throws ParallaxError `bad-argument` if nothing is judged yet
 */
export async function saveQrels(
  engine: Pick<EngineClient, 'request'>,
  id: string,
  save: Save,
): Promise<void> {
  const { datasets } = await engine.request('judgedQrels', { id });
  const judged = datasets.filter(({ qrels }) => qrels !== '');
  if (judged.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('Nothing is judged yet, so there are no qrels.'));
  for (const { name, qrels, judges } of judged)
    await saveFile(save, qrelsName(name), qrels, { added: '.judges.jsonl', content: judges });
}

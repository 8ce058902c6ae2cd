import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ChartFile } from '../../shared/panels/save-chart.ts';

/** A file to be written with another one, under the name of that one and what is added to it. */
export interface FileBeside {
  readonly added: string;
  readonly content: string;
}

/** Asks for a file and writes it, with what belongs beside it. */
export type Save = (name: string, content: string | Uint8Array, beside?: FileBeside) => Promise<void>;

/** @throws ParallaxError `bad-file` where that fails */
export async function saveFile(
  save: Save,
  name: string,
  content: string | Uint8Array,
  beside?: FileBeside,
): Promise<void> {
  try {
    await (beside ? save(name, content, beside) : save(name, content));
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`${name} could not be saved: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** @throws ParallaxError as {@link saveFile} */
export function saveChart(save: Save, chart: ChartFile): Promise<void> {
  const { format, content } = chart;
  return saveFile(save, chartFileName(chart), format === 'png' ? Buffer.from(content, 'base64') : content);
}

/** Words of a chart's name that any file system takes, with its ending. */
function chartFileName({ name, format }: ChartFile): string {
  const words = name.match(/[\p{L}\p{N}@]+/gu) ?? ['chart'];
  return `${words.join('-').toLowerCase()}.${format}`;
}

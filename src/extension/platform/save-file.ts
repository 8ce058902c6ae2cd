import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ChartFile } from '../../shared/panels/save-chart.ts';

/** A file to save beside another one, under the other's name with a suffix. */
export interface FileBeside {
  readonly added: string;
  readonly content: string;
}

/** Asks for a path and writes the file, with the file that belongs beside it. */
export type Save = (name: string, content: string | Uint8Array, beside?: FileBeside) => Promise<void>;

/** @throws ParallaxError `bad-file` if saving fails */
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

/** @throws ParallaxError like {@link saveFile} */
export function saveChart(save: Save, chart: ChartFile): Promise<void> {
  const { format, content } = chart;
  return saveFile(save, chartFileName(chart), format === 'png' ? Buffer.from(content, 'base64') : content);
}

/** The words of a chart's name that every file system accepts, with the extension. */
function chartFileName({ name, format }: ChartFile): string {
  const words = name.match(/[\p{L}\p{N}@]+/gu) ?? ['chart'];
  return `${words.join('-').toLowerCase()}.${format}`;
}

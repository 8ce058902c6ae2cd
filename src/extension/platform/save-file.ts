import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ChartFile } from '../../shared/panels/save-chart.ts';

/** Asks for a file and writes it. */
export type Save = (name: string, content: string | Uint8Array) => Promise<void>;

/** @throws ParallaxError `bad-file` where that fails */
export async function saveFile(save: Save, name: string, content: string | Uint8Array): Promise<void> {
  try {
    await save(name, content);
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

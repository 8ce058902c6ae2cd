/** `parallax import`: diversity qrels become labels of a workspace. */
import { counted } from '../presentation/counted.ts';
import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { labelsFromQrels } from '../../core/formats/import-qrels.ts';
import { formatLabel } from '../../core/formats/labels.ts';
import { EvalSetReading } from '../../core/formats/queries.ts';
import { QrelsReading } from '../../core/formats/exchange/trec.ts';
import { LABELS_FILE } from '../../shared/config.ts';
import { readArgumentLines } from '../../engine/files/read-input.ts';
import { command } from './command.ts';
import { required } from '../presentation/terminal.ts';

export const importCommand = command({
  usage: `parallax import --qrels <file> --queries <file> [--to ${LABELS_FILE}]`,
  options: {
    qrels: { type: 'string', help: 'diversity qrels: query perspective passage relevance' },
    queries: { type: 'string', help: 'the eval set that names the perspectives, JSONL' },
    to: {
      type: 'string',
      default: LABELS_FILE,
      help: 'the labels file to append to; human labels in it win over imported ones',
    },
  },

  async run({ values }, io) {
    const qrelsFile = required(values.qrels, 'qrels');
    const queriesFile = required(values.queries, 'queries');
    const { qrels } = await readArgumentLines(qrelsFile, new QrelsReading());
    const { queries } = await readArgumentLines(queriesFile, new EvalSetReading(queriesFile));
    const at = new Date().toISOString();
    const { labels, warnings } = labelsFromQrels(qrels, queries, path.basename(qrelsFile), at);
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    if (labels.length === 0)
      throw new ParallaxError(
        'bad-argument',
        'Nothing was imported: the qrels and the eval set share no query and perspective.',
      );
    await mkdir(path.dirname(values.to), { recursive: true });
    await appendFile(values.to, labels.map(formatLabel).join(''));
    io.stdout(`${counted(labels.length, 'label')} appended to ${values.to}.\n`);
    return 0;
  },
});

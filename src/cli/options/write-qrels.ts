/** The option that writes all judgements to files. */
import { counted } from '../../core/counted.ts';
import path from 'node:path';
import { formatJudgedQrels, type JudgedLine } from '../../core/formats/judged-qrels.ts';
import { writeText } from '../../engine/files/output-file.ts';
import type { Io } from '../presentation/terminal.ts';

export const WRITE_QRELS_OPTION = {
  type: 'string',
  help: 'also write everything that is judged as diversity qrels, and beside them, as <file>.judges.jsonl, who\njudged each line; of several data sets each gets its own file, with its name before the ending',
} as const;

/** The judgements on a data set. */
export interface JudgedDataset {
  /** Empty for a single data set. */
  readonly name: string;
  readonly lines: readonly JudgedLine[];
}

/** @throws ParallaxError `bad-file` if a file cannot be written, `bad-argument` for an empty id */
export async function writeQrels(
  target: string | undefined,
  datasets: readonly JudgedDataset[],
  io: Io,
): Promise<void> {
  if (target === undefined) return;
  for (const { name, lines } of datasets) {
    const file = datasets.length > 1 ? named(target, name) : target;
    const { qrels, judges, rewritten } = formatJudgedQrels(lines);
    await writeText(file, qrels);
    await writeText(`${file}.judges.jsonl`, judges);
    if (rewritten > 0)
      io.stderr(
        counted(
          'warning: {0} [0:id has|ids have] blanks, which {1} cannot hold: they stand there with percent codes, and as they are in {1}.judges.jsonl.\n',
          rewritten,
          file,
        ),
      );
  }
}

/** `filled.txt` of the data set `kialo/wiki` is `filled.kialo-wiki.txt`. */
function named(target: string, dataset: string): string {
  const { dir, name, ext } = path.parse(target);
  return path.join(dir, `${name}.${dataset.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')}${ext}`);
}

/**
 * Labels of people as they grow: how long the file is read for the first time, how long an answer takes from then on (the
 * line, and what is known after it), and how much memory that needs.
 *
 *   npm run bench -- labels [--count 1000000] [--answers 50]
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatLabel, labelSchema, type Label } from '../src/core/formats/labels.ts';
import { LabelsFile } from '../src/engine/judgements/labels-file.ts';
import { percentiles, seconds, table } from './support/report.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000000' }, answers: { type: 'string', default: '50' } },
});
const count = Number(values.count);
const PASSAGES_PER_PERSPECTIVE = 20;
const PERSPECTIVES_PER_QUERY = 5;

function labelOf(n: number): Label {
  const perspective = Math.floor(n / PASSAGES_PER_PERSPECTIVE);
  const query = Math.floor(perspective / PERSPECTIVES_PER_QUERY);
  return labelSchema.parse({
    v: 1,
    query: `q${query}`,
    queryText: `What do people say about topic number ${query}?`,
    perspective: `p${perspective % PERSPECTIVES_PER_QUERY}`,
    perspectiveText: `People say thing ${perspective} about topic number ${query}.`,
    document: `docs/file-${n % 5_000}.md`,
    hash: n.toString(16).padStart(64, '0'),
    split: 'words',
    by: { kind: 'human', name: 'Ada' },
    at: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
    verdict: n % 3 === 0 ? 'yes' : 'no',
  });
}

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-labels-'));
const file = path.join(folder, 'judgements.jsonl');
try {
  const stream = createWriteStream(file);
  for (let n = 0; n < count; n++) if (!stream.write(formatLabel(labelOf(n)))) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
  const labels = new LabelsFile(file, (warning) => process.stderr.write(`${warning}\n`));
  const first = await seconds(() => labels.content());
  const memory = process.memoryUsage.rss() >> 20;
  const answers: number[] = [];
  for (let n = 0; n < Number(values.answers); n++)
    answers.push(
      1000 *
        (await seconds(async () => {
          await labels.append(labelOf(count + n));
          await labels.content();
        })),
    );
  const { p50, p99 } = percentiles(answers);
  const row = [
    count.toLocaleString('en'),
    `${statSync(file).size >> 20} MB`,
    `${first.toFixed(1)} s`,
    `${p50.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    `${memory} MB`,
  ];
  process.stdout.write(
    `${table(['labels', 'file', 'read for the first time', 'an answer (p50)', 'p99', 'memory'], [row])}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

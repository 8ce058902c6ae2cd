/**
 * Questions without an answer: the debate data without the passages of every other debate, so that the corpus has no
 * answer to its claim. Passages on the same topic from other debates remain.
 *
 *   npm run bench -- unanswerable
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { evalCommand } from '../src/cli/commands/eval-command.ts';
import type { EvalReport } from '../src/cli/eval-report.ts';
import { aurocText, thresholdText } from '../src/core/analysis/unanswerable-text.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { formatEvalSet, parseEvalSet } from '../src/core/formats/queries.ts';
import { DEBATE } from './support/debate.ts';
import { table } from './support/report.ts';

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
const { qrels } = parseQrels(read('qrels.diversity.txt'));
const without = new Set(queries.filter((_, place) => place % 2 === 1).map(({ id }) => id));
const removed = new Set(
  [...without].flatMap((id) => [...qrels.get(id)!.values()].flatMap((judged) => [...judged.keys()])),
);
const folder = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};
const kept = read('corpus.jsonl')
  .split('\n')
  .filter((line) => line !== '' && !removed.has((JSON.parse(line) as { _id: string })._id));
const corpus = write('corpus.jsonl', `${kept.join('\n')}\n`);
const asked = write(
  'queries.jsonl',
  formatEvalSet(
    queries.map((query) =>
      without.has(query.id) ? { ...query, perspectives: [], answerable: false } : query,
    ),
  ),
);
const judged = write(
  'qrels.txt',
  read('qrels.diversity.txt')
    .split('\n')
    .filter((line) => !without.has(line.split(/\s/u)[0]!))
    .join('\n'),
);
const pipelines = [
  'bm25',
  '{"name":"hashed words","retriever":{"type":"dense","embedder":"hashing"}}',
  'dense',
  'hybrid',
  '{"name":"bm25, MMR","retriever":{"type":"bm25"},"rerank":[{"type":"mmr","lambda":0.75}]}',
];
let output = '';
await evalCommand(
  [
    ...['--corpus', corpus, '--queries', asked, '--qrels', judged, '--k', '5', '--json', '-'],
    ...pipelines.flatMap((pipeline) => ['--pipeline', pipeline]),
  ],
  { stdout: (text) => void (output += text), stderr: (text) => void process.stderr.write(text) },
);
rmSync(folder, { recursive: true });
const report = JSON.parse(output) as EvalReport;
process.stdout.write(
  `${without.size} claims without an answer, ${queries.length - without.size} with one\n${table(
    ['pipeline', 'MRecall@5', 'found in the top 5', 'AUROC', 'threshold'],
    report.pipelines.map(({ name, metrics, unanswerable }) => [
      name,
      (100 * metrics['MRecall@5']!).toFixed(1),
      (100 * unanswerable!.falseRetrieval).toFixed(1),
      aurocText(unanswerable!),
      thresholdText(unanswerable!),
    ]),
  )}\n`,
);

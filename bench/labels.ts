/**
 * Labels of people: the time to read the file, the time of each answer after that (a label, a withdrawal, and a line
 * that another process adds), and the cost of `parallax gate` with them, each with its memory.
 *
 *   npm run bench -- labels [--count 200000] [--answers 50] [--queries 1000]
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  formatLabel,
  labelSchema,
  withdrawalOf,
  type Label,
  type LabelLine,
} from '../src/core/formats/labels.ts';
import { LabelsFile } from '../src/engine/judgements/labels-file.ts';
import { percentiles, seconds, table } from './support/report.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200000' },
    answers: { type: 'string', default: '50' },
    queries: { type: 'string', default: '1000' },
  },
});
const count = Number(values.count);
const DOCUMENTS = 5_000;
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
    document: `docs/file-${n % DOCUMENTS}.md`,
    hash: n.toString(16).padStart(32, '0'),
    split: 'words',
    by: { kind: 'human', name: 'Ada' },
    at: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
    verdict: n % 3 === 0 ? 'yes' : 'no',
  });
}

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-labels-'));
const file = path.join(folder, '.parallax', 'judgements.jsonl');
try {
  mkdirSync(path.dirname(file));
  const stream = createWriteStream(file);
  for (let n = 0; n < count; n++) if (!stream.write(formatLabel(labelOf(n)))) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
  await measureAnswers();
  measureGate();
} finally {
  rmSync(folder, { recursive: true });
}

async function measureAnswers(): Promise<void> {
  const labels = new LabelsFile(file, (warning) => process.stderr.write(`${warning}\n`));
  const first = await seconds(() => labels.content());
  const memory = process.memoryUsage.rss() >> 20;
  const milliseconds = async (work: () => Promise<unknown>): Promise<number> => 1000 * (await seconds(work));
  const add = async (line: LabelLine): Promise<void> => {
    await labels.append(line);
    await labels.content();
  };
  const given = Array.from({ length: Number(values.answers) }, (_, n) => labelOf(count + n));
  const each = async (work: (label: Label) => Promise<unknown>): Promise<number[]> => {
    const times: number[] = [];
    for (const label of given) times.push(await milliseconds(() => work(label)));
    return times;
  };
  const answers = await each(add);
  const takenBack = await each((label) => add(withdrawalOf(label, new Date().toISOString())));
  const foreign = await each((label) => {
    appendFileSync(file, formatLabel(label));
    return labels.content();
  });
  const columns = [answers, takenBack, foreign].map(percentiles);
  const row = [
    count.toLocaleString('en'),
    `${statSync(file).size >> 20} MB`,
    `${first.toFixed(1)} s`,
    ...columns.map(({ p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`),
    `${memory} MB`,
  ];
  const header = [
    'labels',
    'file',
    'first reading',
    'answer (p50 / p99)',
    'taken back',
    'of another window',
    'memory',
  ];
  process.stdout.write(`${table(header, [row])}\n\n`);
}

/** A corpus of the labelled documents, and an eval set of the labelled queries. */
function measureGate(): void {
  mkdirSync(path.join(folder, 'docs'));
  for (let n = 0; n < DOCUMENTS; n++)
    writeFileSync(
      path.join(folder, 'docs', `file-${n}.md`),
      `# Topic number ${n}\n\nPeople say things about it.\n`,
    );
  const queries = Array.from({ length: Number(values.queries) }, (_, q) => {
    const labels = Array.from({ length: PERSPECTIVES_PER_QUERY }, (_each, p) =>
      labelOf(PASSAGES_PER_PERSPECTIVE * (PERSPECTIVES_PER_QUERY * q + p)),
    );
    const perspectives = labels.map(({ perspective: id, perspectiveText: text }) => ({ id, text }));
    return JSON.stringify({ id: labels[0]!.query, text: labels[0]!.queryText, perspectives });
  });
  writeFileSync(path.join(folder, 'questions.parallax.jsonl'), `${queries.join('\n')}\n`);
  const config = {
    version: 1,
    corpora: { docs: { roots: ['docs'] } },
    pipelines: { bm25: { retriever: { type: 'bm25' }, k: 5 } },
    judge: 'labels',
    evalSets: ['questions.parallax.jsonl'],
    gate: { pipelines: ['bm25'], thresholds: [{ metric: 'Judged@5', min: 0 }] },
  };
  writeFileSync(path.join(folder, 'parallax.json'), JSON.stringify(config));
  run('gate');
  const begun = performance.now();
  const { memory, computed } = run('gate');
  const took = ((performance.now() - begun) / 1000).toFixed(1);
  process.stdout.write(
    `parallax gate, ${queries.length} queries: ${took} s (${computed.toFixed(1)} s of the processor), ${memory} MB at most\n`,
  );
}

/** @returns the largest memory of the command in MB, and its processor time in seconds */
function run(command: string): { readonly memory: number; readonly computed: number } {
  const said =
    'data:text/javascript,process.on("exit",()=>console.error("\\npeak",process.resourceUsage().maxRSS,process.cpuUsage().user))';
  const { stderr, status, stdout } = spawnSync(
    process.execPath,
    ['--import', said, path.resolve('dist/cli.js'), command, '--store', path.join(folder, 'store')],
    { cwd: folder, encoding: 'utf8' },
  );
  const peak = /^peak (\d+) (\d+)$/mu.exec(stderr);
  if (status !== 0 || !peak) throw new Error(`parallax ${command}: ${stdout}${stderr}`);
  return { memory: Number(peak[1]) >> 10, computed: Number(peak[2]) / 1e6 };
}

/** A figure corrected for the judge's errors is the same on every surface. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { formatLabel, labelSchema } from '../../../src/core/formats/labels.ts';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import type { Correction } from '../../../src/core/metrics/correction.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import { configSchema, LABELS_FILE } from '../../../src/shared/config.ts';
import { verdictReply, wordReply } from '../../fixtures/model-server.ts';
import { judgeServer } from '../cli/judging-support.ts';
import { run, topics } from '../cli/support.ts';
import { context, readEvalSet } from '../compare/compare-support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { engineConfig } from '../../fixtures/workspace.ts';

const QUERIES = 30;
const LABELLED = 14;
const K = 2;

/** BM25 finds `a` and `b`. The judge says that both support everything; people say so of `a` alone. */
async function workspace(t: TestContext, { learns = false } = {}): Promise<string> {
  const folder = temporaryFolder(t);
  const { judge } = await judgeServer(t, () => (learns ? wordReply(0.9) : verdictReply('yes')));
  const chat = JSON.parse(judge) as object;
  const { corpus, queries } = topics(QUERIES);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  mkdirSync(path.join(folder, path.dirname(LABELS_FILE)), { recursive: true });
  write('corpus.jsonl', corpus);
  write('queries.jsonl', queries);
  write(LABELS_FILE, labels());
  write(
    'parallax.json',
    JSON.stringify({
      corpora: { corpus: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
      pipelines: { bm25: { retriever: { type: 'bm25' } }, worse: WORSE },
      judges: learns ? { chat, model: { type: 'lara', judge: 'chat', share: 0 } } : { model: chat },
      evalSets: ['queries.jsonl'],
      gate: {
        pipelines: ['bm25'],
        k: K,
        judge: 'model',
        corpora: { queries: 'corpus' },
        thresholds: [{ metric: `MRecall@${K}`, min: 0.1, corrected: true }],
      },
    }),
  );
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  return folder;
}

function labels(): string {
  const lines: string[] = [];
  for (let n = 1; n <= LABELLED; n++)
    for (const [perspective, perspectiveText] of [
      ['pro', 'first or second'],
      ['con', 'third'],
    ])
      for (const document of ['a', 'b'])
        lines.push(
          formatLabel(
            labelSchema.parse({
              v: 1,
              query: `q${n}`,
              perspective,
              perspectiveText,
              document: `${document}${n}`,
              hash: textHash(`topic${n} topic${n} ${document === 'a' ? `topic${n} first` : 'second other'}`),
              verdict: document === 'a' && (perspective === 'pro' || n % 4 === 0) ? 'yes' : 'no',
              by: { kind: 'human', name: 'Kim' },
              at: '2026-01-01T00:00:00Z',
            }),
          ),
        );
  return lines.join('');
}

/** For half of the queries that people found covered, it finds only passages that people said support nothing. */
const WORSE = { retriever: { type: 'run' as const, file: 'worse.txt' } };

function writeWorse(folder: string): void {
  const ranked = Array.from({ length: QUERIES }, (_, at) => at + 1).flatMap((n) => [
    `q${n} Q0 b${n} 1 2 none`,
    ...(n % 8 === 4 ? [] : [`q${n} Q0 a${n} 2 1 none`]),
  ]);
  writeFileSync(path.join(folder, WORSE.retriever.file), ranked.join('\n'));
}

async function byEval(folder: string): Promise<{ own: Correction; worse: Correction }> {
  const { stdout } = await run(
    evalCommand,
    ...['--corpus', 'corpus.jsonl', '--queries', 'queries.jsonl', '--config', 'parallax.json'],
    ...[
      '--pipeline',
      'bm25',
      '--pipeline',
      'worse',
      '--k',
      String(K),
      '--judge',
      'model',
      '--corrected',
      '--json',
      '-',
    ],
    ...['--store', path.join(folder, 'store')],
  );
  const { pipelines } = JSON.parse(stdout) as { pipelines: { corrected: Correction & { note: string } }[] };
  const [own, worse] = pipelines.map(({ corrected: { note, ...correction } }) => {
    assert.match(note, /14 of 30 questions/);
    return correction;
  });
  return { own: own!, worse: worse! };
}

async function gated(...options: readonly string[]): Promise<GateReport> {
  const { stdout } = await run(
    gateCommand,
    ...['--config', 'parallax.json', '--format', 'json', '--judge', 'model'],
    ...options,
  );
  return JSON.parse(stdout) as GateReport;
}

test("a corrected baseline compares each query without the judge's errors", async (t) => {
  const folder = await workspace(t);
  const file = path.join(folder, 'parallax.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { pipelines: object; gate: object };
  const withGate = (pipeline: object): void =>
    writeFileSync(
      file,
      JSON.stringify({
        ...config,
        pipelines: { bm25: pipeline },
        gate: { ...config.gate, baseline: { file: 'baseline.json', corrected: true } },
      }),
    );
  withGate({ retriever: { type: 'bm25' } });
  await run(gateCommand, '--config', 'parallax.json', '--judge', 'model', '--accept');
  const same = (await gated()).checks.find(({ kind }) => kind === 'baseline')!;
  assert.equal(same.outcome, 'passed', same.reason);
  assert.equal(same.baseline!.paired!.difference, 0);
  assert.ok(same.baseline!.paired!.low < 0 && same.baseline!.paired!.high > 0, 'few labels are no certainty');
  assert.match(same.reason, /14 of 30 questions/u);

  // The judge finds both sides in the remaining passages, too; people said that they support neither.
  withGate(WORSE);
  writeWorse(folder);
  const worse = (await gated()).checks.find(({ kind }) => kind === 'baseline')!;
  const { paired, counted } = worse.baseline!;
  const { difference, high } = paired!;
  assert.ok(difference < counted!, 'where people said nothing, the judge sees no loss');
  assert.equal(worse.outcome, high < 0 ? 'missed' : 'passed', worse.reason);
});

test('figures of a judge that learns from labels use held-out verdicts, and the reason says so', async (t) => {
  const folder = await workspace(t, { learns: true });
  writeWorse(folder);
  const { own, worse } = await byEval(folder);
  assert.deepEqual([own.decided, own.fitted, worse.fitted], [14, 'held-out', 'held-out']);
  const { checks, datasets } = await gated();
  assert.equal(datasets[0]!.pipelines[0]!.correction!.fitted, 'held-out');
  assert.match(checks[0]!.reason, /The judge learns from labels: for each query/u);
});

test('evaluation, comparison and gate correct a figure alike', async (t) => {
  const folder = await workspace(t);
  writeWorse(folder);
  const { own: wanted, worse } = await byEval(folder);
  const difference = worse.differences![`MRecall@${K}`]!;
  assert.ok(difference.low < difference.value && difference.value < difference.high);
  assert.ok(difference.value < 0);
  assert.equal(wanted.differences, undefined, 'others are compared with it');
  const figure = wanted.figures[`MRecall@${K}`]!;
  assert.ok(figure.low < figure.value && figure.value < figure.high && figure.high < 1);

  const { stdout } = await run(
    gateCommand,
    '--config',
    'parallax.json',
    '--format',
    'json',
    '--judge',
    'model',
  );
  const { checks, datasets } = JSON.parse(stdout) as GateReport;
  const [check] = checks;
  assert.deepEqual(datasets[0]!.pipelines[0]!.correction!.figures[`MRecall@${K}`], figure);

  assert.deepEqual({ value: check!.value, low: check!.corrected!.low, high: check!.corrected!.high }, figure);

  const engine = createEngine(undefined, () => undefined);
  t.after(() => engine.close());
  const config = configSchema.parse(JSON.parse(readFileSync(path.join(folder, 'parallax.json'), 'utf8')));
  await engine.configure(engineConfig(folder, config, { keys: { openai: 'key' } }));
  await engine.index({ corpus: 'corpus', rebuild: false }, context);
  const asked = {
    judge: 'model',
    datasets: [
      {
        name: 'queries',
        corpus: 'corpus',
        evalSet: 'queries.jsonl',
        queries: readEvalSet(path.join(folder, 'queries.jsonl')),
      },
    ],
    pipelines: [
      { name: 'bm25', pipeline: parsePipeline({ retriever: { type: 'bm25' } }) },
      { name: 'worse', pipeline: parsePipeline(WORSE) },
    ],
    k: K,
  };
  const compared = async (place = 0): Promise<Correction | undefined> =>
    (await engine.compare(asked, context)).datasets[0]!.pipelines[place]!.correction;
  assert.equal((await compared())!.lacks, 'unanswered', 'the judge has answered nothing yet');
  const { pairs, known } = await engine.figuresCost({ ...asked, scope: 'everything', prices: {} }, context);
  const judged = await engine.judgeFigures({ ...asked, scope: 'everything' }, context);
  assert.equal(judged.asked, pairs - known, 'what people labelled is part of the cost');
  const { figures, ...found } = (await compared())!;
  const { figures: wantedFigures, ...rest } = wanted;
  assert.deepEqual(found, rest);
  for (const name of [`MRecall@${K}`, `Precision@${K}`])
    assert.deepEqual(figures[name], wantedFigures[name], name);
  assert.deepEqual((await compared(1))!.differences![`MRecall@${K}`], difference);
});

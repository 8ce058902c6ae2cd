/** `parallax build`: writes drafts of an eval set from a corpus, a list of questions or a query log. */
import { counts } from '../../../core/counted.ts';
import path from 'node:path';
import { PERSPECTIVE_FORMS, usualBudget, type PerspectiveForm } from '../core/effort.ts';
import type { MaterialRequest } from '../contract/building.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { Result } from '../../../shared/rpc.ts';
import { command, type Command, type Values } from '../../../cli/commands/command.ts';
import { readBudget } from '../../../cli/figure-judging.ts';
import { readJudge } from '../../../cli/options/judge-option.ts';
import { corpusOfPaths, openUpToDate, type CorpusSource } from '../../../cli/local-corpus.ts';
import { readSplit } from '../../../cli/options/pipeline-option.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { folderOfConfig, readConfig } from '../../../cli/options/read-config.ts';
import {
  BUDGET_SPENT,
  parseCutoff,
  required,
  UsageError,
  writeJson,
  type Io,
} from '../../../cli/presentation/terminal.ts';
import { untilInterrupted } from '../../../cli/until-interrupted.ts';

const OPTIONS = {
  from: {
    type: 'string',
    help: `corpus (pairs of passages that disagree), questions (a list, in its order), or log (questions that
people asked, the most frequent first)`,
  },
  corpus: {
    type: 'string',
    help: `files or a folder; needed with --from corpus and --perspectives contrast. With answers and stances the
model then sees what is found there for a question, and without it the question alone (BERDS)`,
  },
  input: { type: 'string', help: 'the list or log: one question per line, or JSONL, CSV or TSV' },
  field: {
    type: 'string',
    help: 'the field of its records that holds the question (default: question, query or text)',
  },
  perspectives: {
    type: 'string',
    help: `what a question gets: negation (a statement and its negation; default), answers (several
statements), stances (the same, with the side on which each stands), or contrast (statements that
exclude each other, each with passages of the corpus that support no other one; needs --judge)`,
  },
  'keep-personal': {
    type: 'boolean',
    default: false,
    help: 'keep questions about personal experience, which are filtered out otherwise',
  },
  generator: {
    type: 'string',
    help: 'a judge as JSON, or its name: its chat model proposes (default: the generator of parallax.json)',
  },
  judge: {
    type: 'string',
    help: 'a judge as JSON, or its name: passages become part of a draft only as far as it says so too',
  },
  count: {
    type: 'string',
    default: '20',
    help: 'stop when this many drafts wait for review (default 20)',
  },
  budget: {
    type: 'string',
    help: 'requests=N: send no further request (default: 10 for each draft wanted)',
  },
  out: {
    type: 'string',
    help: 'the drafts; appended to, and never proposed again whatever became of them',
  },
  store: {
    type: 'string',
    help: "where the index and all replies are kept (default: the drafts' name with .store)",
  },
  split: {
    type: 'string',
    default: 'words:100',
    help: 'how documents become passages (default words:100)',
  },
  'text-field': { type: 'string', help: "field of the corpus' records that holds the text" },
  json: {
    type: 'string',
    help: 'also write the report as JSON to a file; - writes JSON, and nothing else, to standard output',
  },
  config: { type: 'string', help: 'parallax.json with judges (default: the one in this folder, if any)' },
} as const;

const SUBCOMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  accept: async () => (await import('./build-accept-command.ts')).buildAcceptCommand,
  labels: async () => (await import('./build-labels-command.ts')).buildLabelsCommand,
  stances: async () => (await import('./build-stances-command.ts')).buildStancesCommand,
};

/** `extra` cancels building; defaults to the first interrupt from the terminal. */
export const buildCommand: Command<AbortSignal> = async (argv, io, extra) => {
  const [name = '', ...rest] = argv;
  if (Object.hasOwn(SUBCOMMANDS, name)) return (await SUBCOMMANDS[name]!())(rest, io);
  return draftsCommand(argv, io, extra);
};

const draftsCommand = command({
  usage: `parallax build --from corpus|questions|log --generator <json|name> --out <drafts.jsonl> [options]
parallax build accept <drafts.jsonl> --out <eval.parallax.jsonl>
parallax build labels --corpus <file|folder> --queries <file> --pipeline <json|name> … --out <pairs.jsonl>
parallax build stances --queries <eval.jsonl> --generator <json|name> --out <file>`,
  options: OPTIONS,
  column: 14,
  notes: `Drafts are for people to review: edit the lines, set "review" to "accepted", or to "rejected" with the reason in
"because". Near-identical questions count once. The exit code is 3 when the budget was spent, and 1 when building was
cancelled or failed; the same command continues from there, and pays for nothing twice.
parallax build accept --help, parallax build labels --help and parallax build stances --help explain the others.
`,

  async run({ values }, io, signal?: AbortSignal) {
    const setup = readSetup(values, await readConfig(values.config));
    const report = await untilInterrupted((stop) => build(setup, values, io, stop), signal);
    if (values.json !== '-') io.stdout(describe(report, setup.out));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    return EXIT_CODES[report.end];
  },
});

type BuildReport = Result<'build'>;
type BuildEnd = BuildReport['end'];

const EXIT_CODES: Readonly<Record<BuildEnd, number>> = {
  enough: 0,
  exhausted: 0,
  budget: BUDGET_SPENT,
  cancelled: 1,
  failed: 1,
};

interface Setup {
  readonly material: MaterialRequest;
  readonly generator: string;
  readonly judge: string | undefined;
  readonly count: number;
  readonly requests: number;
  readonly out: string;
  readonly store: string;
  /** Includes judges given as JSON. */
  readonly config: ParallaxConfig;
}

function readSetup(values: Values<typeof OPTIONS>, config: ParallaxConfig): Setup {
  const configs = { ...config.judges };
  const generator = values.generator ?? config.generator ?? config.judge;
  const count = readCount(values.count);
  const out = required(values.out, 'out');
  const { requests = usualBudget(count), tokens } = readBudget(values.budget);
  if (tokens !== undefined) throw new UsageError('--budget counts requests here, as in requests=500.');
  return {
    material: readMaterialOptions(values),
    generator: readJudge(required(generator, 'generator'), '--generator', configs),
    judge: values.judge === undefined ? undefined : readJudge(values.judge, '--judge', configs),
    count,
    requests,
    out,
    store: path.resolve(values.store ?? `${out}.store`),
    config: { ...config, judges: configs },
  };
}

function readCount(text: string): number {
  try {
    return parseCutoff(text);
  } catch (error) {
    throw new UsageError(`--count is a whole number from 1, not "${text}".`, { cause: error });
  }
}

/** The corpus name in requests. */
const CORPUS = 'command line';

function readMaterialOptions(values: Values<typeof OPTIONS>): MaterialRequest {
  const { from, corpus, input, field, perspectives, judge } = values;
  const keepsPersonal = values['keep-personal'];
  if (from === 'corpus') {
    required(corpus, 'corpus');
    const useless = [
      ...(input === undefined ? [] : ['input']),
      ...(field === undefined ? [] : ['field']),
      ...(perspectives === undefined ? [] : ['perspectives']),
      ...(keepsPersonal ? ['keep-personal'] : []),
    ];
    if (useless.length > 0) throw new UsageError(`--${useless[0]} does not go with --from corpus.`);
    return { from, corpus: CORPUS };
  }
  if (from !== 'questions' && from !== 'log')
    throw new UsageError(
      from === undefined ? '--from is missing.' : `--from is corpus, questions or log, not "${from}".`,
    );
  const file = required(input, 'input');
  const form = readForm(perspectives);
  if (form === 'contrast') {
    required(corpus, 'corpus');
    required(judge, 'judge');
  } else if (judge !== undefined)
    throw new UsageError('--judge is of use with --from corpus or --perspectives contrast only.');
  else if (corpus !== undefined && form === 'negation')
    throw new UsageError('--corpus is of no use with --perspectives negation.');
  return {
    from,
    file,
    form,
    filter: !keepsPersonal,
    ...(field === undefined ? {} : { field }),
    ...(corpus === undefined ? {} : { corpus: CORPUS }),
  };
}

function readForm(text = 'negation'): PerspectiveForm {
  const form = PERSPECTIVE_FORMS.find((known) => known === text);
  if (form) return form;
  throw new UsageError(`--perspectives is ${PERSPECTIVE_FORMS.join(', ')}, not "${text}".`);
}

async function build(
  { material, generator, judge, count, requests, out, store, config }: Setup,
  values: Values<typeof OPTIONS>,
  io: Io,
  signal: AbortSignal,
): Promise<BuildReport> {
  const base = folderOfConfig(values.config);
  const source = material.corpus === undefined ? undefined : sourceOf(values);
  await using opened = await openUpToDate(source, { base, storage: store, models: config }, io, signal);
  const { engine } = opened;
  const params = { material, generator, judge, count, drafts: out };
  const effort = await engine.request('buildEffort', params, { signal });
  for (const warning of [...effort.warnings, ...effort.problems]) io.stderr(`warning: ${warning}\n`);
  const more = effort.badLines - effort.problems.length;
  if (more > 0) io.stderr(`… and ${more} more such lines.\n`);
  io.stderr(describeEffort(effort, requests));
  const onProgress = progressLine(io, 'Drafts that wait for review:');
  return await engine.request('build', { ...params, requests }, { signal, onProgress });
}

function sourceOf(values: Values<typeof OPTIONS>): CorpusSource {
  return corpusOfPaths({
    paths: [required(values.corpus, 'corpus')],
    split: readSplit(values.split),
    textField: values['text-field'],
  });
}

function describeEffort(
  { wanted, requests, judgePairs, questions, generator }: Result<'buildEffort'>,
  budget: number,
): string {
  const read = questions
    ? `${counts.questions(questions.read)} read, ${questions.distinct} of them different, ${questions.known} proposed before.\n`
    : '';
  const pairs = judgePairs > 0 ? ` and up to ${counts.pairs(judgePairs)} to judge` : '';
  return `${read}${counts.drafts(wanted)} wanted: ${counts.requestsIn(requests)} to ${generator}${pairs} if all of it is of use; at most ${counts.requests(budget)}.\n`;
}

const ENDS: Readonly<Record<BuildEnd, string>> = {
  enough: 'Enough drafts wait for review',
  exhausted: 'Nothing is left to make drafts from',
  budget: 'The budget is spent; run the command again to go on',
  cancelled: 'Cancelled; run the command again to go on',
  failed: 'Stopped, because the model cannot be asked',
};

function describe(report: BuildReport, out: string): string {
  const { end, proposed, filtered, known, leftOut, waiting, requests, failed, problems } = report;
  const lines = [
    `${ENDS[end]}. Requests: ${requests}.`,
    `Drafts added to ${out}: ${proposed}. Waiting there for review: ${waiting}.`,
    ...(filtered > 0
      ? [`Kept there as filtered, because they ask about personal experience: ${filtered}.`]
      : []),
    ...(known > 0 ? [`Proposed before: ${known}.`] : []),
    ...Object.entries(leftOut).map(([reason, times]) => `Left out: ${times}. ${reason}`),
    ...problems,
    ...(failed > problems.length ? [`… and ${failed - problems.length} more failures.`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

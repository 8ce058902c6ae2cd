/** `parallax build`: drafts of an eval set, from a corpus, a list of questions or a query log. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { PERSPECTIVE_FORMS, usualBudget, type PerspectiveForm } from '../core/building/effort.ts';
import { ParallaxError } from '../core/errors.ts';
import { buildDrafts, type BuildEnd, type BuildReport } from '../engine/building/build-drafts.ts';
import { corpusPassages, type CorpusPassages } from '../engine/building/corpus-passages.ts';
import { DraftsFile } from '../engine/building/drafts-file.ts';
import { buildEffort, readMaterial } from '../engine/building/read-material.ts';
import { RequestBudget } from '../engine/building/request-budget.ts';
import { JudgementCache } from '../engine/judgements/judgement-cache.ts';
import { requireJudge } from '../engine/judgements/judgement-service.ts';
import { Judges } from '../engine/judges/judges.ts';
import { NliModels } from '../engine/models/nli-models.ts';
import { PaidReplies } from '../engine/models/paid-replies.ts';
import { openDatabase } from '../engine/store/database.ts';
import type { MaterialRequest } from '../shared/building.ts';
import { CONFIG_FILE, type ParallaxConfig } from '../shared/config.ts';
import { readBudget } from './figure-judging.ts';
import { readJudge } from './judge-option.ts';
import {
  keysFromEnvironment,
  openPaths,
  OWNER_ONLY,
  progressLine,
  readConfig,
  readSplit,
} from './local-corpus.ts';
import {
  BUDGET_SPENT,
  parseCutoff,
  readOptions,
  required,
  UsageError,
  writeJson,
  type Io,
} from './terminal.ts';
import { untilInterrupted } from './until-interrupted.ts';

const HELP = `parallax build --from corpus|questions|log --generator <json|name> --out <drafts.jsonl> [options]
parallax build accept <drafts.jsonl> --out <eval.parallax.jsonl>
parallax build labels --corpus <file|folder> --queries <file> --pipeline <json|name> … --out <pairs.jsonl>

  --from          corpus (pairs of passages that disagree), questions (a list, in its order), or log (questions that
                  people asked, the most frequent first)
  --corpus        files or a folder; needed with --from corpus and --perspectives contrast
  --input         the list or log: one question per line, or JSONL, CSV or TSV
  --field         the field of its records that holds the question (default: question, query or text)
  --perspectives  what a question gets: negation (a statement and its negation; default), answers (several
                  statements), stances (the same, with the side on which each stands), or contrast (statements that
                  exclude each other, each with passages of the corpus that support no other one; needs --judge)
  --keep-personal keep questions about personal experience, which are filtered out otherwise
  --generator     a judge as JSON, or its name: its chat model proposes (default: the generator of parallax.json)
  --judge         a judge as JSON, or its name: passages become part of a draft only as far as it says so too
  --count         stop when so many drafts wait for review (default 20)
  --budget        requests=N: send no further request (default: 10 for each draft wanted)
  --out           the drafts; appended to, and never proposed again whatever became of them
  --store         where the index and all replies are kept (default: the drafts' name with .store)
  --split         how documents become passages (default words:100)
  --text-field    field of the corpus' records that holds the text
  --json          also write the report as JSON to a file; - writes JSON, and nothing else, to standard output
  --config        parallax.json with judges (default: the one in this folder, if any)

Drafts are for people to review: edit the lines, set "review" to "accepted", or to "rejected" with the reason in
"because". Near-identical questions count once. The exit code is 3 when the budget was spent, and 1 when building was
cancelled or failed; the same command goes on from there, and pays for nothing twice.
parallax build accept --help and parallax build labels --help explain the others.
`;

const OPTIONS = {
  from: { type: 'string' },
  corpus: { type: 'string' },
  input: { type: 'string' },
  field: { type: 'string' },
  perspectives: { type: 'string' },
  'keep-personal': { type: 'boolean', default: false },
  generator: { type: 'string' },
  judge: { type: 'string' },
  count: { type: 'string', default: '20' },
  budget: { type: 'string' },
  out: { type: 'string' },
  store: { type: 'string' },
  split: { type: 'string', default: 'words:100' },
  'text-field': { type: 'string' },
  json: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>['values'];

const SUBCOMMANDS: Readonly<
  Record<string, () => Promise<(argv: readonly string[], io: Io) => Promise<number>>>
> = {
  accept: async () => (await import('./build-accept-command.ts')).buildAcceptCommand,
  labels: async () => (await import('./build-labels-command.ts')).buildLabelsCommand,
};

/**
 * @param signal cancels building; the first interrupt from the terminal where it is left out
 * @returns the exit code
 */
export async function buildCommand(argv: readonly string[], io: Io, signal?: AbortSignal): Promise<number> {
  const [name = '', ...rest] = argv;
  if (Object.hasOwn(SUBCOMMANDS, name)) return (await SUBCOMMANDS[name]!())(rest, io);
  const { values } = readOptions(argv, OPTIONS);
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const setup = readSetup(values, await readConfig(values.config));
  await mkdir(setup.store, { recursive: true, mode: OWNER_ONLY });
  const report = await untilInterrupted((stop) => build(setup, values, io, stop), signal);
  if (values.json !== '-') io.stdout(describe(report, setup.out));
  if (values.json !== undefined) await writeJson(values.json, report, io);
  return EXIT_CODES[report.end];
}

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
  /** With judges that were given as JSON. */
  readonly config: ParallaxConfig;
}

function readSetup(values: Values, config: ParallaxConfig): Setup {
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

const CORPUS = 'corpus';

function readMaterialOptions(values: Values): MaterialRequest {
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
  } else if (corpus !== undefined || judge !== undefined)
    throw new UsageError(
      `--${corpus === undefined ? 'judge' : 'corpus'} is of use with --from corpus or --perspectives contrast only.`,
    );
  return {
    from,
    file,
    form,
    filter: !keepsPersonal,
    ...(field === undefined ? {} : { field }),
    ...(form === 'contrast' ? { corpus: CORPUS } : {}),
  };
}

function readForm(text = 'negation'): PerspectiveForm {
  const form = PERSPECTIVE_FORMS.find((known) => known === text);
  if (form) return form;
  throw new UsageError(`--perspectives is ${PERSPECTIVE_FORMS.join(', ')}, not "${text}".`);
}

async function build(setup: Setup, values: Values, io: Io, signal: AbortSignal): Promise<BuildReport> {
  const { count, requests, out } = setup;
  const models = openModels(setup, values.config);
  const corpus = await openPassages(setup, values, io, signal).catch(async (error: unknown) => {
    await models.close();
    throw error;
  });
  try {
    const { judges, replies } = models;
    const judge = setup.judge === undefined ? undefined : requireJudge(judges.get(setup.judge), setup.judge);
    const generator = judges.chatModel(setup.generator);
    const read = await readMaterial(setup.material, setup.judge, () => corpus.passages(), signal);
    const drafts = await DraftsFile.open(out);
    const { problems, badLines, ...effort } = buildEffort(read, count, drafts, judge !== undefined);
    for (const warning of [...drafts.warnings, ...problems]) io.stderr(`warning: ${warning}\n`);
    if (badLines > problems.length) io.stderr(`… and ${badLines - problems.length} more such lines.\n`);
    io.stderr(describeEffort(effort, generator.model.label, requests));
    const parts = {
      generator,
      judge,
      replies,
      drafts,
      budget: new RequestBudget(requests),
      now: () => new Date().toISOString(),
    };
    return await buildDrafts(read.material, count, parts, {
      signal,
      onProgress: progressLine(io, 'Drafts that wait for review:'),
    });
  } finally {
    await corpus.close();
    await models.close();
  }
}

/** Judges and replies, also where there is no corpus. */
function openModels(
  { store, config }: Setup,
  configFile: string | undefined,
): { readonly judges: Judges; readonly replies: PaidReplies; close(): Promise<void> } {
  const database = openDatabase(path.join(store, 'judgements.sqlite'));
  const cache = new JudgementCache(database);
  const base = path.dirname(path.resolve(configFile ?? CONFIG_FILE));
  // Who runs the command line on a configuration trusts it.
  const nliModels = new NliModels({ base, trusted: true });
  const keys = keysFromEnvironment(process.env);
  return {
    judges: new Judges({ judges: config.judges, keys }, cache, undefined, { nliModels }),
    replies: new PaidReplies(cache.replies),
    close: async () => {
      await nliModels.dispose();
      database.close();
    },
  };
}

interface OpenPassages {
  passages(): Promise<CorpusPassages>;
  close(): Promise<void>;
}

/** The corpus, brought up to date; none where none is needed. */
async function openPassages(
  { material, store, config }: Setup,
  values: Values,
  io: Io,
  signal: AbortSignal,
): Promise<OpenPassages> {
  const none = { passages: () => Promise.reject(noCorpus()), close: () => Promise.resolve() };
  if (material.corpus === undefined) return none;
  const { corpus, services, close } = await openPaths(
    {
      paths: [required(values.corpus, 'corpus')],
      store,
      split: readSplit(values.split),
      textField: values['text-field'],
      config,
    },
    io,
  );
  try {
    await corpus.update({ signal, onProgress: progressLine(io, 'Indexing') });
  } catch (error) {
    await close();
    throw error;
  }
  return { passages: () => Promise.resolve(corpusPassages(corpus, services)), close };
}

const noCorpus = (): ParallaxError => new ParallaxError('internal', 'No corpus was opened.');

function describeEffort(
  {
    wanted,
    requests,
    judgePairs,
    questions,
  }: Pick<ReturnType<typeof buildEffort>, 'wanted' | 'requests' | 'judgePairs' | 'questions'>,
  generator: string,
  budget: number,
): string {
  const read = questions
    ? `${questions.read} questions read, ${questions.distinct} of them different, ${questions.known} proposed before.\n`
    : '';
  const range =
    requests.least === requests.most ? `${requests.most}` : `${requests.least} to ${requests.most}`;
  const pairs = judgePairs > 0 ? ` and up to ${judgePairs} pairs to judge` : '';
  return `${read}${wanted} drafts wanted: ${range} requests to ${generator}${pairs} if all of it is of use; at most ${budget} requests.\n`;
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

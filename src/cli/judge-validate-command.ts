/** `parallax judge validate`: how good judges are on labelled pairs. */
import path from 'node:path';
import { parseLabelledPairs } from '../core/formats/labelled-pairs.ts';
import { parseEvalSet } from '../core/formats/queries.ts';
import type { Stance } from '../core/model.ts';
import { seededRandom } from '../core/statistics/random.ts';
import {
  referenceSetOf,
  sampled,
  stancesOf,
  withStances,
  type PassagesOf,
  type ReferenceSet,
} from '../core/validation/reference-set.ts';
import { JudgesToValidate } from '../engine/validation/judges-to-validate.ts';
import { validateJudges } from '../engine/validation/validate-judge.ts';
import { JudgementCache } from '../engine/judgements/judgement-cache.ts';
import { Judges } from '../engine/judges/judges.ts';
import { LabelsFile } from '../engine/judgements/labels-file.ts';
import { NliModels } from '../engine/models/nli-models.ts';
import { openDatabase } from '../engine/store/database.ts';
import { CONFIG_FILE, LABELS_FILE, type ParallaxConfig } from '../shared/config.ts';
import type { ValidationReport } from '../shared/validation.ts';
import { readInput } from '../engine/files/read-input.ts';
import { readJudges } from './judge-option.ts';
import {
  keysFromEnvironment,
  openCorpus,
  openPaths,
  progressLine,
  readConfig,
  readSplit,
  type LocalCorpus,
} from './local-corpus.ts';
import { readOptions, required, UsageError, writeJson, type Io } from './terminal.ts';
import { describeValidation } from './validation-tables.ts';

const HELP = `parallax judge validate --labels <file> --judge <json|name> …

  --labels     JSONL with question, document, perspective and label (0 or 1) per line, and optionally stance
               and by (who labelled it; several people decide by majority); or ${LABELS_FILE}
  --judge      a judge as JSON, or its name: lexical, or one of parallax.json; may be repeated
  --reference  a judge whose answers count as true instead of the labels, which may then be missing
  --corpus     the corpus that ${LABELS_FILE} is about: a name in parallax.json, or a file or folder
  --split      how the documents of a file or folder become passages (default none)
  --queries    an eval set that says which perspectives support and which oppose the question
  --repeats    how often every judge answers every pair (default 1): does it say the same again?
  --swap       also hold debates with the agents' initial stances swapped
  --limit      use so many pairs only, drawn at random, the same ones every time
  --store      remember answers (and the index) in this folder, so that nothing is paid for twice
  --json       also write the report as JSON to a file; - writes JSON, and nothing else, to standard output
  --config     parallax.json with judges (default: the one in this folder, if any)

Keys come from the environment: OPENAI_API_KEY is the key named openai.
The exit code is 1 when a judge leaves pairs unanswered.
`;

/** The same pairs on every machine. */
const SAMPLE_SEED = 1;

/** @returns the exit code */
export async function judgeValidateCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    labels: { type: 'string' },
    judge: { type: 'string', multiple: true },
    reference: { type: 'string' },
    corpus: { type: 'string' },
    split: { type: 'string', default: 'none' },
    queries: { type: 'string' },
    repeats: { type: 'string', default: '1' },
    swap: { type: 'boolean', default: false },
    limit: { type: 'string' },
    store: { type: 'string' },
    json: { type: 'string' },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const labelsFile = required(values.labels, 'labels');
  if (!values.judge) throw new UsageError('--judge is missing.');
  const repeats = wholeNumber(values.repeats, 'repeats');
  const limit = values.limit === undefined ? Infinity : wholeNumber(values.limit, 'limit');
  const config = await readConfig(values.config);
  const { names, reference, configs } = readJudges(values.judge, values.reference, config);
  const stances =
    values.queries === undefined ? new Map<string, Stance>() : await readStances(values.queries, io);

  const corpus = await openLabelledCorpus(values, config, io);
  try {
    const labelled = await readReference(labelsFile, corpus && ((id) => corpus.corpus.passagesOf(id)));
    for (const warning of labelled.warnings) io.stderr(`warning: ${labelsFile}: ${warning}\n`);
    const set = sampled(withStances(labelled, stances), limit, seededRandom(SAMPLE_SEED));
    const base = folderOfConfig(values.config);
    const options = { names, reference, configs, repeats, base, labelsFile };
    const report = await validate(set, { ...options, swap: values.swap, store: values.store }, io);
    if (values.json !== '-') io.stdout(describeValidation(report, labelsFile));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    for (const { judge, failed, error } of report.judges)
      if (failed > 0) io.stderr(`${judge}: ${failed} pairs have no answer. ${error ?? ''}\n`);
    return report.judges.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    await corpus?.close();
  }
}

function wholeNumber(text: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--${option} takes a whole number from 1, not "${text}".`);
  return Number(text);
}

async function readStances(file: string, io: Io): Promise<Map<string, Stance>> {
  const { queries, warnings } = await readInput(file, (text) => parseEvalSet(text, file));
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  return stancesOf(queries);
}

function readReference(file: string, passagesOf: PassagesOf | undefined): Promise<ReferenceSet> {
  return readInput(file, (text) => referenceSetOf(parseLabelledPairs(text), passagesOf));
}

/** The corpus that `--corpus` names, indexed; nothing without that option. */
async function openLabelledCorpus(
  options: {
    readonly corpus?: string | undefined;
    readonly split: string;
    readonly store?: string | undefined;
    readonly config?: string | undefined;
  },
  config: ParallaxConfig,
  io: Io,
): Promise<LocalCorpus | undefined> {
  const { corpus: name, store } = options;
  if (name === undefined) return undefined;
  const named = Object.hasOwn(config.corpora, name) ? config.corpora[name] : undefined;
  const local = named
    ? await openCorpus({ name, base: folderOfConfig(options.config), config: named }, store, config, io)
    : await openPaths({ paths: [name], store, split: readSplit(options.split), config }, io);
  try {
    await local.corpus.update({ onProgress: progressLine(io, 'Indexing') });
  } catch (error) {
    await local.close();
    throw error;
  }
  return local;
}

/** Where relative paths in parallax.json start. */
function folderOfConfig(file: string | undefined): string {
  return path.dirname(path.resolve(file ?? CONFIG_FILE));
}

interface ValidationOptions extends ReturnType<typeof readJudges> {
  readonly repeats: number;
  readonly swap: boolean;
  readonly store: string | undefined;
  /** Folder of parallax.json. */
  readonly base: string;
  readonly labelsFile: string;
}

async function validate(set: ReferenceSet, options: ValidationOptions, io: Io): Promise<ValidationReport> {
  const { names, reference, configs, repeats, swap, store, base } = options;
  const database = openDatabase(store === undefined ? ':memory:' : path.join(store, 'judgements.sqlite'));
  const keys = keysFromEnvironment(process.env);
  // Who runs the command line on a configuration trusts it.
  const nliModels = new NliModels({ base, trusted: true });
  const parts = { nliModels, labels: labelsToCalibrateOn(options, io) };
  const judges = new JudgesToValidate(
    configs,
    new JudgementCache(database),
    (each, cache) => new Judges({ judges: each, keys }, cache, undefined, parts),
  );
  try {
    return await validateJudges(
      {
        set,
        judges: names.map((name) => judges.get(name, swap)),
        reference: reference === undefined ? undefined : judges.judge(reference),
        repeats,
      },
      { onProgress: progressLine(io, 'Judging') },
    );
  } finally {
    await nliModels.dispose();
    judges.close();
    database.close();
  }
}

/** The workspace's own labels, unless they are what is measured on: no judge may have learned from those. */
function labelsToCalibrateOn({ base, labelsFile }: ValidationOptions, io: Io): LabelsFile {
  const own = path.join(base, LABELS_FILE);
  return new LabelsFile(path.resolve(labelsFile) === own ? undefined : own, (warning) =>
    io.stderr(`warning: ${warning}\n`),
  );
}

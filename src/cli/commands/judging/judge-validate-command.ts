/** `parallax judge validate`: how good judges are on labelled pairs. */
import { EvalSetReading } from '../../../core/formats/queries.ts';
import type { Query } from '../../../core/model.ts';
import { unansweredSentences } from '../../../core/reports/validation.ts';
import { readArgumentLines } from '../../../engine/files/read-input.ts';
import { LABELS_FILE, type ParallaxConfig } from '../../../shared/config.ts';
import { command } from '../command.ts';
import { readJudges } from '../../options/judge-option.ts';
import { configuredCorpus, corpusOfPaths, openUpToDate, type CorpusSource } from '../../local-corpus.ts';
import { ANSWERS_HELP } from '../../kept-answers.ts';
import { fileFor } from '../../local-engine.ts';
import { readSplit } from '../../options/pipeline-option.ts';
import { progressLine, warningsAbout } from '../../presentation/progress.ts';
import { folderOfConfig, readConfig } from '../../options/read-config.ts';
import { required, UsageError, writeJson, type Io } from '../../presentation/terminal.ts';
import { describeValidation } from '../../../features/validation/cli/validation-tables.ts';

export const judgeValidateCommand = command({
  usage: 'parallax judge validate --labels <file> --judge <json|name> …',
  options: {
    labels: {
      type: 'string',
      help: `JSONL with question, document, perspective and label (0 or 1) per line, and optionally stance
and by (who labelled it; several people decide by majority); or ${LABELS_FILE}`,
    },
    judge: {
      type: 'string',
      multiple: true,
      help: 'a judge as JSON, or its name: lexical, or one of parallax.json; may be repeated',
    },
    reference: {
      type: 'string',
      help: 'a judge whose answers count as true instead of the labels, which may then be missing',
    },
    corpus: {
      type: 'string',
      help: `the corpus that ${LABELS_FILE} is about: a name in parallax.json, or a file or folder`,
    },
    split: {
      type: 'string',
      default: 'none',
      help: 'how the documents of a file or folder become passages (default none)',
    },
    queries: {
      type: 'string',
      help: 'an eval set that says which perspectives support and which oppose the question',
    },
    repeats: {
      type: 'string',
      default: '1',
      help: 'how often every judge answers every pair (default 1): does it say the same again?',
    },
    swap: {
      type: 'boolean',
      default: false,
      help: "also hold debates with the agents' initial stances swapped",
    },
    limit: { type: 'string', help: 'use at most this many pairs, drawn at random, always the same ones' },
    store: {
      type: 'string',
      help: `keep the index and the answers of judges in this folder; ${ANSWERS_HELP}`,
    },
    json: {
      type: 'string',
      help: 'also write the report as JSON to a file; - writes JSON, and nothing else, to standard output',
    },
    config: { type: 'string', help: 'parallax.json with judges (default: the one in this folder, if any)' },
  },
  notes: `Keys come from the environment: OPENAI_API_KEY is the key named openai.
The exit code is 1 when a judge leaves pairs unanswered.
`,

  async run({ values }, io) {
    const labels = required(values.labels, 'labels');
    if (!values.judge) throw new UsageError('--judge is missing.');
    const repeats = wholeNumber(values.repeats, 'repeats');
    const limit = values.limit === undefined ? undefined : wholeNumber(values.limit, 'limit');
    const config = await readConfig(values.config);
    const { names, reference, configs } = readJudges(values.judge, values.reference, config);
    const queries = values.queries === undefined ? [] : await readQueries(values.queries, io);

    const models = { ...config, judges: configs };
    const base = folderOfConfig(values.config);
    const source = sourceOf(values, config, base);
    await using opened = await openUpToDate(source, { base, storage: values.store, models }, io);
    const report = await opened.engine.request(
      'validateJudge',
      {
        judges: names,
        reference,
        labelsFile: fileFor(base, labels),
        corpus: opened.corpus,
        queries,
        repeats,
        swap: values.swap,
        limit,
      },
      { onProgress: progressLine(io, 'Judging'), onNote: warningsAbout(labels, io) },
    );
    if (values.json !== '-') io.stdout(describeValidation(report, labels));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    const unanswered = unansweredSentences(report);
    for (const sentence of unanswered) io.stderr(`${sentence}\n`);
    return unanswered.length > 0 ? 1 : 0;
  },
});

function wholeNumber(text: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--${option} takes a whole number from 1, not "${text}".`);
  return Number(text);
}

async function readQueries(file: string, io: Io): Promise<readonly Query[]> {
  const { queries, warnings } = await readArgumentLines(file, new EvalSetReading(file));
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  return queries;
}

/** The corpus of `--corpus`, a name in parallax.json or a path. `undefined` without that option. */
function sourceOf(
  { corpus: name, split }: { readonly corpus?: string | undefined; readonly split: string },
  config: ParallaxConfig,
  base: string,
): CorpusSource | undefined {
  if (name === undefined) return undefined;
  return configuredCorpus(name, config, base) ?? corpusOfPaths({ paths: [name], split: readSplit(split) });
}

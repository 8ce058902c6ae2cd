/** `parallax explain`: why a document is among the passages that a pipeline returns, or is not. */
import path from 'node:path';
import type { Explanation, TriedChange } from '../core/explanation.ts';
import {
  armText,
  causeText,
  changeText,
  otherRankText,
  partTexts,
  provisionalText,
  termLines,
} from '../core/wording.ts';
import { EvalSetReading } from '../../../core/formats/queries.ts';
import { readArgumentLines } from '../../../engine/files/read-input.ts';
import { priceLines, type ChangePrice } from '../../../evaluation/change-price.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import {
  findEvalQuery,
  measuredSet,
  plainQuery,
  type EvalQuery,
  type MeasuredSet,
} from '../../../shared/eval-query.ts';
import type { Params } from '../../../shared/rpc.ts';
import { configuredEvalSets } from '../../../cli/configured-eval-sets.ts';
import { DONE, FAILED } from '../../../cli/exit-codes.ts';
import {
  openCorpus,
  updateIndex,
  corpusNamed,
  corpusNames,
  type LocalCorpus,
} from '../../../cli/local-corpus.ts';
import { readJudge } from '../../../cli/options/judge-option.ts';
import { defaultPipeline, readPipeline } from '../../../cli/options/pipeline-option.ts';
import { folderOfConfig, readConfig } from '../../../cli/options/read-config.ts';
import { oneLine } from '../../../cli/presentation/printable.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { required, UsageError, writeJson, type Io } from '../../../cli/presentation/terminal.ts';
import { command } from '../../../cli/commands/command.ts';

export const explainCommand = command({
  usage:
    'parallax explain --query "…" --document <path|id|title|text> [--corpus <file|folder>] [--pipeline <json|name>] [--k 5] [--json <file|->]',
  options: {
    query: { type: 'string', help: 'the question' },
    document: {
      type: 'string',
      help: 'what is missing: the path, id or title of a document, or a text that it contains',
    },
    corpus: {
      type: 'string',
      help: 'a folder or file, or the name of a corpus of parallax.json (default: its first)',
    },
    store: { type: 'string', help: 'the folder in which the index is kept' },
    pipeline: {
      type: 'string',
      help: 'a pipeline as JSON, or its name (default: hybrid)',
    },
    k: { type: 'string', help: "how many passages are returned (default: the pipeline's k)" },
    'no-changes': { type: 'boolean', default: false, help: 'do not look for a change that brings it in' },
    splitters: {
      type: 'boolean',
      default: false,
      help: 'if nothing else brings it in, try other splitters; each indexes the corpus once more',
    },
    queries: {
      type: 'string',
      help: 'the eval set on which that change is measured (default: that of parallax.json which has the question, or\nits first)',
    },
    judge: {
      type: 'string',
      help: "the judge whose answers so far count there beside people's labels; it is not asked",
    },
    json: { type: 'string', help: 'write the explanation as JSON' },
    config: { type: 'string', help: 'parallax.json (default: the one in this folder, if any)' },
  },

  async run({ values }, io) {
    const text = required(values.query, 'query');
    const document = required(values.document, 'document');
    const config = await readConfig(values.config);
    const judges = { ...config.judges };
    const judge = values.judge === undefined ? 'labels' : readJudge(values.judge, '--judge', judges);
    const name = values.corpus ?? corpusNames(config)[0];
    if (name === undefined) throw new UsageError('--corpus is missing: a folder or file with documents.');
    const source = corpusNamed(name, config, folderOfConfig(values.config));
    const { pipeline } = readPipeline(values.pipeline ?? defaultPipeline(config, source.config), config);
    const k = values.k === undefined ? pipeline.k : Number(values.k);
    if (!Number.isInteger(k) || k < 1)
      throw new UsageError(`--k is a whole number from 1, not "${values.k}".`);
    const queries = await evalQueries(values, config);
    const evalQuery = findEvalQuery(queries, text);
    const measured = measuredSet(queries, text);
    if (values.queries !== undefined && !measured)
      throw new UsageError(
        `No question of ${values.queries} has perspectives; there is nothing to measure on.`,
      );
    await using opened = await openCorpus(source, values.store, { ...config, judges }, io);
    await updateIndex(opened, io);
    const before = { ...pipeline, k };
    const explanation = await opened.engine.request(
      'explain',
      {
        corpus: opened.corpus,
        query: evalQuery ? { id: evalQuery.id, text } : { text },
        perspectives: evalQuery ? [...evalQuery.perspectives] : [],
        pipeline: before,
        document,
        tryChanges: !values['no-changes'],
        trySplitters: values.splitters && !values['no-changes'],
      },
      { onProgress: progressLine(io, 'Explaining') },
    );
    const { change } = explanation;
    const price =
      change &&
      measured &&
      (await priceOf({ before, after: change.pipeline, split: change.split, judge }, measured, opened, io));
    if (values.json !== undefined)
      await writeJson(
        values.json,
        { query: text, document, ...explanation, ...(price ? { change: { ...change, price } } : {}) },
        io,
      );
    else io.stdout(explanationText(explanation, price));
    return explanation.cause === 'unknown' ? FAILED : DONE;
  },
});

/** The queries of one eval set, or of all that parallax.json names. */
async function evalQueries(
  { queries: argument, config: file }: { readonly queries?: string; readonly config?: string },
  config: ParallaxConfig,
): Promise<EvalQuery[]> {
  const base = folderOfConfig(file);
  const files = argument === undefined ? await configuredEvalSets(config, base, () => {}) : [argument];
  const read: EvalQuery[] = [];
  for (const evalSet of files) {
    const place = argument ?? path.relative(process.cwd(), path.resolve(base, evalSet));
    const { queries } = await readArgumentLines(place, new EvalSetReading(place));
    read.push(...queries.map((query) => ({ ...query, evalSet })));
  }
  return read;
}

function priceOf(
  change: Omit<Params<'changePrice'>, 'dataset'>,
  { evalSet, queries }: MeasuredSet,
  { engine, corpus }: LocalCorpus,
  io: Io,
): Promise<ChangePrice> {
  const dataset = { name: evalSet, corpus, evalSet, queries: queries.map(plainQuery) };
  return engine.request(
    'changePrice',
    { ...change, dataset },
    { onProgress: progressLine(io, 'Measuring the change') },
  );
}

/** A longer list would hide the rest. */
const MAX_OTHERS = 5;

function othersLines({ others = [], ranked = 0 }: Explanation): string[] {
  if (others.length === 0) return [];
  const lines = others
    .slice(0, MAX_OTHERS)
    .map(({ id, name, rank }) => oneLine(`    ${otherRankText({ rank, ranked })}: ${name}  (${id})`));
  const rest = others.length - lines.length;
  return ['  Other passages of the document:', ...lines, ...(rest > 0 ? [`    and ${rest} more`] : [])];
}

/** How to make the change. */
function settingText({ split, pipeline }: TriedChange): string {
  return split
    ? `  "split": ${JSON.stringify(split)} of the corpus in parallax.json`
    : `  --pipeline '${JSON.stringify(pipeline)}'`;
}

function explanationText(explanation: Explanation, price: ChangePrice | undefined): string {
  const { passage, parts = [], documents = [], arms, terms, lengths, change } = explanation;
  const lines = [
    ...(passage ? [oneLine(`${passage.name}  (${passage.id})`)] : []),
    [causeText(explanation), provisionalText(explanation)].join(' ').trim(),
    ...(documents.length > 1
      ? [`The text is in ${documents.length} documents: ${oneLine(documents.join(', '))}`]
      : []),
    ...partTexts(parts).map((text, place) => oneLine(`  ${parts[place]!.id}: ${text}`)),
    ...othersLines(explanation),
    ...arms.map((arm) => `  ${oneLine(armText(arm))}`),
    ...termLines(terms).map((line) => `    ${oneLine(line)}`),
    ...(lengths
      ? [`    The passage has ${lengths.passage} terms; the mean is ${lengths.mean.toFixed(0)}.`]
      : []),
    ...[changeText(explanation)].filter((line) => line !== ''),
    ...(price ? priceLines(price).map((line) => `  ${oneLine(line)}`) : []),
    ...(change ? [settingText(change)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

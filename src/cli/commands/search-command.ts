/** `parallax search`: runs one query through one pipeline. */
import { certaintyText } from '../../core/external/certainty.ts';
import { shortfallText } from '../../core/external/shortfall.ts';
import { counted } from '../../core/counted.ts';
import { excerpt, readPassage } from '../../core/snippets.ts';
import { isCode } from '../../core/text/file-kinds.ts';
import { passageName } from '../../core/text/passage-name.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import type { Result } from '../../shared/rpc.ts';
import { command } from './command.ts';
import {
  corpusNamed,
  corpusNames,
  openCorpus,
  openStore,
  updateIndex,
  type CorpusSource,
} from '../local-corpus.ts';
import {
  describePerspective,
  findPerspectives,
  formatPerspective,
  type PerspectiveFound,
} from '../../features/look-deeper/cli/look-deeper.ts';
import { readJudge } from '../options/judge-option.ts';
import { defaultPipeline, readPipeline } from '../options/pipeline-option.ts';
import { progressLine } from '../presentation/progress.ts';
import { folderOfConfig, readConfig } from '../options/read-config.ts';
import { requireNamedStore } from '../options/store-hint.ts';
import { describeStandIns } from '../presentation/stand-ins.ts';
import { required, UsageError, writeJson, type Io } from '../presentation/terminal.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { oneLine } from '../presentation/printable.ts';

const SNIPPET_LENGTH = 160;

/** At most this many passages are embedded while the command waits: about ten seconds on a laptop. */
const FEW_PASSAGES = 1000;

export const searchCommand = command({
  usage:
    'parallax search "<query>" [--corpus <file|folder>] [--store <folder>] [--pipeline <json|name>] [--k 5] [--perspective "…" …]',
  positionals: true,
  options: {
    corpus: {
      type: 'string',
      help: 'a folder or file, or the name of a corpus of parallax.json (default: the corpus of parallax.json)',
    },
    store: {
      type: 'string',
      help: 'an index made by parallax index; with --corpus, where its index is kept',
    },
    pipeline: {
      type: 'string',
      help: 'a pipeline as JSON, or its name: bm25, dense, hybrid, or one of parallax.json (default: hybrid, words and\nmeaning; the first one of parallax.json for a corpus in a store)',
    },
    k: { type: 'string', help: "how many passages to show (default: the pipeline's k)" },
    perspective: {
      type: 'string',
      multiple: true,
      help: 'a statement that the answer should cover: say where it is lost; may be repeated',
    },
    judge: {
      type: 'string',
      help: 'whose answers count, a judge as JSON or its name (default: labels, which are those of people)',
    },
    'look-deeper': {
      type: 'string',
      help: 'search the whole corpus with each missing perspective, through every retriever that is ready, and\nask the judge about at most this many passages, until one supports it',
    },
    json: { type: 'boolean', default: false, help: 'write the passages as JSON' },
    config: {
      type: 'string',
      help: 'parallax.json with pipelines (default: the one in this folder, if any)',
    },
  },

  async run({ values, positionals }, io) {
    // Other commands accept `--json -` for standard output; here that is the only output, so `-` is ignored.
    const [query, ...surplus] = values.json ? positionals.filter((one) => one !== '-') : positionals;
    if (query === undefined || surplus.length > 0)
      throw new UsageError('Give the query as one argument, in quotes.');
    const config = await readConfig(values.config);
    const source = sourceOf(values, config);
    if (values.store === undefined && !source) requireNamedStore(config);
    const { name, pipeline } = readPipeline(
      values.pipeline ?? defaultPipeline(config, source?.config),
      config,
    );
    const judges = { ...config.judges };
    const judge = values.judge === undefined ? 'labels' : readJudge(values.judge, '--judge', judges);
    const deeper = values['look-deeper'];
    const statements = values.perspective ?? [];
    if (deeper !== undefined && statements.length === 0)
      throw new UsageError('--look-deeper needs a --perspective to look for.');
    const depth = values.k === undefined ? pipeline.k : readCount('--k', values.k);
    const passages = deeper === undefined ? undefined : readCount('--look-deeper', deeper);
    await using opened =
      source === undefined
        ? await openStore(required(values.store, 'corpus'), io, judges)
        : await openCorpus(source, values.store, { ...config, judges }, io);
    const { corpus, engine } = opened;
    const perspectives = statements.map((text, place) => ({ id: `p${place + 1}`, text }));
    if (source) await updateIndex(opened, io);
    const ask = (atOnce: boolean) =>
      engine.request(
        'search',
        {
          corpus,
          query: { text: query },
          perspectives,
          pipeline: { ...pipeline, k: depth },
          atOnce,
          // Reporting lost perspectives needs the candidates below the listed passages too.
          ...(statements.length === 0 ? { depth } : {}),
        },
        { onProgress: progressLine(io, 'Preparing') },
      );
    const first = await ask(true);
    const isSmall = first.meaning !== undefined && first.meaning.of <= FEW_PASSAGES;
    const { candidates, search, short, meaning, notices, certainty } = isSmall ? await ask(false) : first;
    const looking = {
      question: query,
      perspectives,
      judge,
      pipeline: { ...pipeline, k: depth },
      otherPipelines: Object.values(config.pipelines),
      passages,
      canAsk: judge !== 'labels',
    };
    const perspectiveStates = await untilInterrupted((signal) =>
      findPerspectives(opened, candidates, looking, io, signal),
    );
    const shown = candidates.slice(0, depth);
    for (const notice of notices) io.stderr(`note: ${oneLine(notice)}\n`);
    if (meaning)
      io.stderr(
        counted(
          'Only {0} of {1} [1:passage|passages] are ranked by meaning so far, the best by words. parallax index --store <folder> --vectors embeds all of them once.\n',
          meaning.embedded,
          meaning.of,
        ),
      );
    if (short) io.stderr(`warning: ${shortfallText(short)}\n`);
    if (certainty) io.stderr(`${certaintyText(certainty, shown.length)}\n`);
    io.stderr(describeStandIns([{ name, pipeline }]));
    if (values.json) {
      const listed = shown.map((candidate, index) => describePassage(candidate, index + 1));
      const states =
        perspectiveStates.length > 0 ? { perspectives: perspectiveStates.map(describePerspective) } : {};
      const fewer = {
        ...(short ? { short } : {}),
        ...(meaning ? { meaning } : {}),
        ...(certainty ? { certainty } : {}),
      };
      await writeJson('-', { query, name, pipeline, search, ...fewer, passages: listed, ...states }, io);
    } else {
      for (const [index, candidate] of shown.entries()) io.stdout(formatPassage(candidate, index + 1, query));
      for (const each of perspectiveStates) io.stdout(formatPerspective(each, depth));
    }
    return exitCode(perspectiveStates, io);
  },
});

/**
 * The corpus to index first. `undefined` for an existing index.
 *
 * @throws UsageError if parallax.json has several corpora
 */
function sourceOf(
  { corpus, store, config: file }: Readonly<Partial<Record<'corpus' | 'store' | 'config', string>>>,
  config: ParallaxConfig,
): CorpusSource | undefined {
  const name = corpus ?? (store === undefined ? corpusNames(config)[0] : undefined);
  if (name === undefined && store === undefined && Object.keys(config.corpora).length > 1)
    throw new UsageError(
      `--corpus is missing: which of ${Object.keys(config.corpora).join(', ')} is to be searched?`,
    );
  return name === undefined ? undefined : corpusNamed(name, config, folderOfConfig(file));
}

/** Reports on standard error what a judge could not answer. */
function exitCode(perspectives: readonly PerspectiveFound[], io: Io): number {
  const reports = perspectives.flatMap(({ report }) => report ?? []);
  const error = reports.find((report) => report.failed > 0)?.error;
  const unread = reports.reduce((sum, { unparsable }) => sum + unparsable, 0);
  if (error !== undefined) io.stderr(`Some passages could not be judged: ${error}\n`);
  if (unread > 0)
    io.stderr(
      counted(
        '{0} [0:answer|answers] of the judge could not be read; what [0:it was|they were] about stays unjudged.\n',
        unread,
      ),
    );
  return error === undefined && unread === 0 ? 0 : 1;
}

function readCount(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`${option} is a whole number from 1, not "${text}".`);
  return count;
}

type Candidate = Result<'search'>['candidates'][number];

function describePassage(candidate: Candidate, rank: number): object {
  const { score, id, documentId, path, title, section, text, span, lines } = candidate;
  const name = passageName(candidate);
  return { rank, score, id, name, document: documentId, path, title, section, text, ...span, ...lines };
}

function formatPassage(candidate: Candidate, rank: number, query: string): string {
  const { score, documentId, lines, text } = candidate;
  const read = readPassage(text, query, {
    isCode: isCode(documentId),
    isFirst: candidate.verbatim && lines.startLine === 0,
  });
  const { start, end, cutBefore, cutAfter } = excerpt(read.text, [], read.from, SNIPPET_LENGTH);
  const shown = `${cutBefore ? '… ' : ''}${read.text.slice(start, end)}${cutAfter ? ' …' : ''}`;
  const place = oneLine(`${passageName(candidate)}  (${documentId}:${lines.startLine + 1})`);
  return `${String(rank).padStart(3)}  ${score.toFixed(4)}  ${place}\n     ${shown}\n`;
}

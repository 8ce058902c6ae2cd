/** Answers run_of_agent: what each search of a run covered, and what its queries never reached. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../../core/errors.ts';
import { DEFAULT_PIPELINE } from '../../../../core/pipeline.ts';
import { plainQuery } from '../../../../shared/eval-query.ts';
import type { ParallaxConfig } from '../../../../shared/config.ts';
import type { Params } from '../../../../shared/rpc.ts';
import { runsOfFile } from '../../../../core/formats/captured-runs.ts';
import { searchesRead } from '../../../capture/core/search-run.ts';
import type { RunPicture } from '../../../capture/contract/run-picture.ts';
import { DATA_NOTICE, firstOf, fitted, rounded, short } from '../answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from '../host.ts';
import { prepare } from '../prepare.ts';
import { corpusOf, planQuestion, type Run } from '../run.ts';
import type { RunInput } from '../tools.ts';
import { plainSearch } from './look-deeper.ts';

interface Size {
  readonly text: number;
  readonly searches: number;
  /** Listed ids of each search's passages. */
  readonly ids: number;
}

const SIZES: readonly Size[] = [
  { text: 300, searches: 30, ids: 10 },
  { text: 200, searches: 30, ids: 0 },
  { text: 120, searches: 20, ids: 0 },
  { text: 60, searches: 10, ids: 0 },
];
const MAX_RUNS = 5;
const MAX_ID = 100;

interface KnownRun {
  readonly id: string;
  readonly question: string;
  /** Its queries in order. */
  readonly queries: readonly string[];
  readonly told: Params<'runPicture'>['run'];
}

export interface PlannedRun {
  readonly known: KnownRun;
  /** Runs that were not asked for, newest first. */
  readonly others: readonly KnownRun[];
  /** Its queries asked again with a retriever. */
  readonly run: Run;
}

/** @throws ParallaxError `not-found` without a run, `bad-file`, and like `planQuestion` */
export async function planRunOfAgent(
  input: RunInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<PlannedRun> {
  const runs =
    input.file === undefined ? await captured(input, host, workspace, work) : await filed(input.file, host);
  const known = input.run === undefined ? runs[0] : runs.find(({ id }) => id === input.run);
  if (!known)
    throw new ParallaxError(
      'not-found',
      input.run === undefined || runs.length === 0
        ? l10n.t(
            'No run was captured. Record one with “parallax capture” or “parallax mcp-proxy”, and pass its file.',
          )
        : l10n.t`There is no run "${short(input.run, MAX_ID)}"; the newest is ${short(runs[0]!.id, MAX_ID)}.`,
    );
  const { pipeline = askable(workspace.config), perspectives, corpus } = input;
  const plan = await planQuestion(
    { query: known.question, perspectives, corpus, pipeline },
    host,
    workspace,
    work.signal,
  );
  const [asked] = plan.pipelines as [Run['pipelines'][number]];
  const [question] = plan.queries as [Run['queries'][number]];
  return {
    known,
    others: runs.filter((each) => each !== known),
    run: {
      ...plan,
      pipelines: [{ ...asked, pipeline: plainSearch(asked.pipeline) }],
      queries: known.queries.map((text) => ({ ...question, text })),
    },
  };
}

/** Results in a file belong to its own queries, and cannot be asked others. */
function askable({ pipelines }: ParallaxConfig): string {
  const own = Object.entries(pipelines).find(([, { retriever }]) => retriever.type !== 'run');
  return own?.[0] ?? DEFAULT_PIPELINE.name;
}

async function filed(file: string, host: AgentHost): Promise<KnownRun[]> {
  const text = await host.readText(file);
  if (text.trim() === '')
    throw new ParallaxError(
      'not-found',
      l10n.t`There is no file ${short(file, MAX_ID)} in the workspace, or it is empty.`,
    );
  return runsOfFile(text, file)
    .map(({ id, question, searches }) => ({
      id,
      question: question ?? searches[0]!.query,
      queries: searches.map(({ query }) => query),
      told: {
        ...(question === undefined ? {} : { question }),
        searches: searches.map(({ query, name, results }) => ({
          query,
          name,
          results: results.map(({ id: passage, text: words, score = 0 }) => ({
            ...(passage === undefined ? {} : { id: passage }),
            ...(words === undefined ? {} : { text: words }),
            score,
          })),
        })),
      },
    }))
    .toReversed();
}

async function captured(
  { corpus }: RunInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<KnownRun[]> {
  const listing = { corpus: corpusOf(corpus, workspace.config), judge: workspace.judge, queries: [] };
  const { runs } = await host.request('captured', listing, work);
  const byRun = Map.groupBy(runs, ({ id, run }) => run ?? id);
  return [...byRun].map(([id, retrievals]) => {
    const searches = searchesRead(retrievals.toReversed());
    return {
      id,
      question: retrievals[0]!.question ?? searches[0]!.query,
      queries: searches.map(({ query }) => query),
      told: { captured: id },
    };
  });
}

/**
 * Asks no judge.
 *
 * @returns JSON
 * @throws ParallaxError like {@link planRunOfAgent} and `prepare`
 */
export async function runOfAgent(
  input: RunInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  const { known, others, run } = await planRunOfAgent(input, host, workspace, work);
  const { work: limited } = await prepare(run, host, workspace, host.budget(), work);
  const { perspectives = [] } = run.queries[0] ?? {};
  const picture = await host.request(
    'runPicture',
    {
      corpus: run.corpus,
      judge: workspace.judge,
      queries:
        perspectives.length > 0
          ? [{ text: known.question, perspectives }]
          : workspace.evalQueries.map((query) => {
              const { id, text, perspectives: own } = plainQuery(query);
              return { id, text, perspectives: own };
            }),
      run: known.told,
      again: run.pipelines[0]!.pipeline,
    },
    limited,
  );
  return runAnswer(run, known, others, picture);
}

/** JSON. Perspectives and searches are named by their numbers. */
function runAnswer(run: Run, known: KnownRun, others: readonly KnownRun[], picture: RunPicture): string {
  const { perspectives, searches, never, again } = picture;
  const numberOf = (id: string): number => perspectives.findIndex((each) => each.id === id) + 1;
  return fitted(SIZES, ({ text, searches: most, ids }) => {
    const { shown, leftOut } = firstOf(searches, most);
    return {
      notice: DATA_NOTICE,
      corpus: run.corpus,
      run: short(known.id, MAX_ID),
      question: short(picture.question, text),
      perspectives: perspectives.map(({ id, text: statement }, place) => {
        const lost = again?.lost.find(({ perspectiveId }) => perspectiveId === id);
        return {
          number: place + 1,
          text: short(statement, text),
          firstSearch: searches.findIndex(({ gained }) => gained.includes(id)) + 1 || null,
          ...(lost
            ? {
                knownSupport: lost.known,
                largerK: lost.reached
                  ? {
                      search: lost.reached.search + 1,
                      rank: lost.reached.rank,
                      passage: short(lost.reached.passageId, MAX_ID),
                    }
                  : null,
              }
            : {}),
        };
      }),
      searches: shown.map((search, place) => ({
        number: place + 1,
        query: short(search.query, text),
        passages: search.passages.length,
        seenBefore: search.seen,
        nearlySeenBefore: search.nearlySeen,
        tokens: search.tokens,
        new: search.gained.map(numberOf),
        covered: search.covered,
        newPer1000Tokens: rounded(search.gainPerThousandTokens ?? 0),
        ...(ids > 0 ? { ids: search.passages.slice(0, ids).map(({ id }) => short(id, MAX_ID)) } : {}),
      })),
      ...(leftOut > 0 ? { searchesLeftOut: leftOut } : {}),
      never: never.map(numberOf),
      searchesAfterLastNew: picture.searchesAfter,
      differentPassages: picture.passages,
      judgedShare: rounded(picture.pairs === 0 ? 0 : picture.judgedPairs / picture.pairs),
      ...(again
        ? {
            askedAgain: again.retriever,
            whatIfs: again.whatIfs.map(({ order, leavesOutSeen, covered, judgedPairs, pairs }) => ({
              order,
              withoutSeen: leavesOutSeen,
              covered: covered.at(-1) ?? 0,
              judgedShare: rounded(pairs === 0 ? 0 : judgedPairs / pairs),
            })),
          }
        : {}),
      ...(others.length > 0
        ? {
            otherRuns: others.slice(0, MAX_RUNS).map(({ id, question, queries }) => ({
              run: short(id, MAX_ID),
              question: short(question, text),
              searches: queries.length,
            })),
          }
        : {}),
      next:
        perspectives.length === 0
          ? 'No perspectives of this question are known: pass them.'
          : 'Unjudged passages count as not supporting: label them first where judgedShare is low. What-ifs are those of the retriever that was asked again, not of the program.',
    };
  });
}

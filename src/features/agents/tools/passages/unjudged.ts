/** Answers list_unjudged: the passages in the top k without a verdict, to label. */
import { throwIfCancelled } from '../../../../core/errors.ts';
import type { Candidate } from '../../../../shared/requests/passages.ts';
import { DATA_NOTICE, fitted, short } from '../answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from '../host.ts';
import { candidateView } from './passage-view.ts';
import { prepare } from '../prepare.ts';
import { namedQuery, planRun, type Run } from '../run.ts';
import type { UnjudgedInput } from '../tools.ts';

interface Size {
  readonly text: number;
  readonly passages: number;
}

const SIZES: readonly Size[] = [
  { text: 900, passages: 20 },
  { text: 700, passages: 10 },
  { text: 500, passages: 10 },
  { text: 350, passages: 10 },
  { text: 200, passages: 5 },
  { text: 60, passages: 3 },
];
const MAX_NAME = 200;

interface OpenPassage {
  readonly question: number;
  readonly candidate: Candidate;
  /** Numbers of perspectives, from 1. */
  readonly unjudged: readonly number[];
}

/**
 * @returns JSON
 * @throws ParallaxError like `planRun` and `prepare`
 */
export async function listUnjudged(
  input: UnjudgedInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  const run = await planRun(input, host, workspace, work.signal);
  const prepared = await prepare(run, host, workspace, host.budget(), work);
  const open: OpenPassage[] = [];
  for (const [question, query] of run.queries.entries()) {
    throwIfCancelled(work.signal);
    open.push(...(await openOf(run, question, query, host, workspace, prepared.work)));
  }
  return unjudgedAnswer(run, open, input.from ?? 1);
}

/** Best rank first. */
async function openOf(
  run: Run,
  question: number,
  query: Run['queries'][number],
  host: Pick<AgentHost, 'request'>,
  { judge }: AgentWorkspace,
  work: AgentWork,
): Promise<OpenPassage[]> {
  const { corpus, k } = run;
  const about = { corpus, query: namedQuery(query), perspectives: query.perspectives };
  const best = new Map<number, { readonly candidate: Candidate; readonly rank: number }>();
  for (const { pipeline } of run.pipelines) {
    const { candidates } = await host.request(
      'search',
      { ...about, pipeline: { ...pipeline, k }, depth: k },
      work,
    );
    for (const [rank, candidate] of candidates.slice(0, k).entries())
      if (rank < (best.get(candidate.slot)?.rank ?? Number.POSITIVE_INFINITY))
        best.set(candidate.slot, { candidate, rank });
  }
  const { pairs } = await host.request('judgements', { ...about, judge, slots: [...best.keys()] }, work);
  const judged = new Set(pairs.map(({ slot, perspectiveId }) => `${slot} ${perspectiveId}`));
  return [...best.values()]
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ candidate }) => ({
      question,
      candidate,
      unjudged: query.perspectives.flatMap(({ id }, place) =>
        judged.has(`${candidate.slot} ${id}`) ? [] : [place + 1],
      ),
    }))
    .filter(({ unjudged }) => unjudged.length > 0);
}

/** JSON. @param from the first passage to list, from 1 */
export function unjudgedAnswer(run: Run, open: readonly OpenPassage[], from: number): string {
  const rest = open.slice(from - 1);
  return fitted(SIZES, (size) => {
    const shown = rest.slice(0, size.passages);
    const next = from + shown.length;
    return {
      notice: DATA_NOTICE,
      corpus: run.corpus,
      pipelines: run.pipelines.map(({ name }) => short(name, MAX_NAME)),
      k: run.k,
      pairs: open.reduce((sum, { unjudged }) => sum + unjudged.length, 0),
      passages: open.length,
      questions: [...Map.groupBy(shown, ({ question }) => question)].map(([question, entries]) => ({
        query: short(run.queries[question]!.text, MAX_NAME),
        perspectives: run.queries[question]!.perspectives.map(({ text }) => short(text, MAX_NAME)),
        passages: entries.map(({ candidate, unjudged }) => ({
          ...candidateView(candidate, size.text),
          unjudged,
        })),
      })),
      ...(next <= open.length ? { from: next } : {}),
      next:
        open.length === 0
          ? 'Every pair has a verdict.'
          : 'Read each passage, and give a verdict on each of its unjudged perspectives with label.',
    };
  });
}

/** Answers look_deeper: passages of the whole corpus for each perspective, found by every available retriever. */
import type { Perspective } from '../../../../core/model.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type Pipeline } from '../../../../core/pipeline.ts';
import { placedPerspective } from '../../../../shared/perspective-state.ts';
import type { Probe } from '../../../../shared/requests/passages.ts';
import { DATA_NOTICE, fitted, short } from '../answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from '../host.ts';
import { passageView } from './passage-view.ts';
import { prepare } from '../prepare.ts';
import { namedQuery, planQuestion, type Run } from '../run.ts';
import { placeView, ranked, type Ranked } from './search.ts';
import type { LookDeeperInput } from '../tools.ts';

interface Size {
  readonly text: number;
  /** Listed passages of each perspective. */
  readonly listed: number;
}

const SIZES: readonly Size[] = [
  { text: 900, listed: 6 },
  { text: 700, listed: 4 },
  { text: 500, listed: 3 },
  { text: 350, listed: 3 },
  { text: 300, listed: 2 },
  { text: 120, listed: 1 },
];
const MAX_NAME = 200;

interface DeeperResult {
  readonly perspective: Perspective;
  readonly placed: ReturnType<typeof placedPerspective>;
  readonly probe: Probe | undefined;
}

/**
 * Asks no judge.
 *
 * @returns JSON
 * @throws ParallaxError like `planQuestion` and `prepare`
 */
export async function lookDeeper(
  input: LookDeeperInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  const run = await planQuestion(input, host, workspace, work.signal);
  const question = run.queries[0]!;
  const deeper = deeperRun(run, workspace);
  const { passages: size, work: limited } = await prepare(deeper, host, workspace, host.budget(), work);
  const first = await ranked(run, host, workspace, limited);
  const results: DeeperResult[] = [];
  for (const perspective of question.perspectives) {
    const { known } = await host.request(
      'lookDeeper',
      {
        corpus: run.corpus,
        query: namedQuery(question),
        perspective,
        retrievers: deeper.pipelines.map(({ pipeline }) => pipeline.retriever),
        judge: workspace.judge,
        passages: 0,
      },
      limited,
    );
    const all = { ...known, pairs: [...known.pairs, ...(first.known?.pairs ?? [])] };
    results.push({
      perspective,
      placed: placedPerspective(perspective.id, first.candidates, all, { k: run.k, size }),
      probe: known.probes[0],
    });
  }
  return deeperAnswer(run, first, results);
}

/** The searches: each perspective alone and after the question, with all known retrievers. */
export function deeperRun(run: Run, { config }: AgentWorkspace): Run {
  const question = run.queries[0]!;
  const otherPipelines = Object.entries({ ...BUILT_IN_PIPELINES, ...config.pipelines });
  return {
    ...run,
    pipelines: [
      ...run.pipelines,
      ...otherPipelines.map(([name, pipeline]) => ({
        name,
        pipeline: plainSearch(pipeline),
        origin: undefined,
      })),
    ].slice(0, MAX_RETRIEVERS),
    queries: question.perspectives.flatMap(({ text }) => [question, { ...question, text }]),
  };
}

const MAX_RETRIEVERS = 100;

/** Only the retriever of a pipeline. */
export function plainSearch({ retriever, k, candidates }: Pipeline): Pipeline {
  return parsePipeline({ retriever, k, candidates });
}

/**
 * JSON. Passages in the top k are left out, because search returns them; one that several perspectives share is listed
 * once.
 */
export function deeperAnswer(run: Run, { candidates }: Ranked, results: readonly DeeperResult[]): string {
  const ranks = new Map(candidates.map(({ id }, place) => [id, place + 1]));
  return fitted(SIZES, (size) => {
    const listed = results.map(({ probe }) =>
      (probe?.passages ?? [])
        .filter(({ passageId }) => (ranks.get(passageId) ?? Number.POSITIVE_INFINITY) > run.k)
        .slice(0, size.listed),
    );
    const passages = new Map(listed.flat().map((passage) => [passage.passageId, passage]));
    return {
      notice: DATA_NOTICE,
      corpus: run.corpus,
      pipeline: short(run.pipelines[0]!.name, MAX_NAME),
      query: short(run.queries[0]!.text, MAX_NAME),
      k: run.k,
      perspectives: results.map(({ perspective, placed, probe }, place) => ({
        number: place + 1,
        text: short(perspective.text, MAX_NAME),
        ...placeView(placed.state),
        found: listed[place]!.map(({ passageId, slot }) => ({
          id: passageId,
          judged: placed.verdicts.get(slot) ?? 'unjudged',
        })),
        searches: probe?.searches.length ?? 0,
      })),
      passages: [...passages.values()].map(({ passageId, ...passage }) => ({
        ...passageView({ ...passage, id: passageId }, size.text),
        rankInPipeline: ranks.get(passageId) ?? null,
      })),
      next: 'Read the passages: being found is no support. Give your verdicts with label.',
    };
  });
}

/** Reports where a question's perspectives are lost, and searches for missing ones: `parallax search --perspective`. */
import type { PerspectiveCoverage } from '../../../core/coverage-states.ts';
import type { Perspective } from '../../../core/model.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { placedPerspective } from '../../../shared/perspective-state.ts';
import type { Candidate, Known, Probe } from '../../../shared/requests/passages.ts';
import type { Result } from '../../../shared/rpc.ts';
import type { LocalCorpus } from '../../../cli/local-corpus.ts';
import { describePlace, foundByText } from '../../../cli/presentation/describe-analyses.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import type { Io } from '../../../cli/presentation/terminal.ts';

/** The most passages listed for labelling or reading. */
const LISTED = 10;

export interface LookingDeeper {
  readonly question: string;
  readonly perspectives: readonly Perspective[];
  /** The judge whose answers count. */
  readonly judge: string;
  /** The pipeline that was run, and all others whose retrievers may be used. */
  readonly pipeline: Pipeline;
  readonly otherPipelines: readonly Pipeline[];
  /** The most passages per missing perspective that the judge is asked about. `undefined` for no deeper search. */
  readonly passages: number | undefined;
  /** Whether the judge can be asked. */
  readonly canAsk: boolean;
}

/** A perspective with the place where it is lost, and the results of looking deeper. */
export interface PerspectiveFound {
  readonly perspective: Perspective;
  readonly state: PerspectiveCoverage;
  readonly probe?: Probe | undefined;
  readonly verdicts: ReadonlyMap<number, string>;
  readonly report?: Result<'lookDeeper'>['report'];
}

/**
 * @param candidates of the pipeline's search
 * @throws ParallaxError the errors of the requests
 */
export async function findPerspectives(
  { corpus, engine }: LocalCorpus,
  candidates: readonly Candidate[],
  task: LookingDeeper,
  io: Io,
  signal: AbortSignal,
): Promise<PerspectiveFound[]> {
  const { question, judge, pipeline, otherPipelines } = task;
  const { passages: size } = await engine.request('status', { corpus });
  const query = { text: question };
  const slots = candidates.map(({ slot }) => slot);
  const results: PerspectiveFound[] = [];
  for (const perspective of task.perspectives) {
    const know = (): Promise<Known> =>
      engine.request('judgements', { corpus, judge, query, perspectives: [perspective], slots });
    const stateOf = (known: Known): PerspectiveFound =>
      perspectiveFound(perspective, candidates, known, { k: pipeline.k, size });
    const before = stateOf(await know());
    if (task.passages === undefined || before.state.where === 'covered') {
      results.push(before);
      continue;
    }
    const { report } = await engine.request(
      'lookDeeper',
      {
        corpus,
        query,
        perspective,
        retrievers: [pipeline, ...otherPipelines].slice(0, 100).map(({ retriever }) => retriever),
        judge,
        passages: task.canAsk ? task.passages : 0,
      },
      { signal, onProgress: progressLine(io, 'Looking deeper') },
    );
    results.push({ ...stateOf(await know()), ...(report ? { report } : {}) });
  }
  return results;
}

function perspectiveFound(
  perspective: Perspective,
  candidates: readonly Candidate[],
  known: Known,
  { k, size }: { readonly k: number; readonly size: number },
): PerspectiveFound {
  const placed = placedPerspective(perspective.id, candidates, known, { k, size });
  const [probe] = known.probes;
  return { perspective, ...placed, ...(probe ? { probe } : {}) };
}

/** The text output. */
export function formatPerspective(
  { perspective, state, probe, verdicts }: PerspectiveFound,
  k: number,
): string {
  const head = `\n${perspective.text}\n  ${describePlace(state, k)}\n`;
  if (!probe || state.where === 'covered') return head;
  const listed = probe.passages.filter(({ slot }, place) => place < LISTED || verdicts.get(slot) === 'yes');
  const lines = listed.map(
    ({ slot, passageId, name, ranks }) =>
      `  ${(verdicts.get(slot) ?? 'unjudged').padEnd(8)}  ${name} (${passageId})${foundByText(ranks)}\n`,
  );
  return `${head}${lines.join('')}`;
}

/** The object that `--json` writes. */
export function describePerspective({ perspective, state, probe, verdicts }: PerspectiveFound): object {
  return {
    text: perspective.text,
    state,
    ...(probe
      ? {
          searches: probe.searches,
          found: probe.passages.map(({ slot, passageId, name, ranks }) => ({
            id: passageId,
            name,
            verdict: verdicts.get(slot) ?? 'unjudged',
            ranks,
          })),
        }
      : {}),
  };
}

/** Answers search: the passages that a pipeline finds, their likeness, and the known state of perspectives. */
import { ParallaxError } from '../../../../core/errors.ts';
import { placeMeaning } from '../../../../core/facts.ts';
import type { LikenessView } from '../../../../shared/likeness.ts';
import { placedPerspective } from '../../../../shared/perspective-state.ts';
import type { Result } from '../../../../shared/rpc.ts';
import { DATA_NOTICE, fitted, rounded, short } from '../answer.ts';
import { originOf } from '../evaluate-answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from '../host.ts';
import { candidateView } from './passage-view.ts';
import { prepare } from '../prepare.ts';
import { namedQuery, planQuestion, type Run } from '../run.ts';
import type { SearchInput } from '../tools.ts';

interface Size {
  readonly text: number;
  readonly themes: number;
  readonly notes: number;
}

const SIZES: readonly Size[] = [
  { text: 6_000, themes: 5, notes: 8 },
  { text: 900, themes: 5, notes: 8 },
  { text: 400, themes: 4, notes: 4 },
  { text: 200, themes: 3, notes: 2 },
  { text: 60, themes: 1, notes: 0 },
];
const MAX_NAME = 200;

/**
 * @returns JSON
 * @throws ParallaxError like {@link planQuestion} and {@link prepare}
 */
export async function search(
  input: SearchInput,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  const run = await planQuestion(input, host, workspace, work.signal);
  const { passages, work: limited } = await prepare(run, host, workspace, host.budget(), work);
  const { from = 1 } = input;
  const ranking = await ranked(run, host, workspace, limited);
  const likeness = from === 1 ? await likenessOf(run, ranking, host, limited) : undefined;
  return searchAnswer(run, ranking, { from, likeness, size: passages });
}

export type Ranked = Pick<Result<'search'>, 'candidates' | 'known' | 'notices'>;

/** The candidates of the first pipeline, best first, with the known state of the question's perspectives. */
export function ranked(
  run: Run,
  host: Pick<AgentHost, 'request'>,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<Ranked> {
  const question = run.queries[0]!;
  return host.request(
    'search',
    {
      corpus: run.corpus,
      query: namedQuery(question),
      perspectives: question.perspectives,
      pipeline: { ...run.pipelines[0]!.pipeline, k: run.k },
      judge: workspace.judge,
    },
    work,
  );
}

/** `undefined` if passages cannot be compared, as may be the case for those of a program. */
async function likenessOf(
  run: Run,
  { candidates }: Ranked,
  host: Pick<AgentHost, 'request'>,
  work: AgentWork,
): Promise<LikenessView | undefined> {
  if (candidates.length === 0) return undefined;
  const slots = candidates.map(({ slot }) => slot);
  const { corpus, queries, pipelines, k } = run;
  try {
    return await host.request(
      'likeness',
      {
        corpus,
        question: queries[0]!.text,
        pipeline: pipelines[0]!.pipeline,
        candidates: slots,
        top: slots.slice(0, k),
      },
      work,
    );
  } catch (error) {
    if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
    return undefined;
  }
}

/** JSON. */
export function searchAnswer(
  run: Run,
  { candidates, known, notices }: Ranked,
  about: { readonly from: number; readonly likeness: LikenessView | undefined; readonly size: number },
): string {
  const { corpus, k, queries, pipelines, notes } = run;
  const { text, perspectives } = queries[0]!;
  const { name } = pipelines[0]!;
  const { from, likeness, size: passages } = about;
  const shown = candidates.slice(from - 1, from - 1 + k);
  return fitted(SIZES, (size) => ({
    notice: DATA_NOTICE,
    corpus,
    pipeline: short(name, MAX_NAME),
    ...originOf(run, 0),
    query: short(text, MAX_NAME),
    k,
    candidates: candidates.length,
    passages: shown.map((candidate, place) => ({
      rank: from + place,
      ...candidateView(candidate, size.text),
    })),
    ...(likeness ? { likeness: likenessView(likeness, size) } : {}),
    ...(known && perspectives.length > 0
      ? {
          perspectives: perspectives.map((perspective) => {
            const { state } = placedPerspective(perspective.id, candidates, known, { k, size: passages });
            return { text: short(perspective.text, MAX_NAME), ...placeView(state) };
          }),
        }
      : {}),
    ...([...notices, ...notes].length > 0
      ? { notes: [...notices, ...notes].slice(0, size.notes).map((note) => short(note, 300)) }
      : {}),
  }));
}

export function placeView(state: ReturnType<typeof placedPerspective>['state']): object {
  return {
    where: state.where,
    ...('rank' in state && state.rank !== undefined ? { rank: state.rank } : {}),
    means: placeMeaning(state.where),
  };
}

function likenessView(likeness: LikenessView, { themes: most }: Size): object {
  const { spreads, passages, repeats, similarity, themes } = likeness;
  const unshown = themes.larger.filter(({ top }) => top === 0);
  return {
    documents: {
      ofPassages: passages,
      shown: spreads.documents.top,
      amongCandidates: spreads.documents.candidates,
    },
    ...(similarity === undefined ? {} : { meanCosine: rounded(similarity) }),
    repeats: repeats.map(({ passageId, of }) => ({ id: passageId, of })),
    themes: themes.larger.length,
    themesNotShown: unshown.slice(0, most).map(({ terms, passages: count, nearest }) => ({
      words: terms.slice(0, 6).map((term) => short(term, 40)),
      passages: count,
      nearest: nearest.passageId,
      title: short(nearest.title, MAX_NAME),
    })),
    means: 'Groups of candidates by likeness. No judgement: a theme that is not shown may be worth a look.',
  };
}

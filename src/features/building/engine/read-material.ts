/** Reads the material of drafts, and estimates the effort. */
import * as l10n from '@vscode/l10n';
import { questionRequests } from '../core/effort.ts';
import { distinctQuestions, mostAskedFirst } from '../core/questions.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { seededRandom } from '../../../core/statistics/random.ts';
import type { BuildEffort, MaterialRequest } from '../contract/building.ts';
import type { Material } from './build-drafts.ts';
import type { CorpusPassages } from './corpus-passages.ts';
import type { DraftsFile } from './drafts-file.ts';
import { JUDGED_PER_CONTRAST, JUDGED_PER_PAIR } from './propose.ts';
import { readQuestions } from './read-questions.ts';

export interface ReadMaterial {
  readonly material: Material;
  /** The number of questions read from a file. `undefined` for a corpus. */
  readonly read?: number | undefined;
  /** One message for each line of a file without a question. */
  readonly problems: readonly string[];
}

/** Fixes the drawing order, so that a run that continues finds the stored replies. */
const SEED = 1;
const SHOWN_PROBLEMS = 10;

/**
 * @param corpusOf opens a corpus by its name
 * @throws ParallaxError `bad-file`, and `bad-argument` if contrasting perspectives are requested without a corpus or
 *   a judge
 */
export async function readMaterial(
  request: MaterialRequest,
  judge: string | undefined,
  corpusOf: (name: string) => Promise<CorpusPassages>,
  signal?: AbortSignal,
): Promise<ReadMaterial> {
  if (request.from === 'corpus') {
    const corpus = await corpusOf(request.corpus);
    return { material: { from: 'corpus', corpus, random: seededRandom(SEED) }, problems: [] };
  }
  const { form, filter, limit, corpus } = request;
  const from = request.from === 'log' ? 'log' : 'questions';
  if (form === 'contrast' && (judge === undefined || corpus === undefined))
    throw new ParallaxError(
      'bad-argument',
      l10n.t('Contrasting perspectives with gold passages need a corpus and a judge.'),
    );
  const { asked, problems } =
    request.from === 'asked'
      ? { asked: request.questions.map((text) => ({ text })), problems: [] }
      : await readQuestions(request.file, request.field, signal);
  const distinct = distinctQuestions(asked);
  const questions = from === 'log' ? mostAskedFirst(distinct) : distinct;
  const passages = corpus === undefined ? undefined : await corpusOf(corpus);
  return {
    material: { from, form, filter, limit, questions, corpus: passages },
    read: asked.length,
    problems,
  };
}

/**
 * The effort if every question, and every pair of passages, becomes a draft. Each one that does not costs the same
 * again for its replacement.
 *
 * @param count of drafts to have waiting for a person
 */
export function buildEffort(
  { material, read = 0, problems }: ReadMaterial,
  count: number,
  drafts: Pick<DraftsFile, 'waiting' | 'knows'>,
  hasJudge: boolean,
): Omit<BuildEffort, 'generator' | 'warnings'> {
  const missing = Math.max(0, count - drafts.waiting);
  const lines = { problems: problems.slice(0, SHOWN_PROBLEMS), badLines: problems.length };
  if (material.from === 'corpus')
    return {
      wanted: missing,
      requests: { least: missing, most: missing },
      judgePairs: hasJudge ? missing * JUDGED_PER_PAIR : 0,
      ...lines,
    };
  const open = material.questions.filter(({ text }) => !drafts.knows(text)).length;
  const wanted = Math.min(missing, open);
  const distinct = material.questions.length;
  return {
    wanted,
    requests: questionRequests(wanted, material.form, material.filter),
    judgePairs: material.form === 'contrast' ? wanted * JUDGED_PER_CONTRAST : 0,
    questions: { read, distinct, known: distinct - open },
    ...lines,
  };
}

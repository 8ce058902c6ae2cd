/** Reads the material that drafts are made from, and estimates the effort. */
import * as l10n from '@vscode/l10n';
import { questionRequests } from '../../core/building/effort.ts';
import { distinctQuestions, mostAskedFirst } from '../../core/building/questions.ts';
import { ParallaxError } from '../../core/errors.ts';
import { seededRandom } from '../../core/statistics/random.ts';
import type { BuildEffort, MaterialRequest } from '../../shared/building.ts';
import type { Material } from './build-drafts.ts';
import type { CorpusPassages } from './corpus-passages.ts';
import type { DraftsFile } from './drafts-file.ts';
import { JUDGED_PER_CONTRAST, JUDGED_PER_PAIR } from './propose.ts';
import { readQuestions } from './read-questions.ts';

export interface ReadMaterial {
  readonly material: Material;
  /** Questions read from a file; absent for a corpus. */
  readonly read?: number | undefined;
  /** One sentence for each line of a file that holds no question. */
  readonly problems: readonly string[];
}

/** The same drawing order in every run: who goes on finds the replies that were kept. */
const SEED = 1;
const SHOWN_PROBLEMS = 10;

/**
 * @param corpusOf opens a corpus by its name
 * @throws ParallaxError `bad-file`, and `bad-argument` where contrasting perspectives are asked for without a
 *   corpus or a judge
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
 * The effort where every question, and every pair of passages, becomes a draft; each one that does not costs
 * as much again for its replacement.
 *
 * @param count of drafts that shall wait for a person
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

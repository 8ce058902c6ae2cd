/** Turns one question, or one pair of passages, into a draft with a generator and, optionally, a judge. */
import * as l10n from '@vscode/l10n';
import { contrastPrompt, CONTRAST_PROMPT_VERSION, exclusiveGold } from '../core/contrast.ts';
import { DISAGREEMENT_PROMPT_VERSION, disagreementPrompt, parseDisagreement } from '../core/disagreement.ts';
import { draftId, type Draft, type DraftPassage, type DraftPerspective } from '../core/draft.ts';
import type { PerspectiveForm } from '../core/effort.ts';
import { isNearDuplicate } from '../core/label-set.ts';
import { NEGATION_PROMPT_VERSION, negationPrompt, parseNegation } from '../core/negation.ts';
import { parsePersonal, PERSONAL_PROMPT_VERSION, personalPrompt } from '../core/personal.ts';
import type { DistinctQuestion } from '../core/questions.ts';
import { ParallaxError } from '../../../core/errors.ts';
import {
  GENERATE_PROMPT_VERSION,
  generatePrompt,
  parsePerspectives,
} from '../../../core/judging/generate.ts';
import type { Messages } from '../../../core/judging/prompts/instructions.ts';
import {
  parseSuggested,
  passagesToShow,
  SUGGEST_PASSAGES,
  SUGGEST_PROMPT_VERSION,
  suggestPrompt,
} from '../../../core/judging/suggest.ts';
import { passageName, passageNames } from '../../../core/text/passage-name.ts';
import { parseStances, STANCE_PROMPT_VERSION, stancePrompt } from '../../../core/judging/stance.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import { textHash } from '../../../engine/text-sums.ts';
import type { StoredPassage } from '../../../engine/types.ts';
import type { CorpusPassages, PassagePair } from './corpus-passages.ts';
import type { Generator } from './generator.ts';
import { supportMatrix } from './matrix.ts';
import type { RequestBudget } from './request-budget.ts';

/** Nothing is proposed, for this reason. */
interface LeftOut {
  readonly leftOut: string;
}
export type Proposal = { readonly draft: Draft } | LeftOut;

export interface Proposers {
  readonly generator: Generator;
  /** Judges the passages of a draft. Without one, the generator's answer counts. */
  readonly judge?: Judge | undefined;
  /**
   * The corpus to search for gold passages, needed by `contrast`, and for passages to show when asking for
   * statements.
   */
  readonly corpus?: CorpusPassages | undefined;
  readonly budget: RequestBudget;
  readonly signal: AbortSignal;
  /** The present time in ISO 8601. */
  readonly now: () => string;
}

/** Perspectives to ask for if a question may have several answers and no number is given. */
const ANSWERS = 4;
/** Contrasting perspectives to ask for. Three leave two if one has no gold passage. */
const CONTRASTS = 3;
/** Passages to consider for each contrasting perspective. */
const GOLD_CANDIDATES = 4;
/** The most pairs to ask a judge about, for one pair of passages and for one contrasting question. */
export const JUDGED_PER_PAIR = 4;
export const JUDGED_PER_CONTRAST = CONTRASTS * CONTRASTS * GOLD_CANDIDATES;

/**
 * A question with two perspectives and one supporting passage for each, if the passages disagree. A judge, if there
 * is one, has to agree.
 *
 * @throws ParallaxError as {@link Generator.ask} and {@link supportMatrix}
 */
export async function proposeFromPair([first, second]: PassagePair, proposers: Proposers): Promise<Proposal> {
  const { generator, judge, signal } = proposers;
  const answer = await generator.ask(disagreementPrompt(first.text, second.text), parseDisagreement, signal);
  if (!answer.disagree) return { leftOut: 'The passages do not disagree.' };
  const { question, yes, no, speaksForYes, reason } = answer;
  const passages = speaksForYes === 'first' ? [first, second] : [second, first];
  const perspectives = opposed(yes, no);
  if (judge) {
    const matrix = await supportMatrix(judge, question, passages, [yes, no], proposers);
    const gold = exclusiveGold(matrix);
    if (gold.length < 2 || gold.some(({ passage, perspective }) => passage !== perspective))
      return { leftOut: 'The judge does not find one passage on each side.' };
  }
  const origin = madeBy(proposers, 'corpus', [DISAGREEMENT_PROMPT_VERSION]);
  return {
    draft: {
      ...begun(question),
      perspectives,
      passages: passages.map((passage, place) => proposedPassage(passage, [perspectives[place]!.id])),
      made: { ...origin, ...(reason ? { reason } : {}) },
    },
  };
}

export interface QuestionOptions {
  readonly from: 'questions' | 'log';
  readonly form: PerspectiveForm;
  /** Whether to filter out questions about personal experience first. */
  readonly filter: boolean;
  /** The most perspectives to ask for with `answers` and `stances`. Defaults to 4. */
  readonly limit?: number | undefined;
}

/**
 * A question with perspectives in the requested form, or the same question as filtered out, with the model's reason.
 *
 * @throws ParallaxError as {@link Generator.ask} and {@link supportMatrix}, and `bad-argument` if contrasting
 *   perspectives are requested without a corpus or a judge
 */
export async function proposeFromQuestion(
  { text, line, times }: DistinctQuestion,
  { from, form, filter, limit = ANSWERS }: QuestionOptions,
  proposers: Proposers,
): Promise<Proposal> {
  const { generator, signal } = proposers;
  const where = { ...(line === undefined ? {} : { line }), ...(times > 1 ? { times } : {}) };
  const origin = (prompts: readonly string[]): Draft['made'] => ({
    ...madeBy(proposers, from, filter ? [PERSONAL_PROMPT_VERSION, ...prompts] : prompts),
    ...where,
  });
  if (filter) {
    const { personal, reason } = await generator.ask(personalPrompt(text), parsePersonal, signal);
    if (personal) {
      const because = `Personal experience. ${reason ?? ''}`.trim();
      const filtered = { ...begun(text), review: 'filtered', because } as const;
      return { draft: { ...filtered, perspectives: [], passages: [], made: origin([]) } };
    }
  }
  if (form === 'contrast') return contrasting(text, origin([CONTRAST_PROMPT_VERSION]), proposers);
  const proposed = await proposedPerspectives(text, form, limit, proposers);
  if ('leftOut' in proposed) return proposed;
  const { perspectives, prompts } = proposed;
  return { draft: { ...begun(text), perspectives, passages: [], made: origin(prompts) } };
}

interface ProposedPerspectives {
  readonly perspectives: DraftPerspective[];
  readonly prompts: readonly string[];
}

async function proposedPerspectives(
  question: string,
  form: Exclude<PerspectiveForm, 'contrast'>,
  limit: number,
  { generator, corpus, signal }: Proposers,
): Promise<ProposedPerspectives | LeftOut> {
  if (form === 'negation') {
    const { statements, reason } = await generator.ask(negationPrompt(question), parseNegation, signal);
    if (!statements) return { leftOut: `It cannot be affirmed or denied. ${reason ?? ''}`.trim() };
    return { perspectives: opposed(statements.yes, statements.no), prompts: [NEGATION_PROMPT_VERSION] };
  }
  const answers = corpus
    ? await answersFromPassages(question, limit, corpus, generator, signal)
    : await answersFromQuestion(question, limit, generator, signal);
  const texts = answers.perspectives.map(({ text }) => text);
  if (texts.length < 2) return { leftOut: 'The model names a single perspective.' };
  if (form === 'answers') return answers;
  const stances = await generator.ask(
    stancePrompt(question, texts),
    (answer) => parseStances(answer, texts.length),
    signal,
  );
  return {
    perspectives: answers.perspectives.map((perspective, place) => {
      const stance = stances[place];
      return stance === 'support' || stance === 'oppose' ? { ...perspective, stance } : perspective;
    }),
    prompts: [...answers.prompts, STANCE_PROMPT_VERSION],
  };
}

async function answersFromQuestion(
  question: string,
  limit: number,
  generator: Generator,
  signal: AbortSignal,
): Promise<ProposedPerspectives> {
  const texts = await severalPerspectives(generatePrompt(question, limit), limit, generator, signal);
  return { perspectives: numbered(texts), prompts: [GENERATE_PROMPT_VERSION] };
}

/**
 * Answers that occur in the passages found for the question, each with the names of its passages, and answers that
 * the model misses there. The source of a perspective is no verdict on other passages. If nothing is found, the model
 * sees only the question.
 */
async function answersFromPassages(
  question: string,
  limit: number,
  corpus: CorpusPassages,
  generator: Generator,
  signal: AbortSignal,
): Promise<ProposedPerspectives> {
  const passages: StoredPassage[] = [];
  for (const passage of await corpus.findDiverse(question, SUGGEST_PASSAGES, { signal }))
    if (!isNearDuplicate(passage.text, passages)) passages.push(passage);
  if (passages.length === 0) return answersFromQuestion(question, limit, generator, signal);
  const shown = passagesToShow(passages.map(({ text }) => text));
  const answers = await generator.ask(
    suggestPrompt(question, shown, limit),
    (answer) => parseSuggested(answer, shown.length, limit),
    signal,
  );
  const perspectives = numbered(answers.map(({ text }) => text)).map((perspective, at) => ({
    ...perspective,
    from: [...new Set(passageNames(answers[at]!.passages.map((place) => passages[place]!)))],
  }));
  return { perspectives, prompts: [SUGGEST_PROMPT_VERSION] };
}

/** A root query: perspectives that exclude each other, each with passages that support no other one (PIR, 2.2). */
async function contrasting(question: string, origin: Draft['made'], proposers: Proposers): Promise<Proposal> {
  const { generator, judge, corpus, signal } = proposers;
  if (!judge || !corpus)
    throw new ParallaxError(
      'bad-argument',
      l10n.t('Contrasting perspectives with gold passages need a corpus and a judge.'),
    );
  const texts = await severalPerspectives(contrastPrompt(question, CONTRASTS), CONTRASTS, generator, signal);
  if (texts.length < 2) return { leftOut: 'The model names a single perspective.' };
  const candidates = await goldCandidates(question, texts, corpus, signal);
  const gold = exclusiveGold(await supportMatrix(judge, question, candidates, texts, proposers));
  const covered = texts.flatMap((_, place) =>
    gold.some(({ perspective }) => perspective === place) ? [place] : [],
  );
  if (covered.length < 2)
    return { leftOut: 'Fewer than two perspectives have a passage that supports no other one.' };
  const perspectives = numbered(covered.map((place) => texts[place]!));
  const passages = gold.map(({ passage, perspective }) =>
    proposedPassage(candidates[passage]!, [perspectives[covered.indexOf(perspective)]!.id]),
  );
  return { draft: { ...begun(question), perspectives, passages, made: origin } };
}

/** Found for each perspective in turn, without near-duplicates. */
async function goldCandidates(
  question: string,
  perspectives: readonly string[],
  corpus: CorpusPassages,
  signal: AbortSignal,
): Promise<StoredPassage[]> {
  const candidates: StoredPassage[] = [];
  for (const perspective of perspectives)
    for (const passage of await corpus.find(`${question} ${perspective}`, GOLD_CANDIDATES, { signal }))
      if (passage.text !== '' && !isNearDuplicate(passage.text, candidates)) candidates.push(passage);
  return candidates;
}

async function severalPerspectives(
  prompt: Messages,
  count: number,
  generator: Generator,
  signal: AbortSignal,
): Promise<string[]> {
  const perspectives = await generator.ask(prompt, (answer) => parsePerspectives(answer, count), signal);
  return perspectives.map(({ text }) => text);
}

function opposed(yes: string, no: string): DraftPerspective[] {
  const [supporting, opposing] = numbered([yes, no]);
  return [
    { ...supporting!, stance: 'support' },
    { ...opposing!, stance: 'oppose' },
  ];
}

function numbered(texts: readonly string[]): DraftPerspective[] {
  return texts.map((text, place) => ({ id: `p${place + 1}`, text }));
}

function proposedPassage(passage: StoredPassage, supports: string[]): DraftPassage {
  const { documentId, hash, text } = passage;
  return { document: documentId, name: passageName(passage), hash, text, supports };
}

function begun(question: string): Pick<Draft, 'v' | 'id' | 'review' | 'text'> {
  return { v: 1, id: draftId(question, textHash), review: 'proposed', text: question };
}

function madeBy(
  { generator, judge, now }: Proposers,
  from: Draft['made']['from'],
  prompts: readonly string[],
): Draft['made'] {
  return {
    from,
    prompts,
    model: generator.label,
    ...(judge ? { judge: judge.name } : {}),
    at: now(),
  };
}

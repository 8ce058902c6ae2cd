import * as l10n from '@vscode/l10n';
import { counted } from '../counted.ts';
import type { JudgedBy, Judgement } from '../model.ts';

/** Counts the pairs of a passage in the top k and a perspective behind figures, by judge. */
export class JudgementTally {
  readonly #heuristicJudge: string | undefined;
  readonly #by = new Map<string, JudgedBy>();
  /** All pairs, judged or not. */
  pairs = 0;
  judged = 0;

  /** @param heuristicJudge name of an offline judge whose answers count */
  constructor(heuristicJudge?: string) {
    this.#heuristicJudge = heuristicJudge;
  }

  expect(pairs: number): void {
    this.pairs += pairs;
  }

  count({
    source,
    judge,
    evidenceNotFound,
    ofDocument,
  }: Pick<Judgement, 'source' | 'judge' | 'evidenceNotFound' | 'ofDocument'>): void {
    const name = source === 'human' ? 'people' : judge;
    const key = `${source} ${name}`;
    const heuristic = source === 'lexical' || name === this.#heuristicJudge;
    const before = this.#by.get(key);
    const count = (before?.count ?? 0) + 1;
    const notFound = (before?.evidenceNotFound ?? 0) + (evidenceNotFound ? 1 : 0);
    const ofDocuments = (before?.ofDocuments ?? 0) + (ofDocument ? 1 : 0);
    this.#by.set(key, {
      source,
      judge: name,
      count,
      heuristic,
      ...(notFound > 0 ? { evidenceNotFound: notFound } : {}),
      ...(ofDocuments > 0 ? { ofDocuments } : {}),
    });
    this.judged++;
  }

  /** By decreasing count, then by name. */
  get by(): JudgedBy[] {
    return [...this.#by.values()].sort((a, b) => b.count - a.count || (a.judge < b.judge ? -1 : 1));
  }
}

/** The number of verdicts that are "yes" with a quote that is not in the passage. */
export function evidenceNotFoundIn(by: readonly Pick<JudgedBy, 'evidenceNotFound'>[]): number {
  return by.reduce((sum, { evidenceNotFound = 0 }) => sum + evidenceNotFound, 0);
}

/**
 * The footnote of figures with such verdicts.
 *
 * @returns a sentence; `undefined` if there are none
 */
export function evidenceNotFoundText(verdicts: number): string | undefined {
  if (verdicts === 0) return undefined;
  return counted(
    l10n.t(
      '{0} "yes" [0:verdict quotes|verdicts quote] words that are not in the passage, but [0:counts|count].',
    ),
    verdicts,
  );
}

/** The number of verdicts that are labels of whole documents. */
export function ofDocumentsIn(by: readonly Pick<JudgedBy, 'ofDocuments'>[]): number {
  return by.reduce((sum, { ofDocuments = 0 }) => sum + ofDocuments, 0);
}

/** @returns a sentence; `undefined` if there are none */
export function ofDocumentsText(verdicts: number): string | undefined {
  if (verdicts === 0) return undefined;
  return counted(
    l10n.t(
      '{0} [0:verdict is a label of a whole document: each of its|verdicts are labels of whole documents: each of their] passages counts.',
    ),
    verdicts,
  );
}

/** Sentences on the verdicts behind figures that readers should know besides their number. */
export function footnotesOf(by: readonly Pick<JudgedBy, 'evidenceNotFound' | 'ofDocuments'>[]): string[] {
  return [ofDocumentsText(ofDocumentsIn(by)), evidenceNotFoundText(evidenceNotFoundIn(by))].filter(
    (sentence) => sentence !== undefined,
  );
}

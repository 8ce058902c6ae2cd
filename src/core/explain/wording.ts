/** The sentences about an explanation, the same in panels, on the command line and for agents. */
import * as l10n from '@vscode/l10n';
import type { Arm, Explanation, TermContribution } from './explanation.ts';

/** The first cause, as one sentence or two. */
export function causeText(explanation: Explanation): string {
  const { cause, k, candidates, rank = 0, reason = '' } = explanation;
  switch (cause) {
    case 'retrieved':
      return l10n.t`It is returned: rank ${rank} of ${k}.`;
    case 'not-read':
      return l10n.t`It is not in the index. ${reason}`;
    case 'not-indexed':
      return l10n.t`It is not in the index yet. ${reason}`;
    case 'cut-apart':
      return cutText(explanation);
    case 'filtered':
      return l10n.t('The filter of the store leaves it out.');
    case 'outside-candidates':
      return rank === 0
        ? l10n.t`No search ranks it among the ${candidates} candidates.`
        : l10n.t`It is not among the ${candidates} candidates: its best passage has rank ${rank}.`;
    case 'below-k':
      return l10n.t`It is a candidate, but its best passage has rank ${rank}, and k is ${k}.`;
    case 'moved-down':
      return movedText(explanation);
    case 'duplicate-above':
      return duplicateText(explanation);
    case 'unknown':
      return reason || l10n.t('Why it is missing cannot be told from here.');
  }
}

function cutText({ parts = [], rank }: Explanation): string {
  return rank === undefined
    ? l10n.t`The splitter cuts this text into ${parts.length} passages, and none of them contains all of it.`
    : l10n.t`The splitter cuts this text into ${parts.length} passages, and none of them contains all of it. The best of them has rank ${rank}.`;
}

function movedText({ retrievedRank = 0, rank = 0, reranker }: Explanation): string {
  return reranker === undefined
    ? l10n.t`The retriever ranks it ${retrievedRank}, and reranking moves it to ${rank}.`
    : l10n.t`The retriever ranks it ${retrievedRank}, and ${reranker} moves it to ${rank}.`;
}

function duplicateText({ duplicate, rank = 0 }: Explanation): string {
  return duplicate === undefined
    ? l10n.t`A passage above it says nearly the same. Its own rank is ${rank}.`
    : l10n.t`${duplicate.name} says nearly the same and has rank ${duplicate.rank}. Its own rank is ${rank}.`;
}

/** How one search ranks the document. */
export function armText({ name, rank, score, needed, searched, problem }: Arm): string {
  if (problem !== undefined) return `${name}: ${problem}`;
  const last = needed === undefined ? '' : l10n.t`; the last candidate scores ${needed.toFixed(3)}`;
  return rank === undefined || score === undefined
    ? l10n.t`${name}: not among the ${searched} passages it returns${last}`
    : l10n.t`${name}: rank ${rank} of ${searched}, score ${score.toFixed(3)}${last}`;
}

/** What one word of the question adds to the score. */
export function termText({ word, contribution, frequency, passages, similar }: TermContribution): string {
  if (passages === 0) return l10n.t`“${word}”: not in the corpus`;
  if (frequency > 0) return l10n.t`“${word}”: ${contribution.toFixed(2)}`;
  return similar === undefined
    ? l10n.t`“${word}”: not in the passage`
    : l10n.t`“${word}”: not in the passage; the document has “${similar}”`;
}

/** The smallest change that helps, or that none does; empty if none was looked for. */
export function changeText({ change, tried }: Explanation): string {
  if (change)
    return l10n.t`The smallest change that brings it in: ${change.label} (rank ${change.rank ?? 0}).`;
  if (tried.length === 0) return '';
  return l10n.t`Nothing reasonable brings it in: none of the ${tried.length} changes that were tried does.`;
}

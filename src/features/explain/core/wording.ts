/** Sentences about an explanation, shared by panels, the command line and agents. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import type { Arm, Explanation, ProgramAnswer, ProgramPool, TermContribution } from './explanation.ts';

/** The cause, in one or two sentences. */
export function causeText(explanation: Explanation): string {
  const { cause, k, rank = 0, reason = '', parts } = explanation;
  switch (cause) {
    case 'retrieved':
      if (parts)
        return counted(
          l10n.t(
            'A part of it is returned: rank {0} of {1}. The splitter cuts this text into {2} [2:passage|passages].',
          ),
          rank,
          k,
          parts.length,
        );
      return l10n.t`It is returned: rank ${rank} of ${k}.`;
    case 'not-read':
      return l10n.t`It is not in the index. ${reason}`;
    case 'not-indexed':
      return l10n.t`It is not in the index yet. ${reason}`;
    case 'cut-apart':
      return cutText(explanation);
    case 'filtered':
      return l10n.t`The filter of the store leaves it out: ${explanation.filter ?? ''}`;
    case 'outside-candidates':
      return outsideText(explanation);
    case 'below-k':
      return l10n.t`It is a candidate, but its best passage has rank ${rank}, and k is ${k}.`;
    case 'moved-down':
      return movedText(explanation);
    case 'duplicate-above':
      return duplicateText(explanation);
    case 'unknown':
      return reason || l10n.t('The cause cannot be determined from here.');
  }
}

function cutText({ parts = [], rank }: Explanation): string {
  return rank === undefined
    ? l10n.t`The splitter cuts this text into ${parts.length} passages, and none of them contains all of it.`
    : l10n.t`The splitter cuts this text into ${parts.length} passages, and none of them contains all of it. The best of them has rank ${rank}.`;
}

/** The passages into which a text is cut, each shortened to what is near the cut. */
export function partTexts(parts: readonly { readonly text: string }[]): string[] {
  return parts.map(({ text }, place) => {
    const line = onOneLine(text).trim();
    return place === 0 && line.length > MAX_QUOTED ? `…${line.slice(-MAX_QUOTED).trimStart()}` : cut(line);
  });
}

function outsideText({ candidates, rank, elsewhere, arms, terms }: Explanation): string {
  if (rank !== undefined)
    return counted(
      l10n.t('It is not among the {0} [0:candidate|candidates]: its best passage has rank {1}.'),
      candidates,
      rank,
    );
  const isUnknown = terms.every(({ passages }) => passages === 0);
  if (isUnknown && arms.length > 0 && arms.every(({ searched, problem }) => searched === 0 && !problem))
    return l10n.t('No word of the question is in the corpus. Use other words, or search by meaning.');
  if (!elsewhere)
    return counted(l10n.t('No search ranks it among the {0} [0:candidate|candidates].'), candidates);
  const { name, asked, returned } = elsewhere;
  return lacking(
    counted(
      l10n.t('{0} returns {1} [1:passage|passages] when asked for {2}, and it is not among them.'),
      name,
      returned,
      asked,
    ),
    0,
  );
}

function movedText({ retrievedRank = 0, rank = 0, reranker, alike, relevance }: Explanation): string {
  const moved =
    reranker === undefined
      ? l10n.t`The retriever ranks it ${retrievedRank}, and reranking moves it to ${rank}.`
      : l10n.t`The retriever ranks it ${retrievedRank}, and ${reranker} moves it to ${rank}.`;
  if (alike)
    return l10n.t`${moved} It is most like ${alike.name}, which has rank ${alike.rank} (cosine ${alike.cosine.toFixed(2)}).`;
  if (relevance)
    return l10n.t`${moved} It gives it ${relevance.own.toFixed(3)}, and the last of the first k has ${relevance.needed.toFixed(3)}.`;
  return moved;
}

function duplicateText({ duplicate, rank = 0 }: Explanation): string {
  return duplicate === undefined
    ? l10n.t`A passage above it is nearly the same. Its own rank is ${rank}.`
    : l10n.t`${duplicate.name} says nearly the same and has rank ${duplicate.rank}. Its own rank is ${rank}.`;
}

/** Why a passage of an expected document is not labelled. */
export function expectedText(document: string): string {
  return l10n.t`The eval set expects ${document} here: its passages count, and labels would have no effect.`;
}

/** What a program returned, and what that leaves unknown. */
export function programText({ name, returned, unmatched, rank }: ProgramAnswer): string {
  if (rank !== undefined) return l10n.t`Your program (${name}) returns it: rank ${rank} of ${returned}.`;
  return lacking(
    counted(
      l10n.t(
        'Your program ({1}) returns {0} [0:passage, and it is another one|passages, and it is not among them].',
      ),
      returned,
      name,
    ),
    unmatched,
  );
}

/** {@link programText} for a program that was asked for more passages. */
export function poolText({ asked, returned, unmatched, rank }: ProgramPool): string {
  if (rank !== undefined) return l10n.t`Asked for ${asked}, it returns it at rank ${rank}.`;
  return lacking(
    counted(
      l10n.t(
        'Asked for {1}, it returns {0} [0:passage, and it is another one|passages, and it is not among them].',
      ),
      returned,
      asked,
    ),
    unmatched,
  );
}

function lacking(sentence: string, unmatched: number): string {
  const beyond = l10n.t('Its rank beyond these is unknown.');
  if (unmatched === 0) return `${sentence} ${beyond}`;
  const doubt = counted(
    l10n.t('{0} of them [0:matches|match] no passage of the corpus, so it may be [0:that one|one of these].'),
    unmatched,
  );
  return `${sentence} ${beyond} ${doubt}`;
}

/** How one search ranks the passage. */
export function armText({ name, rank, score, needed, searched, better, nearest, problem }: Arm): string {
  if (problem !== undefined) return `${name}: ${problem}`;
  if (searched === 0) return l10n.t`${name}: returns nothing for this question`;
  const place =
    rank === undefined || score === undefined
      ? l10n.t`${name}: not among the first ${searched}`
      : l10n.t`${name}: rank ${rank}, score ${score.toFixed(3)}`;
  return [
    place,
    ...(needed === undefined ? [] : [l10n.t`the last candidate scores ${needed.toFixed(3)}`]),
    ...(better ? [l10n.t`another passage of the document has rank ${better.rank}`] : []),
    ...(nearest
      ? [l10n.t`its nearest sentence scores ${nearest.score.toFixed(3)}: “${cut(onOneLine(nearest.text))}”`]
      : []),
  ].join('; ');
}

/** Longer sentences are cut, in characters. */
const MAX_QUOTED = 160;

const onOneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ');

const cut = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).trimEnd()}…` : text;

/** What the words of the question add to the score: the passage's words first, then the rarest that it lacks. */
export function termLines(terms: readonly TermContribution[]): string[] {
  const matches = terms.filter(({ frequency }) => frequency > 0);
  const lacking = terms.filter(({ frequency }) => frequency === 0);
  const absent = lacking.filter(({ passages }) => passages === 0);
  const elsewhere = lacking.filter(({ passages }) => passages > 0).toSorted((a, b) => b.idf - a.idf);
  return [
    ...matches
      .toSorted((a, b) => b.contribution - a.contribution)
      .map(({ word, contribution, frequency, idf }) =>
        counted(
          l10n.t('“{1}”: {2} ([0:once|{0} times], idf {3})'),
          frequency,
          word,
          contribution.toFixed(2),
          idf.toFixed(2),
        ),
      ),
    ...(elsewhere.length === 0 ? [] : [l10n.t`Not in the passage: ${listed(elsewhere)}`]),
    ...(absent.length === 0 ? [] : [l10n.t`Not in the corpus: ${listed(absent)}`]),
  ];
}

function listed(terms: readonly TermContribution[]): string {
  return terms
    .map(({ word, similar }) =>
      similar === undefined
        ? `“${word}”`
        : similar === word
          ? l10n.t`“${word}” (in another passage of the document)`
          : l10n.t`“${word}” (the document has “${similar}”)`,
    )
    .join(', ');
}

/** The rank of another passage of the document. */
export function otherRankText({
  rank,
  ranked,
}: {
  readonly rank?: number | undefined;
  readonly ranked: number;
}): string {
  return rank === undefined ? l10n.t`beyond rank ${ranked}` : l10n.t`rank ${rank}`;
}

/** The pipeline of the smallest change, which can be measured; none if the corpus has to be split otherwise. */
export function changedPipeline({ change }: Explanation): Pipeline | undefined {
  return change?.split ? undefined : change?.pipeline;
}

/** The smallest change that helps, or that none does; empty if none was looked for. */
export function changeText({ change, tried, splitters }: Explanation): string {
  if (change?.passages)
    return l10n.t`The smallest change that brings it in: ${change.label} (rank ${change.rank ?? 0}). It needs the corpus indexed again: ${change.passages.before} passages become ${change.passages.after}.`;
  if (change)
    return l10n.t`The smallest change that brings it in: ${change.label} (rank ${change.rank ?? 0}).`;
  const none =
    tried.length === 0
      ? []
      : [l10n.t`No change of those tried brings it in: none of the ${tried.length} works.`];
  const unsplit =
    splitters === 'untried'
      ? [l10n.t('Another splitter may help. Trying one indexes a copy of the corpus.')]
      : splitters === 'too-many'
        ? [
            l10n.t(
              'Other splitters are not tried on so large a corpus: indexing it for each would take too long.',
            ),
          ]
        : [];
  return [...none, ...unsplit].join(' ');
}

/** Ranks by vectors are provisional while passages are still being embedded. Empty otherwise. */
export function provisionalText({ embedded }: Pick<Explanation, 'embedded'>): string {
  if (!embedded) return '';
  return counted(
    l10n.t(
      'The rank is provisional: {0} of {1} [1:passage is|passages are] read for search by meaning so far.',
    ),
    embedded.done,
    embedded.of,
  );
}

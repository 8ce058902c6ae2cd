/** The texts of the panel of a run. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../src/core/counted.ts';
import type { AskedAgainPicture, RunSearch } from '../../src/features/capture/contract/run-picture.ts';
import { number, percent } from '../components/words.ts';
import type { Picture } from './draft.ts';

type Order = AskedAgainPicture['whatIfs'][number]['order'];

const oneDigit = (value: number): string => number.format(Math.round(value * 10) / 10);

export const strings = {
  title: () => l10n.t('What the Run Covered'),
  nothingTitle: () => l10n.t('No run was chosen'),
  nothing: () =>
    l10n.t(
      'A run is the searches of one trace, or of one request that a program served. Open one from the view “Captured”.',
    ),
  summary: ({ searches, passages }: Picture) =>
    counted(
      l10n.t('{0} [0:search|searches], {1} different [1:passage|passages].'),
      searches.length,
      passages,
    ),
  judged: ({ judgedPairs, pairs }: Picture) =>
    l10n.t`${percent.format(pairs === 0 ? 0 : judgedPairs / pairs)} of the pairs are judged; only these count.`,
  inspect: () => l10n.t('Open in the Side Panel'),
  noPerspectives: () =>
    l10n.t(
      'This question has no perspectives yet. Open it in the side panel, and say what an answer must cover.',
    ),
  lanes: () => l10n.t('Step by step'),
  lanesNote: () =>
    l10n.t(
      'A cell lights at the first search that supports the perspective. Choose a search to see its passages.',
    ),
  perspective: () => l10n.t('Perspective'),
  search: (place: number) => l10n.t`Search ${place}`,
  first: () => l10n.t('first supported here'),
  again: () => l10n.t('supported again'),
  before: () => l10n.t('supported before'),
  notYet: () => l10n.t('not supported so far'),
  covered: () => l10n.t('Perspectives after it'),
  gain: () => l10n.t('New per 1,000 tokens'),
  gainHint: () => l10n.t('At four characters a token'),
  gainOf: ({ gainPerThousandTokens }: RunSearch) =>
    gainPerThousandTokens === undefined ? '–' : oneDigit(gainPerThousandTokens),
  passages: () => l10n.t('Passages'),
  seen: () => l10n.t('Seen before'),
  nearlySeen: () => l10n.t('Nearly the same'),
  nearlyHint: () => l10n.t('Another passage with nearly the text of one that an earlier search returned'),
  shareOf: (part: number, { passages }: RunSearch) =>
    passages.length === 0 ? '–' : percent.format(part / passages.length),
  countOf: (part: number, whole: number) => l10n.t`${number.format(part)} of ${number.format(whole)}`,
  passagesOf: (place: number, query: string) => l10n.t`Search ${place}: ${query}`,
  foreign: () => l10n.t('no such passage in the index'),
  foundNothing: () => l10n.t('This search returned nothing.'),
  lost: () => l10n.t('Never reached'),
  lostNote: ({ never, perspectives }: Picture) =>
    counted(
      l10n.t('{0} of {1} [1:perspective|perspectives], as far as it is judged'),
      never.length,
      perspectives.length,
    ),
  none: () => l10n.t('Every perspective was reached.'),
  after: (count: number) => counted(l10n.t('The last {0} [0:search|searches] added no perspective.'), count),
  retriever: () => l10n.t('Ask again with'),
  askAgain: () => l10n.t('Ask the Queries Again'),
  askAgainHint: () =>
    l10n.t(
      'Asks each query of the run with the retriever of a pipeline, which stands in for that of the program: could a larger k have reached them, and what would other orders have covered? No judge is asked.',
    ),
  askedAgain: () => l10n.t('The queries were asked again.'),
  reached: (place: number, rank: number) =>
    l10n.t`Search ${place} finds it at rank ${number.format(rank)}, with a larger k:`,
  unreached: (known: number, depth: number) =>
    counted(
      l10n.t(
        '{0} [0:passage of the corpus is|passages of the corpus are] labelled as supporting it; no question finds one among the first {1}.',
      ),
      known,
      depth,
    ),
  unknown: () => l10n.t('No passage of the corpus is known to support it.'),
  whatIfs: () => l10n.t('With another order'),
  whatIfsNote: ({ retriever }: AskedAgainPicture) =>
    l10n.t`Perspectives after each search, each with as many passages as it returned, by ${retriever}`,
  ran: () => l10n.t('as the program ran'),
  orders: (order: Order) =>
    ({
      retrieved: l10n.t('as retrieved'),
      mmr: l10n.t('MMR'),
      covering: l10n.t('what covers more first, by the labels'),
    })[order],
  leavingOut: (order: string) => l10n.t`${order}, without passages seen before`,
  change: () => l10n.t('Order'),
  judgedShare: () => l10n.t('Judged'),
  judgedOf: (judgedPairs: number, pairs: number) => (pairs === 0 ? '–' : percent.format(judgedPairs / pairs)),
  supports: (letters: string) => l10n.t`supports ${letters}`,
};

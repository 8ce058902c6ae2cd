/** The texts around a missing document; those about its cause are in `src/features/explain/core/wording.ts`. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../src/core/counted.ts';

export const missingStrings = {
  heading: () => l10n.t('Where is…'),
  label: () => l10n.t('A document that is not in the list'),
  placeholder: () => l10n.t('Path, title, or a sentence from it'),
  find: () => l10n.t('Find It'),
  offers: () => l10n.t('Documents with this in their title or path'),
  why: () => l10n.t('Why?'),
  whyRank: (rank: number) => l10n.t`Why is this passage at rank ${rank}?`,
  whyLost: (letter: string) => l10n.t`Why is the passage that supports ${letter} not among them?`,
  close: () => l10n.t('Close'),
  askProgram: () => l10n.t('Ask Your Program for More'),
  tryChange: () => l10n.t('Try This Change'),
  trySplitters: () => l10n.t('Try Other Splitters'),
  others: (count: number) => counted(l10n.t('{0} other [0:passage|passages] of the document'), count),
  askAbout: (name: string) => l10n.t`Ask about ${name}`,
  compare: () => l10n.t('Compare'),
  everyK: () => l10n.t('Show at Every k'),
  save: () => l10n.t('Add to parallax.json'),
  expect: () => l10n.t('Make It a Test'),
  handOver: () => l10n.t({ message: 'Hand to an Agent', comment: 'A button: a verb' }),
  handOverLost: (letter: string) =>
    l10n.t`Hand the lost perspective ${letter} to an agent, with a prompt to read first`,
  evidence: () => l10n.t('How it ranks'),
  words: () => l10n.t('What each word of the question adds to its score:'),
  inDocuments: (count: number) =>
    counted(l10n.t('The text is in {0} [0:document|documents]; the best of them counts.'), count),
  lengths: (passage: number, mean: number) =>
    l10n.t`The passage has ${passage} words that count; the mean is ${mean}.`,
};

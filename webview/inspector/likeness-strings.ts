/** The texts about the likeness of passages. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import { HASHED_WORDS, MEANING } from '../../src/core/embedding/built-in.ts';
import { SAME_TEXT } from '../../src/core/external/match.ts';
import type { LikenessView, ThemeView } from '../../src/shared/likeness.ts';
import { decimals } from '../components/figures.ts';
import { counted } from '../../src/core/counted.ts';
import { percent } from '../components/words.ts';

type FieldView = LikenessView['fields'][number];

const tenths = decimals(1);

function comparedBy(embedder: string): string {
  if (embedder === MEANING) return l10n.t('Compared by meaning.');
  return embedder === HASHED_WORDS
    ? l10n.t('Compared by spelling only.')
    : l10n.t`Compared by the vectors of “${embedder}”.`;
}

export const likenessStrings = {
  heading: () => l10n.t('What these passages are like'),
  note: () => l10n.t('no judge needed'),
  problem: (reason: string) => l10n.t`The passages could not be compared: ${reason}`,

  documents: ({ spreads: { documents } }: LikenessView) =>
    counted(l10n.t('From {0} [0:document|documents]'), documents.top),
  documentsNote: ({ spreads: { documents }, candidates }: LikenessView) =>
    counted(
      l10n.t('The {0} [0:candidate comes|candidates come] from {1}.'),
      candidates,
      documents.candidates,
    ),
  folders: ({ spreads: { folders } }: LikenessView) =>
    counted(l10n.t('From {0} [0:folder|folders]'), folders.top),
  foldersNote: ({ spreads: { folders } }: LikenessView) =>
    counted(l10n.t('The candidates come from {0} [0:folder|folders].'), folders.candidates),

  sections: ({ spreads: { sections } }: LikenessView) =>
    counted(l10n.t('From {0} [0:section|sections]'), sections.top),
  sectionsNote: ({ spreads: { sections } }: LikenessView) => {
    const note = counted(l10n.t('The candidates come from {0} [0:section|sections].'), sections.candidates);
    return sections.without === 0
      ? note
      : `${note} ${counted(l10n.t('{0} [0:passage is|passages are] in no section.'), sections.without)}`;
  },

  field: ({ name, top }: FieldView) =>
    top === 0
      ? l10n.t`No passage has “${name}”`
      : counted(l10n.t('{0} [0:value|values] of “{1}”'), top, name),
  fieldNote: ({ top, candidates, without }: FieldView, { spreads: { documents } }: LikenessView) => {
    if (candidates === 0) return l10n.t('No document of the candidates has this field.');
    const note =
      candidates > 1 && candidates === documents.candidates
        ? counted(l10n.t('The candidates have {0}, one for each document.'), candidates)
        : counted(l10n.t('The candidates have {0} [0:value|values].'), candidates);
    return without === 0 || top === 0
      ? note
      : `${note} ${counted(l10n.t('{0} [0:passage has|passages have] none.'), without)}`;
  },
  moreFields: (names: readonly string[]) =>
    l10n.t`The documents of this corpus also have: ${names.join(', ')}.`,
  chooseFields: () => l10n.t('Choose Fields…'),
  chooseFieldsHint: () =>
    l10n.t('Which fields are counted. The choice is written to “fields” of the corpus in parallax.json.'),

  repeats: (n: number) =>
    n === 0
      ? l10n.t('No passage repeats another')
      : counted(l10n.t('{0} [0:passage repeats|passages repeat] one above'), n),
  repeatsNote: () => l10n.t('A passage with nearly the same text takes a place without adding anything.'),
  noRepeatsNote: () =>
    l10n.t`A passage repeats another if they share ${percent.format(SAME_TEXT)} of their three-word sequences.`,
  repeatOf: (rank: number) => l10n.t`Nearly the same text as ${rank}`,
  foldRepeats: () => l10n.t('Fold Repeats'),
  showRepeats: () => l10n.t('Show Repeats'),

  variety: ({ vendi, passages }: LikenessView) =>
    l10n.t`Variety: Vendi score ${tenths(vendi)} of ${passages}`,
  varietyNote: ({ passages, embedder }: LikenessView) =>
    `${l10n.t`1 if all say the same, ${passages} if they have nothing in common.`} ${comparedBy(embedder)}`,

  themes: (inTop: number, all: number) =>
    counted(l10n.t('{1} of {0} [0:theme|themes] in these passages'), all, inTop),
  themesNote: ({ candidates }: LikenessView) =>
    counted(
      l10n.t(
        'Groups of similar passages among the first {0} [0:candidate|candidates], with the words that set them apart. They are not perspectives, and some may have nothing to do with the question.',
      ),
      candidates,
    ),
  themeShare: ({ top, passages }: ThemeView) =>
    top === 0 ? l10n.t`none of ${passages}` : l10n.t`${top} of ${passages}`,
  themeHint: ({ nearest }: ThemeView) => l10n.t`Open the most typical passage: ${nearest.title}`,
  rest: ({ passages, top }: { readonly passages: number; readonly top: number }) =>
    counted(
      top === 0
        ? l10n.t('{0} more [0:candidate belongs|candidates belong] to no theme.')
        : l10n.t(
            '{0} more [0:candidate belongs|candidates belong] to no theme; {1} of them [1:is|are] shown.',
          ),
      passages,
      top,
    ),
};

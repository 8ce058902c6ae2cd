/** Every word that the map shows or says. Functions, so that the language is known before they are asked. */
import * as l10n from '@vscode/l10n';
import { counted, listed } from '../components/language.ts';
import { percent } from '../components/words.ts';

/** The embedder that is built in. */
const HASHED_WORDS = 'hashing';

export const strings = {
  title: () => l10n.t('Map of the Candidates'),
  nothingAsked: () => l10n.t('Nothing was asked yet'),
  askFirst: () =>
    l10n.t('Ask a question in the side panel. Its candidates are drawn here: what is alike stands together.'),
  working: () => l10n.t('Drawing…'),
  drawn: (n: number) => counted(l10n.t('{0} [0:passage|passages] drawn'), n),
  hint: (explained: number, embedder: string) => {
    const share = percent.format(explained);
    return embedder === HASHED_WORDS
      ? l10n.t`Nearness on a map is only a hint: it shows ${share} of the differences between these passages, by hashed words, so by shared words and not by meaning.`
      : l10n.t`Nearness on a map is only a hint: it shows ${share} of the differences between these passages, by the vectors of “${embedder}”.`;
  },
  described: (passages: number, themes: number) =>
    l10n.t`${passages} passages in ${themes} themes as points, the same as in the list`,
  outlines: () => l10n.t('Outlined'),
  top: (name: string, k: number) => l10n.t`first ${k} of ${name}`,
  outlineNote: () =>
    l10n.t(
      'An outline may go around passages that are not among them; those that are have a ring of the same kind.',
    ),
  also: () => l10n.t('Also outline'),
  notAsked: (name: string, problem: string) => l10n.t`${name} could not be asked: ${problem}`,
  question: () => l10n.t('the question'),
  perspective: (letter: string) => l10n.t`perspective ${letter}`,
  supporting: () => l10n.t('supports a perspective'),
  judgedNo: () => l10n.t('judged, supports none'),
  unjudged: () => l10n.t('unjudged'),
  legend: () => l10n.t('What the signs mean'),
  rank: (rank: number) => l10n.t`rank ${rank}`,
  beyond: () => l10n.t('not among the candidates'),
  supports: (letters: readonly string[]) => l10n.t`supports ${listed(letters)}`,
  open: (title: string) => l10n.t`Open ${title}`,
  pointAt: () => l10n.t('Point at a passage, or go through the list.'),
  list: () => l10n.t('Passages by theme'),
  theme: (terms: readonly string[], shown: number, all: number) =>
    l10n.t`${terms.join(' · ')}, ${shown} of ${all} in the first ranks`,
  rest: () => l10n.t('In no larger theme'),
  saveSvg: () => l10n.t('Save as SVG'),
  pictureName: () => l10n.t('map of the candidates'),
};

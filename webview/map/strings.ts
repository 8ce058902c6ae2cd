/** The texts of the map. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../src/core/counted.ts';
import { listed } from '../components/language.ts';
import { HASHED_WORDS } from '../../src/core/embedding/built-in.ts';
import type { Verdict } from '../../src/core/model.ts';
import { percent } from '../components/words.ts';
import type { DrawnMap } from './draft.ts';

export const strings = {
  title: () => l10n.t('Map of the Candidates'),
  nothingAsked: () => l10n.t('Nothing was asked yet'),
  askFirst: () =>
    l10n.t('Ask a question in the side panel. Its candidates are drawn here, similar ones together.'),
  working: () => l10n.t('Drawing…'),
  stop: () => l10n.t('Stop'),
  stopped: () => l10n.t('The map was not drawn.'),
  draw: () => l10n.t('Draw the Map'),
  sample: () => l10n.t('Other passages'),
  samples: (size: number) =>
    size === 0 ? l10n.t('none') : counted(l10n.t('up to {0} [0:passage|passages]'), size),
  sampled: ({ sample: { slots, corpus } }: DrawnMap) =>
    counted(
      l10n.t('Small points: {0} other [0:passage|passages], drawn at random from {1} in the corpus.'),
      slots.length,
      corpus,
    ),
  zoomIn: () => l10n.t('Zoom In'),
  zoomOut: () => l10n.t('Zoom Out'),
  fit: () => l10n.t('Show All'),
  encircle: () => l10n.t('Encircle'),
  encircleHint: () => l10n.t('Draw a line around passages to list them; or hold Shift while dragging'),
  moving: () => l10n.t('Drag to move, Ctrl + wheel to zoom.'),
  drawn: (n: number) => counted(l10n.t('{0} [0:passage|passages] drawn'), n),
  hint: ({ explained, likeness: { embedder } }: DrawnMap) => {
    const by =
      embedder === HASHED_WORDS
        ? l10n.t(
            'By hashed words: passages that share words or parts of words are alike, whatever they mean.',
          )
        : l10n.t`By the vectors of “${embedder}”.`;
    const only = l10n.t`Nearness on a map is only a hint: it shows ${percent.format(explained)} of the differences between the candidates.`;
    return `${only} ${by}`;
  },
  described: (passages: number, themes: number) =>
    l10n.t`${passages} passages in ${themes} themes as points, the same as in the list`,
  outlines: () => l10n.t('Outlined'),
  top: (name: string, k: number) => l10n.t`first ${k} of ${name}`,
  outlineNote: () =>
    l10n.t(
      'An outline may enclose other passages, too. The passages that belong to it have a matching ring.',
    ),
  also: () => l10n.t('Also outline'),
  notAsked: (name: string, problem: string) => l10n.t`${name} could not be asked: ${problem}`,
  question: () => l10n.t('the question'),
  projection: () => l10n.t('the question without a perspective (projection)'),
  other: () => l10n.t('another passage of the corpus'),
  supporting: () => l10n.t('supports a perspective'),
  judgedNo: () => l10n.t('judged, supports none'),
  unjudged: () => l10n.t('unjudged'),
  legend: () => l10n.t('What the signs mean'),
  rank: (rank: number) => l10n.t`rank ${rank}`,
  supports: (letters: readonly string[]) => l10n.t`supports ${listed(letters)}`,
  open: (title: string) => l10n.t`Open ${title}`,
  pointAt: () => l10n.t('Point at a passage, or go through the list.'),
  reading: () => l10n.t('Reading the passage…'),
  choose: () => l10n.t('List'),
  chooseHint: (name: string) => l10n.t`List the passages of “${name}” to label them`,
  chosen: (n: number) => counted(l10n.t('{0} [0:passage|passages] encircled'), n),
  chosenSaid: (n: number) => counted(l10n.t('{0} [0:passage|passages] encircled, listed beside the map'), n),
  listed: (shown: number, all: number) =>
    l10n.t`The first ${shown} of ${all} are listed. Encircle fewer to see all.`,
  clear: () => l10n.t('Clear'),
  labelFor: () => l10n.t('Label for'),
  labelled: (verdict: string, title: string) => l10n.t`${verdict}: ${title}`,
  noPerspectives: () =>
    l10n.t('The question has no perspectives yet. Add what these passages say, and label them.'),
  newPerspective: () => l10n.t('New perspective'),
  newPlaceholder: () => l10n.t('What do these passages say?'),
  addPerspective: () => l10n.t('Add Perspective'),
  verdicts: (title: string) => l10n.t`Your verdict on ${title}`,
  verdict: (verdict: Verdict) =>
    ({
      yes: l10n.t({ message: 'Yes', comment: 'The passage supports the perspective' }),
      no: l10n.t({ message: 'No', comment: 'The passage does not support the perspective' }),
      unsure: l10n.t('Unsure'),
    })[verdict],
  verdictKey: (verdict: string, key: string) => l10n.t`${verdict} (key ${key})`,
  list: () => l10n.t('Passages by theme'),
  theme: (terms: readonly string[], shown: number, all: number) =>
    l10n.t`${terms.join(' · ')}, ${shown} of ${all} in the first ranks`,
  rest: () => l10n.t('In no larger theme'),
  save: () => l10n.t('Save the picture'),
  saveAs: (format: string) => l10n.t`Save as ${format}`,
  pictureName: () => l10n.t('map of the candidates'),
};

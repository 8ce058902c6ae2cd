/** The texts of the review of drafts. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import type { DraftsState, DraftView } from '../../src/features/building/contract/panel.ts';
import { counted } from '../../src/core/counted.ts';

type Review = DraftView['review'];
type Stance = NonNullable<DraftView['perspectives'][number]['stance']>;

/** The same in every language, because the buttons show them. */
export const KEYS = { accept: 'A', edit: 'E', reject: 'R', reason: 'W', skip: 'S', undo: 'Z' } as const;

const withKey = (label: string, key: string): string => l10n.t`${label} (${key})`;

export const strings = {
  title: () => l10n.t('Review Drafts'),
  none: () => l10n.t('No drafts wait for you'),
  noneHint: () =>
    l10n.t(
      'Drafts are questions with perspectives that a model proposes for an eval set. None counts before you accept it.',
    ),
  left: (waiting: number) => counted(l10n.t('{0} [0:draft waits|drafts wait] for you'), waiting),
  tally: (of: Readonly<Record<Review, number>>) =>
    [
      counted(l10n.t('{0} accepted'), of.accepted),
      counted(l10n.t('{0} rejected'), of.rejected),
      ...(of.filtered > 0 ? [counted(l10n.t('{0} left out as personal'), of.filtered)] : []),
    ].join(' · '),
  unreadable: (lines: number) => counted(l10n.t('{0} [0:line is|lines are] no draft'), lines),
  openFile: () => l10n.t('Open the file'),
  addAccepted: () => l10n.t('Add Accepted Drafts to Eval Set…'),
  done: () => l10n.t('Every draft is reviewed.'),
  next: (waiting: number, question: DraftsState['drafts'][number]['text'] | undefined) => {
    const left = strings.left(waiting);
    return question === undefined ? left : l10n.t`${left}. ${question}`;
  },

  draft: () => l10n.t('Draft'),
  accept: () => withKey(l10n.t('Accept'), KEYS.accept),
  edit: () => withKey(l10n.t({ message: 'Edit', comment: 'A button: a verb' }), KEYS.edit),
  reject: () => withKey(l10n.t('Reject'), KEYS.reject),
  rejectWithReason: () => withKey(l10n.t('Reject, and Say Why…'), KEYS.reason),
  skip: () => withKey(l10n.t('Later'), KEYS.skip),
  undo: () => withKey(l10n.t('Undo'), KEYS.undo),
  review: (review: Review) =>
    ({
      proposed: l10n.t('waits'),
      accepted: l10n.t('accepted'),
      rejected: l10n.t('rejected'),
      filtered: l10n.t('left out as personal'),
    })[review],
  because: (review: string, because: string) => l10n.t`${review}: ${because}`,
  stance: (stance: Stance) => (stance === 'support' ? l10n.t('supports') : l10n.t('opposes')),
  proposedBy: (model: string) => l10n.t`Proposed by ${model}`,
  withReason: (proposed: string, reason: string) => l10n.t`${proposed}: ${reason}`,
  noPerspectives: () => l10n.t('It has no perspectives yet. Edit it before you accept it.'),
  from: (names: readonly string[]) =>
    names.length === 0
      ? l10n.t('Expected by the model, but not found in the passages it saw')
      : l10n.t`From ${names.join(', ')}`,
  noPassage: () => l10n.t('No passage is behind it.'),
  supportsNone: () => l10n.t('Passages that support none of them'),
  all: () => l10n.t('All drafts'),

  question: () => l10n.t('Question'),
  perspective: (number: number) => l10n.t`Perspective ${number}`,
  removePerspective: (number: number) => l10n.t`Remove perspective ${number}`,
  addPerspective: () => l10n.t('Add Perspective'),
  save: () => l10n.t('Save'),
  cancel: () => l10n.t('Cancel'),
};

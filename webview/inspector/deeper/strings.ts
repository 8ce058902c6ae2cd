/** The texts about looking deeper for a perspective, and about perspectives that a model proposes. */
import * as l10n from '@vscode/l10n';
import type { DeeperPassage } from '../../../src/features/inspector/contract/panel.ts';
import { counted } from '../../../src/core/counted.ts';

type Rank = DeeperPassage['ranks'][number];

export const deeperStrings = {
  button: () => l10n.t({ message: 'Look Deeper', comment: 'A button: a verb' }),
  buttonHint: (letter: string, judge: string | undefined, passages: number) => {
    const search = l10n.t`Search the whole corpus for ${letter} with every retriever that is ready.`;
    const then =
      judge === undefined
        ? l10n.t('You label what it finds.')
        : counted(
            l10n.t('{1} is asked until a passage supports it, about {0} [0:passage|passages] at most.'),
            passages,
            judge,
          );
    return `${search} ${then}`;
  },
  heading: (judged: number, passages: number) =>
    counted(l10n.t('Looked deeper: {0} of {1} [1:passage|passages] judged'), judged, passages),
  alsoSupporting: (n: number) =>
    n === 0 ? undefined : counted(l10n.t('{0} more [0:supports|support] it.'), n),
  leftOpen: (n: number) => (n === 0 ? undefined : counted(l10n.t('{0} more [0:is|are] unjudged.'), n)),
  unsure: (n: number) => (n === 0 ? undefined : counted(l10n.t('{0} more [0:is|are] unsure.'), n)),
  refused: (n: number) => (n === 0 ? undefined : counted(l10n.t('{0} [0:does|do] not support it.'), n)),
  outside: (candidates: number) => counted(l10n.t('not among the {0} [0:candidate|candidates]'), candidates),
  candidate: (rank: number) => l10n.t`rank ${rank} for the question`,
  foundBy: ({ retriever, asked, rank }: Rank) =>
    asked === 'perspective'
      ? l10n.t`rank ${rank} for the perspective (${retriever})`
      : l10n.t`rank ${rank} for the question with the perspective (${retriever})`,
  open: (title: string) => l10n.t`Open ${title}`,
  verdict: (verdict: DeeperPassage['verdict']) =>
    ({
      yes: l10n.t('supports it'),
      no: l10n.t('does not support it'),
      unsure: l10n.t('unsure'),
      unjudged: l10n.t('unjudged'),
    })[verdict],
  label: (title: string, verdict: string) => l10n.t`${verdict}: ${title}`,
  proposedBy: (by: string, from: 'passages' | 'question') =>
    from === 'question'
      ? l10n.t`Proposed by ${by} from the question alone. Nothing is judged until you accept it.`
      : l10n.t`Proposed by ${by} from the question and passages found for it. Nothing is judged until you accept it.`,
  moreFoundIn: (n: number) => counted(l10n.t('and {0} more [0:passage|passages]'), n),
  foundIn: () => l10n.t('From:'),
  expected: () => l10n.t('Expected, but not in the passages that the model saw'),
  nothingFound: () => l10n.t('No search found anything for it.'),
};

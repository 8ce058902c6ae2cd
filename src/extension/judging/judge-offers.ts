/**
 * Judges as the panels offer them: first who answers, then how sure the answer must be. Debates, filters and `lara` are
 * ways to ask a judge, so they are listed under the judge that they ask. Pure.
 */
import * as l10n from '@vscode/l10n';
import { judgeTypeOf, type JudgeConfig } from '../../shared/judge-config.ts';
import { askedBy } from '../../shared/named-judges.ts';
import type { JudgeOffer } from '../../shared/panels/judge-offer.ts';
import type { JudgeChoice } from './judge-choice.ts';

/** People first, then models, then those that need no network. */
const ORDER = ['people', 'model', 'offline'] as const;
type Who = (typeof ORDER)[number];

/**
 * @param choices every judge that can be chosen
 * @returns an offer for each, grouped by who answers; judges that answer themselves come first in each group
 */
export function judgeOffers(choices: readonly JudgeChoice[]): readonly JudgeOffer[] {
  const known = new Map(choices.map((choice) => [choice.name, choice]));
  const offers = choices.map((choice) => {
    const last = lastJudge(choice, known);
    return {
      who: whoOf(last),
      offer: {
        name: choice.name,
        label: offerLabel(choice, whoOf(choice)),
        short: choice.label,
        restsOn: last.name,
        sureness: surenessOf(choice.config, known),
      },
      isBase: last === choice,
    };
  });
  return offers
    .toSorted((a, b) => ORDER.indexOf(a.who) - ORDER.indexOf(b.who) || Number(b.isBase) - Number(a.isBase))
    .map(({ offer }) => offer);
}

/**
 * Follows the judges that a judge asks to the last one. Returns the judge itself if the last one cannot be chosen or
 * the chain is circular.
 */
function lastJudge(choice: JudgeChoice, known: ReadonlyMap<string, JudgeChoice>): JudgeChoice {
  const passed = new Set<JudgeChoice>();
  let last = choice;
  for (let next = askedBy(last.config); next !== undefined; next = askedBy(last.config)) {
    const judge = known.get(next);
    passed.add(last);
    if (!judge || passed.has(judge)) return choice;
    last = judge;
  }
  return last;
}

function whoOf({ config }: JudgeChoice): Who {
  const { answeredBy, expense } = judgeTypeOf(config);
  if (answeredBy === 'people') return 'people';
  return expense === 'paid' ? 'model' : 'offline';
}

function offerLabel({ name, label, config }: JudgeChoice, answerer: Who): string {
  if (answerer === 'people') return label;
  if (answerer === 'offline') return l10n.t`Offline: ${label}`;
  return config.type === 'vscode' && name === 'vscode'
    ? l10n.t("A model: the editor's")
    : l10n.t`A model: ${label}`;
}

function surenessOf(config: JudgeConfig, known: ReadonlyMap<string, JudgeChoice>): string {
  if (config.type === 'debate') return l10n.t('After a debate');
  if (config.type === 'lara') return l10n.t('You decide if it is unsure');
  if (config.type !== 'filter') return l10n.t('One answer is enough');
  return known.get(config.then)?.config.type === 'debate'
    ? l10n.t('Cheaper judges first, then a debate')
    : l10n.t('Cheaper judges first');
}

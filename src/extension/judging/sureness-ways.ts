/** The ways in which a judge can be asked: those in `parallax.json` and those that can be added to it. Pure. */
import * as l10n from '@vscode/l10n';
import type { ParallaxConfig } from '../../shared/config.ts';
import { isChatJudge } from '../../shared/judge-config.ts';
import { judgeChoices } from './judge-choice.ts';
import { judgeOffers } from './judge-offers.ts';
import { judgeName } from './model-providers.ts';

export interface SurenessWay {
  readonly label: string;
  /** The cost, and who decides. */
  readonly detail: string;
  /** Name of the judge in `parallax.json`. */
  readonly name: string;
  /** The entry to write under that name. `undefined` if `parallax.json` has it. */
  readonly written?: Readonly<Record<string, unknown>>;
  /** The cheaper judges to choose from. The chosen ones become `judges` of the written entry. */
  readonly cheaper?: readonly string[];
}

/** The default share of pairs that is left to people, in [0, 1]. */
const SHARE = 0.1;

/**
 * @param judge the one in use
 * @returns empty if no model answers for it
 */
export function surenessWays(config: ParallaxConfig, judge: string): readonly SurenessWay[] {
  const offers = judgeOffers(judgeChoices(config));
  const base = offers.find(({ name }) => name === judge)?.restsOn;
  const model = base === undefined ? undefined : config.judges[base];
  if (base === undefined || !model || !isChatJudge(model)) return [];
  const usedNames = offers.map(({ name }) => name);
  const existing = new Map(
    offers
      .filter(({ name, restsOn }) => restsOn === base && name !== base)
      .map(({ name }) => [config.judges[name]?.type, name]),
  );
  const cheaper = offers
    .filter(({ name, restsOn }) => name === restsOn && name !== base && Object.hasOwn(config.judges, name))
    .map(({ name }) => name);
  const once = {
    label: l10n.t('One answer is enough'),
    detail: l10n.t('One request for each passage'),
    name: base,
  };
  return [once, debateWay(base), laraWay(base), filterWay(base, cheaper)].flatMap((way) => {
    if (!('type' in way)) return way;
    const { type, written, label, detail, ...rest } = way;
    const name = existing.get(type);
    if (name !== undefined) return { label, detail, name };
    // Only endpoints return token probabilities, and a filter needs a cheaper judge to ask first.
    const isPossible = type === 'lara' ? model.type === 'openai' : type !== 'filter' || cheaper.length > 0;
    return isPossible
      ? {
          label,
          detail,
          name: judgeName(`${base}-${type}`, usedNames),
          written: { type, ...written },
          ...rest,
        }
      : [];
  });
}

/** A way to ask another judge, which may have to be written first. */
interface NewWay extends Pick<SurenessWay, 'label' | 'detail' | 'cheaper'> {
  readonly type: 'debate' | 'lara' | 'filter';
  readonly written: Readonly<Record<string, unknown>>;
}

function debateWay(base: string): NewWay {
  return {
    type: 'debate',
    written: { agents: base },
    label: l10n.t('After a debate'),
    detail: l10n.t('At least twice the requests: it argues both sides, and what stays open is yours'),
  };
}

function laraWay(base: string): NewWay {
  return {
    type: 'lara',
    written: { judge: base, share: SHARE },
    label: l10n.t('You decide if it is unsure'),
    detail: l10n.t('Up to a tenth of the pairs are yours; its endpoint has to give probabilities of words'),
  };
}

function filterWay(base: string, cheaper: readonly string[]): NewWay {
  return {
    type: 'filter',
    written: { then: base },
    label: l10n.t('Cheaper judges first'),
    detail: l10n.t('It is asked only if the cheaper ones do not all say no'),
    cheaper,
  };
}

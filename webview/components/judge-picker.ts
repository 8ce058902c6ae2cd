/** Selects the judge and, if it can be asked in several ways, how sure it must be. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { JudgeOffer } from '../../src/shared/panels/judge-offer.ts';
import { remedyTitle } from '../../src/shared/remedies.ts';
import type { FailureActions } from './frame.ts';
import { dropdown, type Choice } from './toolkit.ts';
import { words } from './words.ts';

/** The last entry of the first list sets up another judge. */
export function judgePicker(
  { name, choices }: { readonly name: string; readonly choices: readonly JudgeOffer[] },
  actions: FailureActions,
  onChange: (name: string) => void,
): TemplateResult {
  const chosen = choices.find((choice) => choice.name === name);
  const ways = choices.filter(({ restsOn }) => restsOn === chosen?.restsOn);
  const picker = dropdown({
    label: words.judge(),
    value: chosen?.restsOn ?? name,
    choices: choices
      .filter((choice) => choice.name === choice.restsOn)
      .map((choice) => ({ value: choice.name, label: choice.label, short: choice.short })),
    testId: 'judge-picker',
    onChange,
    action: {
      label: remedyTitle('set-up-model'),
      onClick: () => actions.send({ type: 'remedy', remedy: 'set-up-model' }),
    },
  });
  return html`${picker}${ways.length < 2 ? nothing : surenessPicker(name, ways, onChange)}`;
}

function surenessPicker(
  name: string,
  ways: readonly JudgeOffer[],
  onChange: (name: string) => void,
): TemplateResult {
  return dropdown({
    label: words.howSure(),
    value: name,
    choices: ways.map((way) => wayChoice(way, ways)),
    testId: 'sureness-picker',
    wide: true,
    onChange,
  });
}

/** If several ways have the same sureness, the name is added. */
function wayChoice({ name, sureness }: JudgeOffer, ways: readonly JudgeOffer[]): Choice {
  const same = ways.filter((way) => way.sureness === sureness);
  return { value: name, label: same.length > 1 ? `${sureness} (${name})` : sureness };
}

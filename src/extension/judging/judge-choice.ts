/** Which judge answers in the panel, and what may be chosen. */
import type { ParallaxConfig } from '../../shared/config.ts';
import type { Effort } from '../../shared/requests/spending.ts';
import type { JudgeConfig } from '../../shared/judge-config.ts';
import {
  BUILT_IN_JUDGES,
  chatJudgeOf,
  isGuessing,
  judgeTypeOf,
  needsConfirmation,
} from '../../shared/judge-types.ts';

export interface JudgeChoice {
  readonly name: string;
  readonly label: string;
  readonly config: JudgeConfig;
  /** Can be asked about pairs that no human labelled. */
  readonly canJudge: boolean;
  /** Costs money: a person agrees first to what goes beyond the settings. */
  readonly needsConfirmation: boolean;
  /** Is asked only in a workspace that is trusted. */
  readonly needsTrust: boolean;
  /** A chat model stands behind it that can be asked for perspectives, stances and drafts. */
  readonly hasChatModel: boolean;
}

/** Judges that guess are none of them: their answers count nowhere in the editor. */
export function judgeChoices(config: ParallaxConfig): readonly JudgeChoice[] {
  const builtIn = Object.entries(BUILT_IN_JUDGES).filter(([name]) => !(name in config.judges));
  return [...Object.entries(config.judges), ...builtIn]
    .filter(([, judge]) => !isGuessing(judge, config.judges))
    .map(([name, judge]) => choice(name, judge));
}

/**
 * The judge by name. `auto` is the workspace's own choice, else its first configured model. Human labels where there is
 * none of that name, or none that is more than a guess.
 */
export function chooseJudge(
  choices: readonly JudgeChoice[],
  config: ParallaxConfig,
  setting: string,
): JudgeChoice {
  const configured = choices.find(({ name }) => Object.hasOwn(config.judges, name))?.name;
  const wanted = setting === 'auto' ? (config.judge ?? configured ?? 'labels') : setting;
  const found = choices.find(({ name }) => name === wanted) ?? choices.find(({ name }) => name === 'labels');
  if (!found) throw new Error('Human labels are built in.');
  return found;
}

/**
 * The judge that was chosen in the panel, as long as there is one of that name, else that of the setting: a judge that is
 * renamed in parallax.json leaves the choice to the file, and not to nobody.
 */
export function rememberedJudge(
  config: ParallaxConfig,
  remembered: string | undefined,
  setting: string,
): JudgeChoice {
  const choices = judgeChoices(config);
  const isThere = remembered !== undefined && choices.some(({ name }) => name === remembered);
  return chooseJudge(choices, config, isThere ? remembered : setting);
}

/**
 * Whether a judge may be asked without asking the user first.
 *
 * @param above so many requests, a judge that costs money waits for the user's word
 */
export function needsNoQuestion(
  judge: Pick<JudgeChoice, 'needsConfirmation'>,
  { requests }: Pick<Effort, 'requests'>,
  above: number,
): boolean {
  return !judge.needsConfirmation || requests.most <= above;
}

function choice(name: string, config: JudgeConfig): JudgeChoice {
  const { answeredBy, needsTrust, label } = judgeTypeOf(config);
  return {
    name,
    label: label(name, config),
    config,
    canJudge: answeredBy !== 'people',
    needsConfirmation: needsConfirmation(config),
    needsTrust,
    hasChatModel: chatJudgeOf(name, config) !== undefined,
  };
}

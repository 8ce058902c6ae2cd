/** The judge of the panel, and the judges that can be chosen. */
import type { ParallaxConfig } from '../../shared/config.ts';
import type { Effort } from '../../shared/requests/spending.ts';
import { type JudgeConfig, judgeTypeOf } from '../../shared/judge-config.ts';
import { BUILT_IN_JUDGES, chatJudgeOf, isGuessing, needsConfirmation } from '../../shared/named-judges.ts';

export interface JudgeChoice {
  readonly name: string;
  readonly label: string;
  readonly config: JudgeConfig;
  /** Whether it can be asked about pairs without a human label. */
  readonly canJudge: boolean;
  /** Whether it costs money; a person confirms requests beyond the limits of the settings. */
  readonly needsConfirmation: boolean;
  /** Whether it is asked only in a trusted workspace. */
  readonly needsTrust: boolean;
  /** Whether it has a chat model that can write perspectives, stances and drafts. */
  readonly hasChatModel: boolean;
}

/** All judges except those that only guess, whose answers do not count in the editor. */
export function judgeChoices(config: ParallaxConfig): readonly JudgeChoice[] {
  const builtIn = Object.entries(BUILT_IN_JUDGES).filter(([name]) => !(name in config.judges));
  return [...Object.entries(config.judges), ...builtIn]
    .filter(([, judge]) => !isGuessing(judge, config.judges))
    .map(([name, judge]) => choice(name, judge));
}

/**
 * Finds the judge by name. `auto` is `judge` of parallax.json, else the first judge of the file. Falls back to human
 * labels if there is no judge of that name, or if it only guesses.
 */
export function chooseJudge(
  choices: readonly JudgeChoice[],
  config: ParallaxConfig,
  setting: string,
): JudgeChoice {
  const configured = choices.find(({ name }) => Object.hasOwn(config.judges, name))?.name;
  const choiceName = setting === 'auto' ? (config.judge ?? configured ?? 'labels') : setting;
  const match =
    choices.find(({ name }) => name === choiceName) ?? choices.find(({ name }) => name === 'labels');
  if (!match) throw new Error('Human labels are built in.');
  return match;
}

/**
 * The judge that was chosen in the panel if it still exists, else the judge of the setting. A judge renamed in
 * parallax.json thus leaves the choice to the file.
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
 * @param above a judge that costs money needs confirmation for more requests than this
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

/** Which judge answers in the panel, and what may be chosen. */
import type { ParallaxConfig } from '../../shared/config.ts';
import type { Effort } from '../../shared/judge-effort.ts';
import {
  BUILT_IN_JUDGES,
  chatJudgeOf,
  judgeTypeOf,
  needsConfirmation,
  type JudgeConfig,
} from '../../shared/judge-types.ts';

export interface JudgeChoice {
  readonly name: string;
  readonly label: string;
  readonly config: JudgeConfig;
  /** A guess by shared words, never to be taken for a judgement. */
  readonly heuristic: boolean;
  /** Can be asked about pairs that no human labelled. */
  readonly canJudge: boolean;
  /** Costs money: a person agrees first to what goes beyond the settings. */
  readonly needsConfirmation: boolean;
  /** Is asked only in a workspace that is trusted. */
  readonly needsTrust: boolean;
  /** A chat model stands behind it that can be asked for perspectives, stances and drafts. */
  readonly hasChatModel: boolean;
}

export function judgeChoices(config: ParallaxConfig): readonly JudgeChoice[] {
  const builtIn = Object.entries(BUILT_IN_JUDGES).filter(([name]) => !(name in config.judges));
  return [...Object.entries(config.judges), ...builtIn].map(([name, judge]) => choice(name, judge));
}

/**
 * The judge by name. `auto` is the workspace's own choice, else its first configured model, else the
 * offline heuristic.
 */
export function chooseJudge(
  choices: readonly JudgeChoice[],
  config: ParallaxConfig,
  setting: string,
): JudgeChoice {
  const wanted = setting === 'auto' ? (config.judge ?? Object.keys(config.judges)[0] ?? 'lexical') : setting;
  const found = choices.find(({ name }) => name === wanted) ?? choices.find(({ name }) => name === 'lexical');
  if (!found) throw new Error('The lexical judge is built in.');
  return found;
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
    heuristic: answeredBy === 'heuristic',
    canJudge: answeredBy !== 'people',
    needsConfirmation: needsConfirmation(config),
    needsTrust,
    hasChatModel: chatJudgeOf(name, config) !== undefined,
  };
}

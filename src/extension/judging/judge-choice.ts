/** Which judge answers in the panel, and what may be chosen. */
import * as l10n from '@vscode/l10n';
import type { JudgeConfig, ParallaxConfig } from '../../shared/config.ts';

export interface JudgeChoice {
  readonly name: string;
  readonly label: string;
  readonly config: JudgeConfig;
  /** A guess by shared words, never to be taken for a judgement. */
  readonly heuristic: boolean;
  /** Can be asked about pairs that no human labelled. */
  readonly canJudge: boolean;
  /** Asks a model over a network or the editor: costs time or money. */
  readonly costly: boolean;
}

/** A filter is asked through the judges it names, of which the last is there because it is costly. */
const COSTLY: readonly JudgeConfig['type'][] = ['openai', 'vscode', 'debate', 'filter', 'lara'];

/** Made when asked for: their labels are in a language that is not known while this is loaded. */
const builtIn = (): readonly JudgeChoice[] => [
  choice('labels', { type: 'labels' }),
  choice('lexical', { type: 'lexical' }),
  choice('vscode', {
    type: 'vscode',
    concurrency: 2,
    timeoutMs: 60_000,
    maxRetries: 2,
    standard: 'berds',
    mode: 'pair',
    explain: true,
    shots: 0,
  }),
];

export function judgeChoices(config: ParallaxConfig): readonly JudgeChoice[] {
  const own = Object.entries(config.judges).map(([name, judge]) => choice(name, judge));
  return [...own, ...builtIn().filter(({ name }) => !(name in config.judges))];
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

function choice(name: string, config: JudgeConfig): JudgeChoice {
  return {
    name,
    label: label(name, config),
    config,
    heuristic: config.type === 'lexical',
    canJudge: config.type !== 'labels',
    costly: COSTLY.includes(config.type),
  };
}

function label(name: string, config: JudgeConfig): string {
  switch (config.type) {
    case 'labels':
      return l10n.t('Human labels');
    case 'lexical':
      return l10n.t('Offline word overlap');
    case 'openai':
      return `${name} (${config.model})`;
    case 'vscode':
      return name === 'vscode' ? l10n.t("The editor's language model") : l10n.t`${name} (editor)`;
    case 'debate':
      return name === 'debate' ? l10n.t('Debate') : l10n.t`${name} (debate)`;
    case 'filter':
      return l10n.t`${name} (filter, then ${config.then})`;
    case 'nli':
      return `${name} (NLI)`;
    case 'lara':
      return l10n.t`${name} (${config.judge}, least sure to you)`;
  }
}

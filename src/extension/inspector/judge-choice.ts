/** Which judge answers in the panel, and what may be chosen. */
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

const BUILT_IN: readonly JudgeChoice[] = [
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
  return [...own, ...BUILT_IN.filter(({ name }) => !(name in config.judges))];
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
      return 'Human labels only';
    case 'lexical':
      return 'Offline word overlap';
    case 'openai':
      return `${name} (${config.model})`;
    case 'vscode':
      return name === 'vscode' ? "The editor's language model" : `${name} (editor)`;
    case 'debate':
      return `${name} (debate)`;
    case 'filter':
      return `${name} (filter, then ${config.then})`;
    case 'nli':
      return `${name} (NLI)`;
    case 'lara':
      return `${name} (${config.judge}, least sure to you)`;
  }
}

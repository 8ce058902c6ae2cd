/** Creates each type of judge from its configuration. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { promptTask } from '../../core/judging/prompts/template.ts';
import { STANDARDS } from '../../core/judging/standard.ts';
import { analyze } from '../../core/text/analyzer.ts';
import {
  type ChatJudgeConfig,
  type JudgeConfig,
  type JudgeConfigOf,
  agentsOf,
  isChatJudge,
} from '../../shared/judge-config.ts';
import { createCachedJudge } from '../judgements/cached-judge.ts';
import type { JudgementCache } from '../judgements/judgement-cache.ts';
import type { LabelledAnswers } from '../judgements/labelled-answers.ts';
import type { ChatModels } from '../models/chat-models.ts';
import type { NliModels } from '../models/nli-models.ts';
import type { PaidReplies } from '../models/paid-replies.ts';
import { createChatJudge } from './chat-judge.ts';
import { createConfidenceJudge } from './confidence-judge.ts';
import { createDebateJudge, type DebateAgent } from './debate-judge.ts';
import { createFilterJudge } from './filter-judge.ts';
import type { Judge } from './judge.ts';
import { createLaraJudge } from './lara-judge.ts';
import { createLexicalJudge } from './lexical-judge.ts';
import { calibratedThreshold, createNliJudge, nliKey } from './nli-judge.ts';
import { createTemplateJudge } from './template-judge.ts';

/** The parts that judges are made from. */
export interface JudgeParts {
  readonly chatModels: ChatModels;
  readonly nliModels: NliModels;
  readonly cache: JudgementCache;
  /** Shared by all debates, since those with the same agents begin with the same replies. */
  readonly replies: PaidReplies;
  /** Labels that calibrate confidences. */
  readonly labelled: LabelledAnswers;
  /** The same judge, with separately stored answers if these are the judges of a repeat. */
  readonly asRepeat: (judge: Judge) => Judge;
}

/** The other judges of the configuration, by the names that the new judge uses. */
export interface NamedJudges {
  /** @throws ParallaxError `bad-config` for an unknown name */
  configOf(name: string): JudgeConfig;
  /**
   * @returns undefined if there is no judge to ask
   * @throws ParallaxError `bad-config` for an unknown name, and for a circle
   */
  judgeOf(name: string): Judge | undefined;
}

type MakeJudge<C extends JudgeConfig> = (
  name: string,
  config: C,
  parts: JudgeParts,
  judges: NamedJudges,
) => Judge;

/** Creates a judge of every type that can be asked. None of these stores its answers yet. */
export const MAKE_JUDGE: {
  readonly [T in Exclude<JudgeConfig['type'], 'labels'>]: MakeJudge<JudgeConfigOf<T>>;
} = {
  lexical: (name) => createLexicalJudge(name, (text) => analyze(text, 'english')),
  openai: makeChatJudge,
  vscode: makeChatJudge,
  debate: makeDebate,
  filter: makeFilter,
  nli: makeNliJudge,
  lara: makeLara,
};

function makeChatJudge(name: string, config: ChatJudgeConfig, { chatModels }: JudgeParts): Judge {
  const { concurrency, timeoutMs, standard, mode, explain, shots, askAgain, prompt } = config;
  const model = chatModels.get(name, config);
  if (prompt && promptTask(prompt) !== 'judge')
    throw new ParallaxError(
      'bad-config',
      promptTask(prompt) === 'write'
        ? l10n.t`The prompt of "${name}" writes answers from {passages}. To judge passages, name a judge whose prompt has {passage}.`
        : l10n.t`The prompt of "${name}" judges answers ({prediction}). To judge passages, name a judge whose prompt has {passage}.`,
    );
  if (prompt)
    return createTemplateJudge({
      name,
      model,
      template: prompt,
      standard: STANDARDS[standard],
      concurrency,
      timeoutMs,
    });
  return createChatJudge({
    name,
    model,
    standard: STANDARDS[standard],
    form: { mode, explain, shots },
    askAgain,
    concurrency,
    timeoutMs,
  });
}

function makeDebate(
  name: string,
  config: JudgeConfigOf<'debate'>,
  { chatModels, replies }: JudgeParts,
  { configOf }: NamedJudges,
): Judge {
  const { preset, adjudicator, rounds, agreement, continueTo, standard, includeQuestion, concurrency } =
    config;
  /** A chat judge as an agent of a debate: its model, without its prompt. */
  const agentOf = (agent: string): DebateAgent => {
    const agentConfig = configOf(agent);
    if (isChatJudge(agentConfig))
      return { model: chatModels.get(agent, agentConfig), timeoutMs: agentConfig.timeoutMs };
    throw new ParallaxError(
      'bad-config',
      l10n.t`The debate "${name}" names "${agent}", which is of type "${agentConfig.type}". Only chat models ("openai", "vscode") can debate and adjudicate.`,
    );
  };
  return createDebateJudge({
    name,
    agents: agentsOf(config).map(agentOf),
    adjudicator: adjudicator === undefined ? undefined : agentOf(adjudicator),
    rounds,
    agreement,
    continueTo,
    standard: STANDARDS[standard],
    includeQuestion,
    isDream: preset === 'dream',
    concurrency,
    replies,
  });
}

function makeFilter(
  name: string,
  { judges, then }: JudgeConfigOf<'filter'>,
  _: JudgeParts,
  { judgeOf }: NamedJudges,
): Judge {
  const stage = (stageName: string): Judge => {
    const judge = judgeOf(stageName);
    if (judge) return judge;
    throw new ParallaxError(
      'bad-config',
      l10n.t`The filter "${name}" names "${stageName}", which has human labels only and cannot be asked.`,
    );
  };
  return createFilterJudge({ name, cheap: judges.map(stage), then: stage(then) });
}

function makeNliJudge(name: string, config: JudgeConfigOf<'nli'>, { nliModels }: JudgeParts): Judge {
  const model = nliModels.get(config);
  const { calibration, threshold } = config;
  return createNliJudge({
    name,
    model,
    threshold:
      calibration === undefined
        ? () => Promise.resolve(threshold)
        : calibratedThreshold(nliModels.resolve(calibration), nliKey(model)),
    isCalibrated: calibration !== undefined,
  });
}

function makeLara(
  name: string,
  { judge, share, batch }: JudgeConfigOf<'lara'>,
  { chatModels, cache, labelled, asRepeat }: JudgeParts,
  { configOf }: NamedJudges,
): Judge {
  const config = configOf(judge);
  if (config.type !== 'openai')
    throw new ParallaxError(
      'bad-config',
      l10n.t`The judge "${name}" names "${judge}", which is of type "${config.type}". Only endpoints (type "openai") can give token probabilities.`,
    );
  const { standard, concurrency, timeoutMs } = config;
  const confidenceJudge = createConfidenceJudge({
    name,
    model: chatModels.get(judge, config),
    standard: STANDARDS[standard],
    concurrency,
    timeoutMs,
  });
  return createLaraJudge({
    name,
    confidenceJudge: createCachedJudge(asRepeat(confidenceJudge), cache),
    share,
    batch,
    labelled,
    cache,
  });
}

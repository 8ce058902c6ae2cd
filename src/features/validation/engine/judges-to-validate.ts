/** The judges of a configuration for a validation: also for repeats, and with swapped agents. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { type JudgeConfig, agentsOf } from '../../../shared/judge-config.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import { requireJudge } from '../../../engine/judgements/judgement-service.ts';
import type { JudgementCache } from '../../../engine/judgements/judgement-cache.ts';
import type { LabelSource } from '../../../engine/judgements/labelled-answers.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import type { LearningJudge } from './ask-judge.ts';
import { LabelsAsTheyCome } from './labels-as-they-come.ts';
import type { JudgeToValidate } from './validate-judge.ts';

type JudgeConfigs = Record<string, JudgeConfig>;
/** Creates the judges of a configuration with a cache, and with labels that calibrate confidences. */
type CreateJudges = (configs: JudgeConfigs, cache: JudgementCache, labels: LabelSource) => Judges;

export class JudgesToValidate {
  readonly #configs: JudgeConfigs;
  readonly #cache: JudgementCache;
  readonly #create: CreateJudges;
  readonly #labels: LabelSource;
  readonly #judges: Judges;

  /**
   * @param cache of earlier answers
   * @param labels beside those that judges are measured on
   */
  constructor(configs: JudgeConfigs, cache: JudgementCache, labels: LabelSource, create: CreateJudges) {
    this.#configs = configs;
    this.#cache = cache;
    this.#create = create;
    this.#labels = labels;
    this.#judges = create(configs, cache, labels);
  }

  /**
   * @param swap whether to add the judge with the agents of the debate swapped
   * @throws ParallaxError `bad-argument` for an unknown name, for people, and for agents that cannot be swapped
   */
  get(name: string, swap: boolean): JudgeToValidate {
    return {
      ...this.#learning(name),
      repeated: (repeat) => this.#learning(name, repeat),
      swapped: swap ? this.#swapped(name) : undefined,
    };
  }

  /** @throws ParallaxError `bad-argument` for an unknown name, and for people */
  judge(name: string): Judge {
    return requireJudge(this.#judges.get(name), name);
  }

  /** Each learns from what it left to people itself. */
  #learning(name: string, repeat?: number): LearningJudge {
    const labels = new LabelsAsTheyCome(this.#labels);
    const judges = this.#create(this.#configs, this.#cache, labels);
    const chosen = repeat === undefined ? judges : judges.repeated(repeat);
    return { judge: requireJudge(chosen.get(name), name), labels };
  }

  #swapped(name: string): Judge {
    const swappedName = `${name} (agents swapped)`;
    const configs = { ...this.#configs, [swappedName]: withSwappedAgents(name, this.#configs[name]) };
    return requireJudge(this.#create(configs, this.#cache, this.#labels).get(swappedName), swappedName);
  }
}

/** The agent that began with "yes" begins with "no" (DREAM B.1). */
function withSwappedAgents(name: string, config: JudgeConfig | undefined): JudgeConfig {
  if (config?.type !== 'debate')
    throw new ParallaxError('bad-argument', l10n.t`"${name}" is not a debate: there are no agents to swap.`);
  const agents = agentsOf(config);
  if (agents.length > 2)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`"${name}" has ${agents.length} agents; only those of a debate of two can be swapped.`,
    );
  const [first, second] = agents;
  if (first === second)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Both agents of "${name}" are the same model, and each sees its own side and the other's: swapping them changes nothing.`,
    );
  return { ...config, agents: [second!, first!] };
}

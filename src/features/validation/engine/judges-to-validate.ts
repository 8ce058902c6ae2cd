/** The judges of a configuration for a validation: also without stored answers, and with swapped agents. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { JudgeConfig } from '../../../shared/judge-config.ts';
import { agentsOf } from '../../../shared/judge-types.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import { requireJudge } from '../../../engine/judgements/judgement-service.ts';
import { JudgementCache } from '../../../engine/judgements/judgement-cache.ts';
import type { LabelSource } from '../../../engine/judgements/labelled-answers.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import { openDatabase, type Database } from '../../../engine/store/database.ts';
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
  readonly #forgetful: Database[] = [];

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
      ...this.#learning(name, this.#cache),
      anew: () => this.#learning(name, this.#emptyCache()),
      swapped: swap ? this.#swapped(name) : undefined,
    };
  }

  /** @throws ParallaxError `bad-argument` for an unknown name, and for people */
  judge(name: string): Judge {
    return requireJudge(this.#judges.get(name), name);
  }

  close(): void {
    for (const database of this.#forgetful) database.close();
  }

  /** Each learns from what it left to people itself. */
  #learning(name: string, cache: JudgementCache): LearningJudge {
    const labels = new LabelsAsTheyCome(this.#labels);
    return { judge: requireJudge(this.#create(this.#configs, cache, labels).get(name), name), labels };
  }

  #swapped(name: string): Judge {
    const swappedName = `${name} (agents swapped)`;
    const configs = { ...this.#configs, [swappedName]: withSwappedAgents(name, this.#configs[name]) };
    return requireJudge(this.#create(configs, this.#cache, this.#labels).get(swappedName), swappedName);
  }

  #emptyCache(): JudgementCache {
    const database = openDatabase(':memory:');
    this.#forgetful.push(database);
    return new JudgementCache(database);
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

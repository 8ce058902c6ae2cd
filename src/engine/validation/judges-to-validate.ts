/** The judges of a configuration as a validation wants them: also without memory, and with swapped agents. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { JudgeConfig } from '../../shared/judge-types.ts';
import type { Judge } from '../judges/judge.ts';
import { requireJudge } from '../judgements/judgement-service.ts';
import { JudgementCache } from '../judgements/judgement-cache.ts';
import type { Judges } from '../judges/judges.ts';
import { openDatabase, type Database } from '../store/database.ts';
import type { JudgeToValidate } from './validate-judge.ts';

type JudgeConfigs = Record<string, JudgeConfig>;

export class JudgesToValidate {
  readonly #configs: JudgeConfigs;
  readonly #cache: JudgementCache;
  readonly #create: (configs: JudgeConfigs, cache: JudgementCache) => Judges;
  readonly #judges: Judges;
  readonly #forgetful: Database[] = [];

  /**
   * @param cache what is remembered of earlier answers
   * @param create makes the judges of a configuration on a cache
   */
  constructor(
    configs: JudgeConfigs,
    cache: JudgementCache,
    create: (configs: JudgeConfigs, cache: JudgementCache) => Judges,
  ) {
    this.#configs = configs;
    this.#cache = cache;
    this.#create = create;
    this.#judges = create(configs, cache);
  }

  /**
   * @param swap also with the agents of the debate swapped
   * @throws ParallaxError `bad-argument` for an unknown name, for people, and for agents that cannot be swapped
   */
  get(name: string, swap: boolean): JudgeToValidate {
    return {
      judge: this.judge(name),
      anew: () => requireJudge(this.#create(this.#configs, this.#emptyCache()).get(name), name),
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

  #swapped(name: string): Judge {
    const swappedName = `${name} (agents swapped)`;
    const configs = { ...this.#configs, [swappedName]: withSwappedAgents(name, this.#configs[name]) };
    return requireJudge(this.#create(configs, this.#cache).get(swappedName), swappedName);
  }

  #emptyCache(): JudgementCache {
    const database = openDatabase(':memory:');
    this.#forgetful.push(database);
    return new JudgementCache(database);
  }
}

/** Who began from "yes" begins from "no" (DREAM B.1). */
function withSwappedAgents(name: string, config: JudgeConfig | undefined): JudgeConfig {
  if (config?.type !== 'debate')
    throw new ParallaxError('bad-argument', l10n.t`"${name}" is not a debate: there are no agents to swap.`);
  if (typeof config.agents === 'string' || config.agents[0] === config.agents[1])
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Both agents of "${name}" are the same model, and each sees its own side and the other's: swapping them changes nothing.`,
    );
  const [first, second] = config.agents;
  return { ...config, agents: [second, first] };
}

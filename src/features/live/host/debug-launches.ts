/** Observes programs launched by the debugger, after a consent for each workspace. Independent of the editor. */
import { messageOf } from '../../../core/errors.ts';
import { DEBUG_CONSENT } from '../../../shared/manifest/contributions.ts';
import type { Memory } from '../../../extension/platform/memory.ts';

/** The fields of an editor's debug configuration that are used. */
export interface Launch {
  readonly type: string;
  readonly request: string;
  readonly [field: string]: unknown;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface DebugLaunchesOptions {
  readonly memory: Memory;
  readonly trusted: () => boolean;
  /** Path of the plan in force, if programs are observed already. */
  readonly plan: () => string | undefined;
  /** Starts observing. @returns path of the plan */
  readonly start: () => Promise<string>;
  /** Whether an open document has a call that retrieves. */
  readonly isNearCall: () => Promise<boolean>;
  /** @returns `undefined` if the user does not decide */
  readonly askConsent: () => Promise<boolean | undefined>;
  /** @param present the environment of the program without the hooks */
  readonly environment: (plan: string, present: Environment) => Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
}

/** Types of debuggers whose programs load the hooks. */
const DEBUGGERS = ['node', 'pwa-node', 'node-terminal', 'python', 'debugpy'];

export class DebugLaunches {
  readonly #options: DebugLaunchesOptions;
  /** Asks only once per window. */
  #asked = false;

  constructor(options: DebugLaunchesOptions) {
    this.#options = options;
  }

  /** Adds the environment of the hooks if programs are observed or the user agrees. Never makes a launch fail. */
  async observed<T extends Launch>(launch: T): Promise<T> {
    const { trusted, environment, log } = this.#options;
    if (!trusted() || launch.request === 'attach' || !DEBUGGERS.includes(launch.type)) return launch;
    try {
      const plan = await this.#plan();
      if (plan === undefined) return launch;
      const present = (launch['env'] ?? {}) as Environment;
      return { ...launch, env: { ...present, ...environment(plan, { ...process.env, ...present }) } };
    } catch (error) {
      log(`A debug launch is not observed: ${messageOf(error)}`);
      return launch;
    }
  }

  /** The next launch asks again. */
  forget(): void {
    this.#asked = false;
    this.#options.memory.set(DEBUG_CONSENT, undefined);
  }

  async #plan(): Promise<string | undefined> {
    const { memory, plan, start, isNearCall, askConsent } = this.#options;
    const present = plan();
    if (present !== undefined) return present;
    const consent = memory.get<boolean>(DEBUG_CONSENT);
    if (consent !== undefined) return consent ? start() : undefined;
    if (this.#asked || !(await isNearCall())) return undefined;
    this.#asked = true;
    const answer = await askConsent();
    if (answer !== undefined) memory.set(DEBUG_CONSENT, answer);
    return answer ? start() : undefined;
  }
}

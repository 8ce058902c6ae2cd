/** What a person has agreed that agents' tools may use of parallax.json, which agents may edit. Kept with the workspace. */
import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { configReaches, notAgreed } from '../../agents/reaches.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import type { Memory } from '../platform/memory.ts';

const KEY = 'agents.agreed';

export class Agreement {
  readonly #memory: Memory;
  readonly #ask: (reaches: readonly string[]) => Promise<boolean>;
  #asking: Promise<unknown> = Promise.resolve();

  /** @param ask has a person say whether agents may use these */
  constructor(memory: Memory, ask: (reaches: readonly string[]) => Promise<boolean>) {
    this.#memory = memory;
    this.#ask = ask;
  }

  /** Asks for what is new; calls at the same time ask once. @throws ParallaxError `untrusted` */
  require(config: ParallaxConfig): Promise<void> {
    const asked = this.#asking.then(() => this.#require(config));
    this.#asking = asked.catch(() => undefined);
    return asked;
  }

  async #require(config: ParallaxConfig): Promise<void> {
    const reaches = [...configReaches(config, false)];
    const agreed = new Set(this.#memory.get<readonly string[]>(KEY));
    const added = reaches.filter((reach) => !agreed.has(digestOf(reach)));
    if (added.length === 0) return;
    if (!(await this.#ask(added)))
      throw notAgreed(added, l10n.t('A person is asked again with the next call.'));
    // What is gone from the configuration is asked about again when it comes back.
    this.#memory.set(KEY, reaches.map(digestOf));
  }
}

function digestOf(reach: string): string {
  return createHash('sha256').update(reach).digest('hex').slice(0, 32);
}

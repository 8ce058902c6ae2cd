/**
 * The parts of parallax.json that a person allowed agents' tools to use. Needed because agents may edit the file.
 * Stored with the workspace.
 */
import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { configReaches, notAgreed } from '../tools/reaches.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { Memory } from '../../../extension/platform/memory.ts';

const KEY = 'agents.agreed';

export class Agreement {
  readonly #memory: Memory;
  readonly #ask: (reaches: readonly string[]) => Promise<boolean>;
  #asking: Promise<unknown> = Promise.resolve();

  /** @param ask asks a person whether agents may use these */
  constructor(memory: Memory, ask: (reaches: readonly string[]) => Promise<boolean>) {
    this.#memory = memory;
    this.#ask = ask;
  }

  /** Asks about new entries; concurrent calls share one question. @throws ParallaxError `untrusted` */
  require(config: ParallaxConfig): Promise<void> {
    const request = this.#asking.then(() => this.#require(config));
    this.#asking = request.catch(() => undefined);
    return request;
  }

  async #require(config: ParallaxConfig): Promise<void> {
    const reaches = [...configReaches(config, false)];
    const agreed = new Set(this.#memory.get<readonly string[]>(KEY));
    const added = reaches.filter((reach) => !agreed.has(digestOf(reach)));
    if (added.length === 0) return;
    if (!(await this.#ask(added)))
      throw notAgreed(added, l10n.t('A person is asked again with the next call.'));
    // An entry removed from the configuration needs a new answer when it returns.
    this.#memory.set(KEY, reaches.map(digestOf));
  }
}

function digestOf(reach: string): string {
  return createHash('sha256').update(reach).digest('hex').slice(0, 32);
}

/**
 * Points the settings with which VS Code's own agents export their spans at the receiver, and restores them.
 * GitHub Copilot Chat and the agent host, in which sessions of Copilot, Claude and Codex run, have their own. The settings are the user's, so their values are stored outside of the window before any of them is
 * changed. They are restored when capturing stops, or, if the window or the editor has exited, by the next window that
 * starts or by another open window. A capturing window renews its claim regularly, because a process id may be reused.
 * Independent of the editor.
 */
import { setTimeout } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { withoutPath } from '../contract/environment.ts';
import { listenSchema, type ListenAt } from '../contract/listening.ts';

/** As GitHub Copilot Chat and the editor declare them. They are read when a window is loaded. */
export const AGENT_SETTINGS = ['github.copilot.chat.otel', 'chat.agentHost.otel'] as const;

/** @param url of the receiver, with its path */
function wantedFor(url: string): Readonly<Record<string, unknown>> {
  const wanted = {
    enabled: true,
    exporterType: 'otlp-http',
    // The agents append the path themselves.
    otlpEndpoint: withoutPath(url),
    // Without it their spans contain neither questions nor results.
    captureContent: true,
    // A file would receive all spans instead of the receiver.
    outfile: '',
  };
  return Object.fromEntries(
    AGENT_SETTINGS.flatMap((family) =>
      Object.entries(wanted).map(([name, value]) => [`${family}.${name}`, value]),
    ),
  );
}

/** The longest time that a window takes to end before its reload. */
const RELOAD_MS = 5_000;
const POLL_MS = 100;
/** Interval at which a capturing window renews its claim and other windows check it. */
const RENEW_MS = 60_000;
/** A window that has not renewed its claim for this long is gone. */
const GONE_AFTER_MS = 3 * RENEW_MS;

const keptSchema = z.object({
  /** The user's values, and the values that replace them. Settings without a user's value are only in `set`. */
  before: z.record(z.string(), z.unknown()),
  set: z.record(z.string(), z.unknown()),
  /** Process id of the window that captures. */
  owner: z.number().int(),
  /** When it last renewed its claim, in milliseconds since 1970. */
  renewed: z.number().default(0),
  /** The address of the receiver, kept when the window is reloaded. */
  listen: listenSchema,
  /** The folder of the window while it is reloaded, so that the agents read their settings. */
  reloading: z.string().optional(),
  /** The folder of the window for the first minute, in which the editor may ask to reload it. */
  folder: z.string().optional(),
});
type Kept = Read<typeof keptSchema>;

/** The user's settings by their whole names, and storage that outlives the window. */
export interface AgentSettingsHost {
  /** `undefined` for a setting that no extension declares. */
  inspect(
    name: string,
  ):
    | { readonly user: unknown; readonly isDefault: (value: unknown) => boolean; readonly elsewhere: boolean }
    | undefined;
  /** Sets the user's value. `undefined` removes it. */
  update(name: string, value: unknown): Promise<void>;
  /** The current value, because another window may have changed it. */
  kept(): Promise<unknown>;
  keep(value: Kept | undefined): Promise<void>;
  readonly process: number;
  isRunning(process: number): boolean;
  /** When this machine was started, in milliseconds since 1970. */
  booted(): number;
  /** Called after restoring the settings of a window that is gone. Agents of this window may have read them before. */
  onPutBack(): void;
  log(message: string): void;
}

export class AgentSettings {
  readonly #host: AgentSettingsHost;
  /** Renews the claim of this window, or checks that of another. */
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(host: AgentSettingsHost) {
    this.#host = host;
  }

  /**
   * @throws ParallaxError `not-found` if there are no such agents, `bad-argument` if their settings cannot be changed
   */
  async requireAgents(): Promise<void> {
    if (!AGENT_SETTINGS.some((family) => this.#host.inspect(`${family}.enabled`)))
      throw new ParallaxError(
        'not-found',
        l10n.t(
          'No agent that sends OpenTelemetry is installed here: neither the settings github.copilot.chat.otel of GitHub Copilot Chat nor chat.agentHost.otel of newer editors exist.',
        ),
      );
    const elsewhere = Object.keys(wantedFor('')).find((name) => this.#host.inspect(name)?.elsewhere);
    if (elsewhere !== undefined)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`This workspace sets ${elsewhere}, which overrides your own settings. Remove it there first.`,
      );
    const kept = await this.#read();
    if (kept && this.#isAnothers(kept))
      throw new ParallaxError('bad-argument', l10n.t('Another window already captures VS Code’s agents.'));
  }

  /**
   * Points all of the settings at the receiver, after storing their values. The editor asks to reload the window for each
   * setting that changes, so those with the right value are not written, and the window may be reloaded at once.
   *
   * @param url of the receiver, with its path
   * @param folder of this window
   * @throws ParallaxError like {@link requireAgents}
   */
  async set(url: string, folder: string): Promise<void> {
    await this.requireAgents();
    await this.#putBack();
    const names = Object.entries(wantedFor(url)).filter(([name, value]) => {
      const setting = this.#host.inspect(name);
      return setting && !(setting.user === undefined ? setting.isDefault(value) : setting.user === value);
    });
    const had = names.map(([name]) => [name, this.#host.inspect(name)?.user] as const);
    await this.#host.keep({
      before: Object.fromEntries(had.filter(([, value]) => value !== undefined)),
      set: Object.fromEntries(names),
      owner: this.#host.process,
      renewed: Date.now(),
      listen: listenOf(url),
      folder,
    });
    this.#repeat(() => this.#renew());
    for (const [name, value] of names) await this.#host.update(name, value);
  }

  /** Called before the window is reloaded to continue capturing. */
  async reloading(folder: string): Promise<void> {
    const kept = await this.#read();
    if (kept) await this.#host.keep({ ...kept, reloading: folder, renewed: Date.now() });
  }

  /**
   * Called when a window starts. Restores the settings of a window that is gone; while another window captures, checks
   * it until it ends.
   *
   * @returns the address at which to continue listening, if this window was reloaded for that
   */
  async resume(folder: string): Promise<ListenAt | undefined> {
    const kept = await this.#read();
    if (!kept) return undefined;
    if ((kept.reloading ?? kept.folder) === folder && this.#isFresh(kept) && (await this.#ends(kept.owner))) {
      const { process } = this.#host;
      const claim = { reloading: undefined, folder: undefined, owner: process, renewed: Date.now() };
      await this.#host.keep({ ...kept, ...claim });
      this.#repeat(() => this.#renew());
      return kept.listen;
    }
    this.#repeat(() => this.#lookAfter());
    await this.#lookAfter();
    return undefined;
  }

  /** Capturing stopped in this window. */
  async stopped(): Promise<void> {
    if ((await this.#read())?.owner !== this.#host.process) return;
    await this.#endRepeating();
    await this.#putBack();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const kept = await this.#read();
    // If a reload was requested but this window is still running, it was not reloaded.
    if (kept?.owner === this.#host.process)
      await this.#host.keep({ ...kept, reloading: undefined, folder: undefined, renewed: Date.now() });
  }

  /** Restores the settings once no other window captures. */
  async #lookAfter(): Promise<void> {
    const kept = await this.#read();
    if (kept && this.#isAnothers(kept)) return;
    clearInterval(this.#timer);
    if (!kept) return;
    await this.#putBack();
    this.#host.onPutBack();
  }

  /**
   * A running process with the owner's id is no proof, because ids are reused, especially after a restart of the
   * machine.
   */
  #isAnothers(kept: Kept): boolean {
    const { process, isRunning } = this.#host;
    if (kept.owner === process || !this.#isFresh(kept)) return false;
    return kept.reloading !== undefined || isRunning(kept.owner);
  }

  /** Whether the window with this process is gone. A reloaded one may take a moment. */
  async #ends(owner: number): Promise<boolean> {
    const { process, isRunning } = this.#host;
    for (let waited = 0; owner !== process && isRunning(owner); waited += POLL_MS) {
      if (waited >= RELOAD_MS) return false;
      await setTimeout(POLL_MS);
    }
    return true;
  }

  #isFresh({ renewed }: Kept): boolean {
    return renewed > this.#host.booted() && Math.abs(Date.now() - renewed) < GONE_AFTER_MS;
  }

  #repeat(work: () => Promise<void>): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.#turn = work().catch((error: unknown) => this.#host.log(messageOf(error)));
    }, RENEW_MS);
    this.#timer.unref();
  }

  /** Waits for running work, which could write the removed values again. */
  async #endRepeating(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
  }

  /** Restores the settings that the user has not changed since. */
  async #putBack(): Promise<void> {
    const kept = await this.#read();
    if (!kept) return;
    for (const [name, set] of Object.entries(kept.set))
      if (this.#host.inspect(name)?.user === set) await this.#host.update(name, kept.before[name]);
    await this.#host.keep(undefined);
  }

  async #read(): Promise<Kept | undefined> {
    return keptSchema.safeParse(await this.#host.kept()).data;
  }
}

/** `http://127.0.0.1:1234/token/v1/traces` */
function listenOf(url: string): ListenAt {
  const { hostname, port, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/u, '$1'),
    port: Number(port),
    token: decodeURIComponent(pathname.slice(1).split('/')[0]!),
  };
}

/**
 * The settings by which VS Code's own agents (GitHub Copilot Chat) send their spans, set to the receiver and put back.
 * They are the user's: what they were is kept before any of them is touched, outlives the window, and is put back when
 * capturing stops; where the window or the editor ended before, at the next start, or by another window that is open. A
 * window that captures says so again and again, since the number of its process may be another's by now. Knows nothing of
 * the editor.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { withoutPath } from '../../shared/capture/environment.ts';
import { listenSchema, type ListenAt } from '../../shared/capture/listening.ts';

/** As GitHub Copilot Chat declares them; each is read when a window is loaded. */
export const AGENT_SETTINGS = 'github.copilot.chat.otel';

/** @param url of the receiver, with its path */
function wantedFor(url: string): Readonly<Record<string, unknown>> {
  return {
    enabled: true,
    exporterType: 'otlp-http',
    // The agents append the path themselves.
    otlpEndpoint: withoutPath(url),
    // Without it their spans hold neither what was asked nor what came back.
    captureContent: true,
    // Where it is set, spans go to that file alone.
    outfile: '',
  };
}

/** How often a window that captures says so, and how often another looks whether it still does. */
const RENEW_MS = 60_000;
/** Where it has not said so for so long, it is gone. */
const GONE_AFTER_MS = 3 * RENEW_MS;

const keptSchema = z.object({
  /** The user's values, and those put in their place; names without a value of the user's stand in `set` alone. */
  before: z.record(z.string(), z.unknown()),
  set: z.record(z.string(), z.unknown()),
  /** Process of the window that captures. */
  owner: z.number().int(),
  /** When it last said that it does; milliseconds since 1970. */
  renewed: z.number().default(0),
  /** Where it listens, and goes on listening in a window that is loaded again. */
  listen: listenSchema,
  /** The folder of that window, while it is loaded again so that the agents read their settings. */
  reloading: z.string().optional(),
});
type Kept = Read<typeof keptSchema>;

/** The user's settings and what outlives the window, by the names within {@link AGENT_SETTINGS}. */
export interface AgentSettingsHost {
  /** Nothing for a setting that no extension declares. */
  inspect(name: string): { readonly user: unknown; readonly elsewhere: boolean } | undefined;
  /** Sets the user's value; undefined takes it away. */
  update(name: string, value: unknown): Promise<void>;
  /** As it is now: another window may have written it. */
  kept(): Promise<unknown>;
  keep(value: Kept | undefined): Promise<void>;
  readonly process: number;
  isRunning(process: number): boolean;
  /** When this machine was started; milliseconds since 1970. */
  booted(): number;
  /** Settings that a window which is gone left were put back: agents of this window may have read them before. */
  onPutBack(): void;
  log(message: string): void;
}

export class AgentSettings {
  readonly #host: AgentSettingsHost;
  /** Says that this window captures, or looks whether another still does. */
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(host: AgentSettingsHost) {
    this.#host = host;
  }

  /** @throws ParallaxError `not-found` where there are no such agents, `bad-argument` where they cannot be told */
  async requireAgents(): Promise<void> {
    const enabled = this.#host.inspect('enabled');
    if (!enabled)
      throw new ParallaxError(
        'not-found',
        l10n.t(
          'No agent that sends OpenTelemetry is installed here: no extension has the settings github.copilot.chat.otel. GitHub Copilot Chat has them.',
        ),
      );
    const elsewhere = Object.keys(wantedFor('')).find((name) => this.#host.inspect(name)?.elsewhere);
    if (elsewhere !== undefined)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`This workspace sets ${`${AGENT_SETTINGS}.${elsewhere}`}, which counts more than your own settings. Take it out there first.`,
      );
    const kept = await this.#read();
    if (kept && this.#isAnothers(kept))
      throw new ParallaxError('bad-argument', l10n.t('Another window captures VS Code’s agents already.'));
  }

  /**
   * Sets all of them to the receiver; what they were is kept before.
   *
   * @param url of the receiver, with its path
   * @throws ParallaxError as {@link requireAgents}
   */
  async set(url: string): Promise<void> {
    await this.requireAgents();
    await this.#putBack();
    const names = Object.entries(wantedFor(url)).filter(([name]) => this.#host.inspect(name));
    const had = names.map(([name]) => [name, this.#host.inspect(name)?.user] as const);
    await this.#host.keep({
      before: Object.fromEntries(had.filter(([, value]) => value !== undefined)),
      set: Object.fromEntries(names),
      owner: this.#host.process,
      renewed: Date.now(),
      listen: listenOf(url),
    });
    this.#repeat(() => this.#renew());
    for (const [name, value] of names) await this.#host.update(name, value);
  }

  /** The window is about to be loaded again, and to go on. */
  async reloading(folder: string): Promise<void> {
    const kept = await this.#read();
    if (kept) await this.#host.keep({ ...kept, reloading: folder, renewed: Date.now() });
  }

  /**
   * At the start of a window: where it is to go on listening, if it was loaded again for that. What a window that is gone
   * left is put back; while another captures, it is looked after until that one has ended.
   */
  async resume(folder: string): Promise<ListenAt | undefined> {
    const kept = await this.#read();
    if (!kept) return undefined;
    if (kept.reloading === folder && this.#isFresh(kept)) {
      const { process } = this.#host;
      await this.#host.keep({ ...kept, reloading: undefined, owner: process, renewed: Date.now() });
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
    // Where it was to be loaded again and is still there, it stayed.
    if (kept?.owner === this.#host.process)
      await this.#host.keep({ ...kept, reloading: undefined, renewed: Date.now() });
  }

  /** Until it is not another's any more. */
  async #lookAfter(): Promise<void> {
    const kept = await this.#read();
    if (kept && this.#isAnothers(kept)) return;
    clearInterval(this.#timer);
    if (!kept) return;
    await this.#putBack();
    this.#host.onPutBack();
  }

  /** A process with the owner's number proves nothing: numbers are given again, most of all after a start of the machine. */
  #isAnothers(kept: Kept): boolean {
    const { process, isRunning } = this.#host;
    if (kept.owner === process || !this.#isFresh(kept)) return false;
    return kept.reloading !== undefined || isRunning(kept.owner);
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

  /** Ends work that has begun, which would write again what is taken away. */
  async #endRepeating(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
  }

  /** Settings that the user has changed since stay as they are. */
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

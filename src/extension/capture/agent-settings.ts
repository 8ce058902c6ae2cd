/**
 * The settings by which VS Code's own agents (GitHub Copilot Chat) send their spans, set to the receiver and put back.
 * They are the user's: what they were is kept before any of them is touched, outlives the window, and is put back when
 * capturing stops, or at the next start where the window or the editor ended before. Knows nothing of the editor.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../core/errors.ts';
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

const keptSchema = z.object({
  /** What the user had set, and what was set in its place; names without a value of the user's stand in `set` alone. */
  before: z.record(z.string(), z.unknown()),
  set: z.record(z.string(), z.unknown()),
  /** Process of the window that captures. */
  owner: z.number().int(),
  /** Where it listens, and goes on listening in a window that is loaded again. */
  listen: listenSchema,
  /** The folder of that window, while it is loaded again so that the agents read their settings. */
  reloading: z.string().optional(),
});
type Kept = z.output<typeof keptSchema>;

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
}

export class AgentSettings {
  readonly #host: AgentSettingsHost;

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
    if (kept && kept.owner !== this.#host.process && this.#host.isRunning(kept.owner))
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
      listen: listenOf(url),
    });
    for (const [name, value] of names) await this.#host.update(name, value);
  }

  /** The window is about to be loaded again, and to go on. */
  async reloading(folder: string): Promise<void> {
    const kept = await this.#read();
    if (kept) await this.#host.keep({ ...kept, reloading: folder });
  }

  /**
   * At the start of a window: where it is to go on listening, if it was loaded again for that. What a window that is gone
   * left is put back.
   */
  async resume(folder: string): Promise<ListenAt | undefined> {
    const kept = await this.#read();
    if (!kept) return undefined;
    if (kept.reloading === folder) {
      await this.#host.keep({ ...kept, reloading: undefined, owner: this.#host.process });
      return kept.listen;
    }
    if (!this.#host.isRunning(kept.owner)) await this.#putBack();
    return undefined;
  }

  /** Capturing stopped in this window. */
  async stopped(): Promise<void> {
    if ((await this.#read())?.owner === this.#host.process) await this.#putBack();
  }

  /** What the user set otherwise meanwhile stays as it is. */
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

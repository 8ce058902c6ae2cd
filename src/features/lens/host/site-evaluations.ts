/** The figures of call sites: known figures, running evaluations, and whether figures are stale. Pure. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError, type ErrorId } from '../../../core/errors.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { CallSite } from '../../../sites/model.ts';
import { isPlanned, planMeasured, planSite, type NotPlanned, type SitePlan } from '../../../sites/plan.ts';
import type { EngineClient, RequestOptions } from '../../../extension/engine-process/engine-client.ts';
import type { Memory } from '../../../extension/platform/memory.ts';
import { askedBy, asksTheSame } from './captured-sites.ts';
import type { SiteState } from './lens-text.ts';
import type { LiveQuestion, MeasuredCall } from '../../../extension/services/live-programs.ts';
import { siteFigures, siteFiguresSchema, type SiteFigures } from './site-figures.ts';
import { fingerprint, planRequest, type PlanningWorkspace } from './site-plan.ts';

/** A call site with its identity. */
export interface KnownSite {
  readonly key: string;
  readonly file: string;
  readonly site: CallSite;
  /** The text of the statement with the call. `undefined` if it is not known. */
  readonly statement?: string | undefined;
}

export interface SiteEvaluationsOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => PlanningWorkspace;
  readonly memory: Memory;
  /** Called when shown figures may have changed. */
  readonly changed: () => void;
  /** Called when a corpus was indexed for a run. */
  readonly indexed: (corpus: string) => Promise<void>;
}

const MEMORY_KEY = 'inline.figures';
/** Figures of at most this many call sites survive a restart, the newest ones. */
const MAX_KEPT = 200;
const keptSchema = z.record(z.string(), siteFiguresSchema);

interface Requested {
  readonly plan: SitePlan;
  /** Fingerprint of the request. */
  readonly requestKey: string;
  /** Ids of the questions that a running program was asked; `undefined` for a pipeline of Parallax. */
  readonly questions?: readonly string[] | undefined;
}

interface Planned {
  readonly revision: number;
  readonly planned: SitePlan | NotPlanned;
  readonly requestKey: string | undefined;
}

export class SiteEvaluations {
  readonly #options: SiteEvaluationsOptions;
  readonly #figures: Map<string, SiteFigures>;
  /** Call sites whose figures were computed in this window, with unchanged inputs since. */
  readonly #confirmed = new Set<string>();
  readonly #running = new Map<string, AbortController>();
  /** Plans by call site, until the workspace changes. */
  readonly #plans = new WeakMap<CallSite, Planned>();
  #revision = 0;

  constructor(options: SiteEvaluationsOptions) {
    this.#options = options;
    const storedFigures = keptSchema.safeParse(options.memory.get(MEMORY_KEY) ?? {});
    this.#figures = new Map(storedFigures.success ? Object.entries(storedFigures.data) : []);
  }

  /** Reads only memory. */
  state(known: KnownSite): SiteState {
    const { planned, requestKey } = this.#plan(known);
    const figures = this.#figures.get(known.key);
    return {
      planned,
      figures,
      stale: figures !== undefined && this.#isStale(known, figures, requestKey),
      running: this.#running.has(known.key),
      k: known.site.k.value,
    };
  }

  workspaceChanged(): void {
    this.#revision++;
    this.#options.changed();
  }

  /** A corpus or judgements changed; the figures stay, marked as stale. */
  figuresChanged(): void {
    if (this.#confirmed.size === 0) return;
    this.#confirmed.clear();
    this.#options.changed();
  }

  /** If a comparison was run again with the same judge, its figures are replaced by those of the new one. */
  comparedAgain(before: Evaluation, after: Evaluation): void {
    if (before.judge !== after.judge) return;
    for (const [key, figures] of [...this.#figures]) {
      if (figures.comparison !== before.id) continue;
      const nextFigures = siteFigures(after, figures, figures.asked);
      if (typeof nextFigures !== 'string') this.#keep(key, nextFigures);
    }
    this.#options.changed();
  }

  cancel(key: string): void {
    this.#running.get(key)?.abort();
  }

  /**
   * Runs the call's pipeline and its what-ifs on the eval set. Indexes the corpus first if needed. Cancels a running
   * evaluation of the same call.
   *
   * @throws ParallaxError if something is missing for it, the engine's error, `cancelled`
   */
  async evaluate(known: KnownSite, { signal, onNote }: RequestOptions = {}): Promise<SiteFigures> {
    const { planned, requestKey } = this.#plan(known);
    if (!isPlanned(planned)) throw notPlanned(planned);
    if (requestKey === undefined) throw new ParallaxError('bad-argument', l10n.t('There is nothing to ask.'));
    return this.#evaluated(known, { plan: planned, requestKey }, { signal, onNote });
  }

  /**
   * The questions of an eval set to ask a running call.
   *
   * @throws ParallaxError if something is missing for it
   */
  questions(known: KnownSite): readonly LiveQuestion[] {
    const plan = this.#measurable(known, { file: 'run', questions: [], k: 1, hasPool: false });
    return this.#options
      .workspace()
      .evalQueries.filter(({ evalSet }) => evalSet === plan.evalSet)
      .map(({ id, text }) => ({ id, text }));
  }

  /** {@link evaluate} from the results of a call in a running program. */
  async measured(known: KnownSite, call: MeasuredCall, options: RequestOptions = {}): Promise<SiteFigures> {
    const plan = this.#measurable(known, call);
    const requestKey = askedBy(known.site, known.statement ?? '');
    return this.#evaluated(known, { plan, requestKey, questions: call.questions }, options);
  }

  #measurable({ site }: KnownSite, call: MeasuredCall): SitePlan {
    const plan = planMeasured(site, call, this.#options.workspace());
    if (!isPlanned(plan)) throw notPlanned(plan);
    return plan;
  }

  async #evaluated(
    known: KnownSite,
    request: Requested,
    { signal, onNote }: RequestOptions,
  ): Promise<SiteFigures> {
    this.cancel(known.key);
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    signal?.addEventListener('abort', cancel, { once: true });
    this.#running.set(known.key, controller);
    this.#options.changed();
    try {
      const figures = await this.#run(request, { signal: controller.signal, onNote });
      this.#keep(known.key, figures);
      return figures;
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (this.#running.get(known.key) === controller) this.#running.delete(known.key);
      this.#options.changed();
    }
  }

  dispose(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  async #run({ plan, requestKey, questions }: Requested, options: RequestOptions): Promise<SiteFigures> {
    const { engine, workspace, indexed } = this.#options;
    const { corpus } = plan;
    const request = planRequest(plan, workspace(), questions);
    const status = await engine.request('status', { corpus }, options);
    if (!status.indexed) {
      await engine.request('index', { corpus, rebuild: false }, options);
      await indexed(corpus);
    }
    const about = questions ? { ...plan, live: true as const } : plan;
    const figures = siteFigures(await engine.request('compare', request, options), about, requestKey);
    if (typeof figures === 'string') throw new ParallaxError('retriever-failed', figures);
    return figures;
  }

  /** Figures of a running program stay current until its call is edited, also after a restart. */
  #isStale(known: KnownSite, figures: SiteFigures, requestKey: string | undefined): boolean {
    const { key, site, statement } = known;
    if (figures.live) return !asksTheSame(figures.asked, site, statement);
    return figures.asked !== requestKey || !this.#confirmed.has(key);
  }

  #keep(key: string, figures: SiteFigures): void {
    this.#figures.delete(key);
    this.#figures.set(key, figures);
    this.#confirmed.add(key);
    const newest = [...this.#figures].slice(-MAX_KEPT);
    this.#options.memory.set(MEMORY_KEY, Object.fromEntries(newest));
  }

  #plan({ site, file }: KnownSite): Planned {
    const known = this.#plans.get(site);
    if (known?.revision === this.#revision) return known;
    const workspace = this.#options.workspace();
    const { configProblem } = workspace;
    const planned: SitePlan | NotPlanned =
      configProblem === undefined
        ? planSite(site, file, workspace)
        : { reason: 'bad-config', message: configProblem };
    const requestKey = isPlanned(planned) ? fingerprint(planned, workspace) : undefined;
    const plan = { revision: this.#revision, planned, requestKey };
    this.#plans.set(site, plan);
    return plan;
  }
}

function notPlanned(planned: NotPlanned): ParallaxError {
  return new ParallaxError(errorOf(planned), planned.message);
}

function errorOf({ reason }: NotPlanned): ErrorId {
  return reason === 'bad-config' || reason === 'no-eval-set' || reason === 'untrusted'
    ? reason
    : 'bad-argument';
}

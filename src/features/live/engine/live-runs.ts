/** The running runs. Each is observed until it is cancelled, and calls of any of them can be repeated. */
import { once } from 'node:events';
import { ParallaxError } from '../../../core/errors.ts';
import * as l10n from '@vscode/l10n';
import type { CapturedRetrieval } from '../../capture/core/span-reading.ts';
import type { LiveMeasure } from '../contract/protocol.ts';
import type { LiveAnswer, LiveEvent, LiveRetrieval } from '../contract/requests.ts';
import { LiveRun, type LiveQuestion, type LiveRunOptions } from './live-run.ts';

export interface ObservedRun extends LiveRunOptions {
  readonly sites: Readonly<Record<string, { readonly file: string; readonly line: number }>>;
  /** Called with each retrieval that has a question. */
  readonly captured: (retrieval: CapturedRetrieval) => void;
}

export class LiveRuns {
  readonly #closing = new AbortController();
  readonly #runs = new Set<LiveRun>();

  /** Observes until the signal fires or {@link close} is called. @throws ParallaxError `bad-argument` */
  async observe({ sites, captured, report, ...options }: ObservedRun, signal: AbortSignal): Promise<void> {
    const placeOf = (site: string): (typeof sites)[string] | undefined =>
      Object.hasOwn(sites, site) ? sites[site] : undefined;
    const handleEvent = (event: LiveEvent): void => {
      if (event.type === 'retrieval' && event.question !== undefined)
        captured(capturedOf(event, event.question, placeOf(event.site)));
      report(event);
    };
    const run = await LiveRun.open({ ...options, report: handleEvent });
    this.#runs.add(run);
    try {
      const ending = AbortSignal.any([signal, this.#closing.signal]);
      if (!ending.aborted) await once(ending, 'abort');
    } finally {
      this.#runs.delete(run);
      await run.close();
    }
  }

  /** @throws ParallaxError `not-found` without a run, `retriever-failed`, `cancelled` */
  async ask(question: LiveQuestion, signal: AbortSignal): Promise<LiveAnswer> {
    const run = [...this.#runs].find((each) => each.knows(question.retrieval));
    if (!run)
      throw new ParallaxError(
        'retriever-failed',
        l10n.t('The program that retrieved this has ended. Run it again, and let it retrieve once.'),
      );
    return run.ask(question, signal);
  }

  /** @throws ParallaxError `not-found` if the run has ended */
  async measureNext(plan: string, measure: LiveMeasure | undefined): Promise<void> {
    const run = [...this.#runs].find((each) => each.plan === plan);
    if (!run) throw new ParallaxError('not-found', l10n.t('Programs are no longer observed.'));
    await run.measureNext(measure);
  }

  close(): void {
    this.#closing.abort();
  }
}

function capturedOf(
  { id, process, at, passages, site, k, durationMs, request }: LiveRetrieval,
  query: string,
  place: { readonly file: string; readonly line: number } | undefined,
): CapturedRetrieval {
  return {
    id: `${process}:${id}`,
    name: site.split('#').at(-2) ?? site,
    service: '',
    scope: '',
    at,
    step: 'retriever',
    query,
    results: passages.map(({ id: name, text, score, about }) => ({
      ...(name === undefined ? {} : { id: name }),
      ...(text === undefined ? {} : { text }),
      ...(score === undefined ? {} : { score }),
      ...(about ? { about } : {}),
    })),
    ...(place ? { code: place } : {}),
    live: {
      site,
      process,
      retrieval: id,
      durationMs,
      ...(k === undefined ? {} : { k }),
      ...(request === undefined ? {} : { request }),
    },
  };
}

/** Runs a program, and asks one of its calls every question. */
import type { ListedSite } from '../../agents/tools/sites.ts';
import type { Io } from '../../../cli/presentation/terminal.ts';
import { runLive, type LiveOutcome, type LiveSession } from './live-session.ts';
import {
  Measured,
  measureOf,
  siteToMeasure,
  type MeasureOptions,
  type PlaceOfCall,
  type Question,
} from './measuring.ts';
import { RunSummary } from './run-summary.ts';

export interface CallToMeasure extends PlaceOfCall, MeasureOptions {
  readonly questions: readonly Question[];
}

export interface MeasuredCall {
  readonly site: ListedSite;
  readonly measured: Measured;
  readonly outcome: LiveOutcome;
}

/** @throws UsageError if there is no such call, ParallaxError `not-found` if the command cannot be run */
export async function measureCall(
  session: Omit<LiveSession, 'measure' | 'onEvent'>,
  { questions, ...call }: CallToMeasure,
  io: Io,
): Promise<MeasuredCall> {
  const [summary, measured] = [new RunSummary(), new Measured()];
  let site: ListedSite | undefined;
  const outcome = await runLive(
    {
      ...session,
      measure: (sites) => {
        site = siteToMeasure(call, sites, session.base);
        return measureOf(site, questions, call);
      },
      onEvent: (event) => {
        summary.take(event);
        measured.take(event);
      },
    },
    io,
  );
  io.stderr(measured.text(site!, questions));
  if (measured.count === 0) io.stderr(summary.text(outcome.sites, outcome.observed, session.base));
  return { site: site!, measured, outcome };
}

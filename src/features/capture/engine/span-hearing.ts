/**
 * Reads arriving spans, each once: exporters send again after a lost answer, and spans of tools repeat those of their
 * retriever.
 */
import { createHash } from 'node:crypto';
import { CallHalves, spanOfLog } from '../core/agent-logs.ts';
import { readSpan } from '../core/conventions.ts';
import {
  isRetrieval,
  type CapturedRetrieval,
  type SpanReading,
  type RetrievalReading,
  type UnusedSpan,
} from '../core/span-reading.ts';
import type { ToolsByName } from '../core/own-tools.ts';
import type { RunQuestions } from '../core/root-question.ts';
import type { CapturedSpan } from '../core/spans.ts';

/** The number of last spans among which repeated ones are recognised. */
const REMEMBERED_SPANS = 10_000;

export interface HeardSpans {
  readonly retrievals: readonly CapturedRetrieval[];
  /** Spans that cannot be shown as retrievals. */
  readonly unused: readonly UnusedSpan[];
  /** Spans that were unused before, and are part of a retrieval after all. */
  readonly used: readonly UnusedSpan[];
}

export class SpanHearing {
  readonly #seen = new Set<string>();
  readonly #retrieved = new Set<string>();
  readonly #halves = new CallHalves();
  readonly #tools: ToolsByName | undefined;

  readonly #questions: RunQuestions;

  /**
   * @param tools whose answers have a special form
   * @param questions of runs, which this adds to
   */
  constructor(tools: ToolsByName | undefined, questions: RunQuestions) {
    this.#tools = tools;
    this.#questions = questions;
  }

  /** What is new in these spans. */
  hear(spans: readonly CapturedSpan[]): HeardSpans {
    const told = spans.flatMap((span) => (span.isLog ? (spanOfLog(span) ?? []) : [span]));
    const fresh = told.filter(({ traceId, spanId }) => isNew(`${traceId}:${spanId}`, this.#seen));
    this.#questions.add(fresh);
    const used: UnusedSpan[] = [];
    const readings = fresh.flatMap((span) => {
      const joined = this.#halves.join(span);
      if (joined && !joined.before.isLog) used.push(...this.#unusedIn(joined.before));
      const whole = joined?.whole ?? span;
      const reading = readSpan(whole, this.#tools);
      if (isRetrieval(reading)) return this.#toldOnce(reading);
      // A program logs much, and only its calls of tools matter.
      return whole.isLog ? [] : [reading];
    });
    return {
      retrievals: readings.flatMap((reading) => (isRetrieval(reading) ? [reading.retrieval] : [])),
      unused: readings.flatMap((reading) => (isRetrieval(reading) ? [] : [reading.unused])),
      used,
    };
  }

  #unusedIn(span: CapturedSpan): UnusedSpan[] {
    const reading = readSpan(span, this.#tools);
    return isRetrieval(reading) ? [] : [reading.unused];
  }

  /** A tool call with the same results as its retriever is not counted again. Spans end from the inside out. */
  #toldOnce(reading: RetrievalReading): SpanReading {
    const { retrieval, call } = reading;
    const trace = retrieval.id.split(':', 1)[0];
    const texts = retrieval.results.map(({ text }) => text);
    const content = JSON.stringify([trace, retrieval.query, texts]);
    const isFirst = isNew(createHash('sha256').update(content).digest('base64'), this.#retrieved);
    return isFirst || call === undefined ? reading : { unused: { kind: call, reason: 'repeated' } };
  }
}

/** Adds a new id, and removes the oldest for it. */
function isNew(id: string, known: Set<string>): boolean {
  if (known.has(id)) return false;
  known.add(id);
  if (known.size > REMEMBERED_SPANS) known.delete(known.values().next().value!);
  return true;
}

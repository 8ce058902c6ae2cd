/**
 * What coding agents tell about their tools outside of attributes of spans. Codex logs arguments and results. Claude Code
 * logs the arguments, and adds the result to its span as an event.
 */
import { textAttribute } from './span-reading.ts';
import { MAX_ID, TOOL_RESULT, type AttributeValue, type CapturedSpan } from './spans.ts';

const OPERATION = 'gen_ai.operation.name';
const NAME = 'gen_ai.tool.name';
const CALL = 'gen_ai.tool.call.id';
const ARGUMENTS = 'gen_ai.tool.call.arguments';

/** Codex puts this before a result. */
const WALL_TIME = /^Wall time: [^\n]*\nOutput:\n/u;

/**
 * A log record in the form of a span by OpenTelemetry's conventions for tools.
 *
 * @returns `undefined` if it is about neither a tool nor the user's question
 */
export function spanOfLog(record: CapturedSpan): CapturedSpan | undefined {
  const attributes = attributesOfLog(record.attributes);
  if (!attributes) return undefined;
  const call = textAttribute(record.attributes, 'call_id') ?? textAttribute(record.attributes, 'tool_use_id');
  if (call !== undefined && call.length > MAX_ID) return undefined;
  if (call !== undefined) attributes.set(CALL, call);
  // Logs of one span share its id.
  const spanId = `${record.spanId} ${call ?? record.startedAt}`;
  return { ...record, spanId, name: attributes.get(NAME) ?? '', attributes };
}

function attributesOfLog(log: ReadonlyMap<string, AttributeValue>): Map<string, string> | undefined {
  const field = (name: string): string => textAttribute(log, name) ?? '';
  switch (field('event.name')) {
    case 'user_prompt':
    case 'codex.user_prompt':
      return new Map([['input.value', field('prompt')]]);
    case 'tool_result':
      return new Map([
        [OPERATION, 'execute_tool'],
        [NAME, field('tool_name')],
        [ARGUMENTS, field('tool_input')],
      ]);
    case 'codex.tool_result':
      return new Map([
        [OPERATION, 'execute_tool'],
        [NAME, field('tool_name')],
        [ARGUMENTS, field('arguments')],
        [TOOL_RESULT, field('output').replace(WALL_TIME, '')],
      ]);
    default:
      return undefined;
  }
}

/** Calls whose other half never arrives are forgotten, the oldest first. */
const MAX_WAITING = { calls: 1_000, characters: 32_000_000 };

/** Joins calls whose arguments and result arrive apart, in any order. */
export class CallHalves {
  readonly #waiting = new Map<string, CapturedSpan>();
  #characters = 0;

  /** @returns the whole call, and the half that came before; `undefined` while the other half is missing */
  join(span: CapturedSpan): { readonly whole: CapturedSpan; readonly before: CapturedSpan } | undefined {
    const { traceId, attributes } = span;
    const call = textAttribute(attributes, CALL);
    if (call === undefined || attributes.has(ARGUMENTS) === attributes.has(TOOL_RESULT)) return undefined;
    const key = `${traceId} ${call}`;
    const before = this.#waiting.get(key);
    if (!before || before.attributes.has(TOOL_RESULT) === attributes.has(TOOL_RESULT)) {
      this.#wait(key, span);
      return undefined;
    }
    this.#forget(key, before);
    const [log, told] = span.isLog ? [span, before] : [before, span];
    const name = textAttribute(told.attributes, NAME) ?? told.name;
    const whole = {
      ...told,
      isLog: undefined,
      name,
      attributes: new Map([...log.attributes, ...told.attributes]),
    };
    return { whole, before };
  }

  #wait(key: string, span: CapturedSpan): void {
    const before = this.#waiting.get(key);
    if (before) this.#forget(key, before);
    this.#waiting.set(key, span);
    this.#characters += charactersOf(span);
    for (const [oldest, other] of this.#waiting) {
      const isRoom = this.#waiting.size <= MAX_WAITING.calls && this.#characters <= MAX_WAITING.characters;
      if (isRoom) return;
      this.#forget(oldest, other);
    }
  }

  #forget(key: string, span: CapturedSpan): void {
    this.#waiting.delete(key);
    this.#characters -= charactersOf(span);
  }
}

function charactersOf({ attributes }: CapturedSpan): number {
  const lengths = [...attributes.values()].map(
    (value) => (typeof value === 'string' ? value : JSON.stringify(value)).length,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

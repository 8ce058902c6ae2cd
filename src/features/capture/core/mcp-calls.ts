/** Reads the calls of tools in a connection of the Model Context Protocol: JSON messages, one per line. */
import { isRecord, isTooDeep } from '../../../core/text/json.ts';
import type { ToolsByName } from './own-tools.ts';
import { readSpan } from './conventions.ts';
import { isRetrieval, type CapturedRetrieval } from './span-reading.ts';
import type { AttributeValue, CapturedSpan } from './spans.ts';

/** Calls that are never answered are forgotten. */
const MAX_WAITING = 10_000;
/** `version-trace-parent-flags` of W3C Trace Context. */
const TRACE = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/u;

type SearchOfServer = CapturedRetrieval & { readonly run?: string };

export class McpCalls {
  /** By the id of the message. */
  readonly #waiting = new Map<unknown, { readonly params: Record<string, unknown>; readonly at: number }>();
  readonly #tools: ToolsByName;
  readonly #session: string;
  /** The number of calls that were answered. */
  #answered = 0;
  #service = '';

  /** @param session is unique */
  constructor(tools: ToolsByName, session: string) {
    this.#tools = tools;
    this.#session = session;
  }

  get answered(): number {
    return this.#answered;
  }

  /** @param line from the client @param at in milliseconds since 1970 */
  ask(line: string, at: number): void {
    for (const message of messagesIn(line)) {
      if (message['method'] !== 'tools/call' || !isRecord(message['params'])) continue;
      this.#waiting.set(message['id'], { params: message['params'], at });
      if (this.#waiting.size > MAX_WAITING) this.#waiting.delete(this.#waiting.keys().next().value);
    }
  }

  /** @param line from the server @returns the searches among the answered calls */
  answer(line: string): SearchOfServer[] {
    return messagesIn(line).flatMap((message) => {
      const { id, result } = message;
      if (!isRecord(result)) return [];
      if (isRecord(result['serverInfo'])) this.#service = textOf(result['serverInfo']['name']);
      const call = this.#waiting.get(id);
      if (!call) return [];
      this.#waiting.delete(id);
      this.#answered++;
      return this.#search(call, result);
    });
  }

  #search({ params, at }: { params: Record<string, unknown>; at: number }, result: object): SearchOfServer[] {
    const { name, arguments: input = {}, _meta: meta } = params;
    const run = TRACE.exec(isRecord(meta) ? textOf(meta['traceparent']) : '')?.[1];
    const span: CapturedSpan = {
      traceId: run ?? this.#session,
      spanId: String(this.#answered),
      name: textOf(name),
      startedAt: at,
      attributes: new Map<string, AttributeValue>([
        ['mcp.method.name', 'tools/call'],
        ['gen_ai.tool.name', textOf(name)],
        ['gen_ai.tool.call.arguments', JSON.stringify(input)],
        ['gen_ai.tool.call.result', JSON.stringify(result)],
      ]),
      service: this.#service,
      scope: 'parallax mcp-proxy',
    };
    const reading = readSpan(span, this.#tools);
    return isRetrieval(reading) ? [{ ...reading.retrieval, ...(run === undefined ? {} : { run }) }] : [];
  }
}

function messagesIn(line: string): Record<string, unknown>[] {
  try {
    if (isTooDeep(line)) return [];
    const value: unknown = JSON.parse(line);
    return (Array.isArray(value) ? value : [value]).filter(isRecord);
  } catch {
    // Whatever else a server writes is passed on, too.
    return [];
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a run of a program was asked: the input of the span of its trace that began first, as far as it is in words. */
import { isRecord, unpacked } from '../text/json.ts';
import type { CapturedSpan } from './spans.ts';

const INPUTS = [
  'input.value',
  'gen_ai.input.messages',
  'ai.prompt.messages',
  'ai.prompt',
  'traceloop.entity.input',
  'langfuse.observation.input',
  'gen_ai.prompt',
  'genkit:input',
];
const QUESTIONS = ['question', 'query', 'input', 'prompt', 'text', 'content', 'user_input'];
const WRAPPERS = ['messages', 'inputs', 'kwargs', 'data', 'parts'];
const PEOPLE: readonly unknown[] = ['user', 'human'];
const DEEPEST = 5;
/** A longer one is a document that the program was given. */
const LONGEST = 2_000;
const LONGEST_INPUT = 200_000;
const MOST_TRACES = 10_000;

/** @returns `undefined` if the input has no question in words */
function askedIn({ attributes }: CapturedSpan): string | undefined {
  for (const name of INPUTS) {
    const input = attributes.get(name);
    if (input === undefined || (typeof input === 'string' && input.length > LONGEST_INPUT)) continue;
    const found = questionOf(unpacked(input), 0)?.trim();
    if (found !== undefined && found !== '') return found.length > LONGEST ? undefined : found;
  }
  return undefined;
}

/** The questions of the traces that came last. Spans end from the inside out: the one that began first comes late. */
export class RunQuestions {
  readonly #byTrace = new Map<string, { readonly at: number; readonly text: string }>();

  readonly #onNew: (traceId: string, text: string) => void;

  /** @param onNew a trace has another question than before */
  constructor(onNew: (traceId: string, text: string) => void = () => undefined) {
    this.#onNew = onNew;
  }

  add(spans: readonly CapturedSpan[]): void {
    for (const span of spans) {
      const { traceId, startedAt: at } = span;
      const before = this.#byTrace.get(traceId);
      if (before && before.at < at) continue;
      const text = askedIn(span);
      if (text === undefined) continue;
      this.restore(traceId, text, at);
      if (before?.text !== text) this.#onNew(traceId, text);
    }
  }

  /** @param at of the span that said it; any span that comes begins later when left out */
  restore(traceId: string, text: string, at = Number.NEGATIVE_INFINITY): void {
    this.#byTrace.delete(traceId);
    this.#byTrace.set(traceId, { at, text });
    if (this.#byTrace.size > MOST_TRACES) this.#byTrace.delete(this.#byTrace.keys().next().value!);
  }

  of(traceId: string): string | undefined {
    return this.#byTrace.get(traceId)?.text;
  }

  clear(): void {
    this.#byTrace.clear();
  }
}

function questionOf(value: unknown, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return lastMessage(value, depth);
  if (!isRecord(value)) return undefined;
  for (const name of [...WRAPPERS, ...QUESTIONS]) {
    const found = questionOf(unpacked(value[name]), depth + 1);
    if (found !== undefined && found !== '') return found;
  }
  return undefined;
}

/** Of a conversation, what a person said last; of other lists, the first entry that says something. */
function lastMessage(list: readonly unknown[], depth: number): string | undefined {
  // A message as a pair of who said it and what.
  if (list.length === 2 && PEOPLE.includes(list[0])) return questionOf(list[1], depth + 1);
  const said = list.filter((entry) => isPersons(entry)).at(-1);
  if (said !== undefined) return questionOf(said, depth + 1);
  const isConversation = list.some((entry) => isRecord(entry) && typeof entry['role'] === 'string');
  if (isConversation) return undefined;
  for (const entry of list) {
    const found = questionOf(entry, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** LangChain writes a message's class into `id`. */
function isPersons(entry: unknown): boolean {
  if (Array.isArray(entry)) return PEOPLE.includes(entry[0]);
  if (!isRecord(entry)) return false;
  if (PEOPLE.includes(entry['role']) || PEOPLE.includes(entry['type'])) return true;
  return Array.isArray(entry['id']) && entry['id'].at(-1) === 'HumanMessage';
}

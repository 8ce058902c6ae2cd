/** The question that a program run was asked: the text in the input of the earliest span of its trace. */
import { isRecord, unpacked } from '../../../core/text/json.ts';
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
  // Claude Code.
  'user_prompt',
];
const QUESTIONS = ['question', 'query', 'input', 'prompt', 'text', 'content', 'user_input'];
const WRAPPERS = ['messages', 'inputs', 'kwargs', 'data', 'parts'];
const PEOPLE: readonly unknown[] = ['user', 'human'];
const MAX_DEPTH = 5;
/** Longer texts are documents given to the program. */
const LONGEST = 2_000;
const LONGEST_INPUT = 200_000;
const MAX_TRACES = 10_000;

/** @returns `undefined` if the input contains no question in words */
function askedIn({ attributes }: CapturedSpan): string | undefined {
  for (const name of INPUTS) {
    const input = attributes.get(name);
    if (input === undefined || (typeof input === 'string' && input.length > LONGEST_INPUT)) continue;
    const question = withoutContext(questionOf(unpacked(input), 0)?.trim() ?? '');
    if (question !== '') return question.length > LONGEST ? undefined : question;
  }
  return undefined;
}

/** As coding agents name what they put before a question; no element of HTML. */
const CONTEXT =
  /^<(?<tag>(?:[a-z]+[-_][-_a-z]+|context|reminder))(?:\s[^>]*)?>(?<content>[\s\S]*?)<\/\k<tag>>\s*/u;

/** The question without the elements that a coding agent puts before it, or the content of the last one if it is alone. */
function withoutContext(text: string): string {
  for (let rest = text; ;) {
    const context = CONTEXT.exec(rest);
    if (!context) return rest;
    rest = rest.slice(context[0].length);
    if (rest === '') return context.groups!['content']!.trim();
  }
}

/** The questions of the latest traces. Inner spans end first, so the earliest span arrives late. */
export class RunQuestions {
  readonly #byTrace = new Map<string, { readonly at: number; readonly text: string }>();

  readonly #onNew: (traceId: string, text: string) => void;

  /** @param onNew called if the question of a trace changes */
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

  /** @param at start of the span with the question; by default earlier than any span */
  restore(traceId: string, text: string, at = Number.NEGATIVE_INFINITY): void {
    this.#byTrace.delete(traceId);
    this.#byTrace.set(traceId, { at, text });
    if (this.#byTrace.size > MAX_TRACES) this.#byTrace.delete(this.#byTrace.keys().next().value!);
  }

  of(traceId: string): string | undefined {
    return this.#byTrace.get(traceId)?.text;
  }

  clear(): void {
    this.#byTrace.clear();
  }
}

function questionOf(value: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return lastMessage(value, depth);
  if (!isRecord(value)) return undefined;
  for (const name of [...WRAPPERS, ...QUESTIONS]) {
    const question = questionOf(unpacked(value[name]), depth + 1);
    if (question !== undefined && question !== '') return question;
  }
  return undefined;
}

/** The last message of a person in a conversation, or the first readable entry of another list. */
function lastMessage(list: readonly unknown[], depth: number): string | undefined {
  // A message as a pair of sender and text.
  if (list.length === 2 && PEOPLE.includes(list[0])) return questionOf(list[1], depth + 1);
  const message = list.filter((entry) => isPersons(entry)).at(-1);
  if (message !== undefined) return questionOf(message, depth + 1);
  const isConversation = list.some((entry) => isRecord(entry) && typeof entry['role'] === 'string');
  if (isConversation) return undefined;
  for (const entry of list) {
    const question = questionOf(entry, depth + 1);
    if (question !== undefined) return question;
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

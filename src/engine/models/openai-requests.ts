/** Builds requests to an endpoint. Options that it refuses are dropped one after the other. */
import { APIError, type OpenAI } from 'openai';
import type { AnswerForm, JsonSchema } from '../../core/judging/answer-form.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { OpenAiSettings } from './openai-client.ts';

/** Not every model or server accepts these. After the first refusal, the next alternative is sent, or none. */
type OptionalParameter = 'temperature' | AnswerFormat | Limit;

/** How an answer is restricted to its form, the strictest first. Plain text if both are refused. */
const ANSWER_FORMATS = ['json_schema', 'json_object'] as const;
type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** The names of the length limit. */
const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
const LIMIT_OF_RESPONSES = 'max_output_tokens' as const;
type Limit = (typeof LIMITS)[number] | typeof LIMIT_OF_RESPONSES;

/** Room for a model's reasoning before its answer, which endpoints count as part of the answer. */
const THINKING_TOKENS = 16_384;

/** The number of alternatives per token that every endpoint with token probabilities supports. */
const TOKEN_PROBABILITIES = { logprobs: true, top_logprobs: 5 } as const;

/** The request format of an endpoint, as learnt from its refusals. */
export interface Manner {
  /** Through the `responses` API, since chat completions do not offer the model. */
  readonly byResponses: boolean;
  /** Whether the model accepts only the roles user and assistant. */
  readonly withoutSystemRole: boolean;
  /** Whether the model thinks before it answers. */
  readonly thinks: boolean;
  readonly temperature: number;
  /** Not sent again. */
  readonly refused: readonly OptionalParameter[];
}

/**
 * The first format to try, from the user's settings and the model's name. The o series and GPT-5 think, and refuse
 * parameters that others accept.
 */
export function usualManner({
  model,
  api,
  temperature = 0,
}: Pick<OpenAiSettings, 'model' | 'api' | 'temperature'>): Manner {
  const thinks = /^(?:.*\/)?(?:o\d|gpt-5)\b/iu.test(model);
  const refused: OptionalParameter[] = thinks ? ['max_tokens'] : [];
  // A temperature that the user set is always sent, so that the endpoint reports if it refuses it.
  if (thinks && temperature === 0) refused.push('temperature');
  return { byResponses: api === 'responses', withoutSystemRole: false, thinks, temperature, refused };
}

/** Whether an endpoint has refused the temperature that the user set. */
export function lacksTemperature({ temperature, refused }: Manner): boolean {
  return temperature !== 0 && refused.includes('temperature');
}

/** Whether an answer is useful without them (`welcome`) or useless (`needed`). */
export type TokenProbabilities = 'needed' | 'welcome' | 'unwanted';

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly manner: Manner;
  readonly tokenProbabilities: TokenProbabilities;
  /** The optional parameters of the request. */
  readonly parameters: readonly OptionalParameter[];
  readonly form: AnswerForm | undefined;
}

export function chatRequest(
  messages: readonly ChatMessage[],
  manner: Manner,
  tokenProbabilities: TokenProbabilities,
  form?: AnswerForm,
): ChatRequest {
  const isJson = tokenProbabilities !== 'needed' && asksForJson(messages);
  const isTaken = (name: OptionalParameter): boolean => !manner.refused.includes(name);
  const formats: readonly AnswerFormat[] = isJson
    ? ANSWER_FORMATS.filter((name) => form?.schema || name !== 'json_schema')
    : [];
  const limits: readonly Limit[] = form ? (manner.byResponses ? [LIMIT_OF_RESPONSES] : LIMITS) : [];
  const lines: readonly (readonly OptionalParameter[])[] = [['temperature'], formats, limits];
  const parameters = lines.flatMap((inLine) => inLine.find(isTaken) ?? []);
  return { messages, manner, tokenProbabilities, parameters, form };
}

/**
 * Endpoints refuse JSON if the instructions do not ask for it, as for a passage to be written. JSON is also left out
 * if token probabilities are needed, since the first tokens of a JSON object are brackets.
 */
function asksForJson(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ role, content }) => role === 'system' && content.includes('JSON'));
}

export function completionBody(
  model: string,
  request: ChatRequest,
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const { parameters, tokenProbabilities, form, manner } = request;
  return {
    model,
    messages: sentMessages(request),
    ...(parameters.includes('temperature') && { temperature: manner.temperature }),
    ...(parameters.includes('json_schema') && {
      response_format: { type: 'json_schema', json_schema: strictly(form!.schema!) },
    }),
    ...(parameters.includes('json_object') && { response_format: { type: 'json_object' } }),
    ...limitOf(request),
    ...(tokenProbabilities !== 'unwanted' && TOKEN_PROBABILITIES),
  };
}

/** The body for the `responses` API, which is never asked for token probabilities. */
export function responseBody(
  model: string,
  request: ChatRequest,
): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  const { parameters, form, manner } = request;
  return {
    model,
    input: sentMessages(request),
    store: false,
    ...(parameters.includes('temperature') && { temperature: manner.temperature }),
    ...(parameters.includes('json_schema') && {
      text: { format: { type: 'json_schema', ...strictly(form!.schema!) } },
    }),
    ...(parameters.includes('json_object') && { text: { format: { type: 'json_object' } } }),
    ...limitOf(request),
  };
}

function strictly(schema: JsonSchema): { name: string; strict: true; schema: Record<string, unknown> } {
  return { name: 'answer', strict: true, schema: { ...schema } };
}

function limitOf({ parameters, form, manner }: ChatRequest): Partial<Record<Limit, number>> {
  const all: readonly Limit[] = [...LIMITS, LIMIT_OF_RESPONSES];
  const name = all.find((limit) => parameters.includes(limit));
  return name && form ? { [name]: form.maxTokens + (manner.thinks ? THINKING_TOKENS : 0) } : {};
}

/** For a model without a system role, puts the instructions before the question, in one message. */
function sentMessages({ messages, manner }: ChatRequest): ChatMessage[] {
  if (!manner.withoutSystemRole) return messages.map((message) => ({ ...message }));
  return [{ role: 'user', content: messages.map(({ content }) => content).join('\n\n') }];
}

/**
 * The format for an endpoint that refused a request.
 *
 * @param known the present format, which parallel requests may have updated already
 * @returns undefined if the error does not concern the format of the request
 */
export function mannerAfter(known: Manner, request: ChatRequest, error: unknown): Manner | undefined {
  const { manner, parameters } = request;
  if (!manner.byResponses && wantsResponses(error)) return { ...known, byResponses: true };
  if (!manner.withoutSystemRole && refusesSystemRole(error)) return { ...known, withoutSystemRole: true };
  const refused = parameters.filter((parameter) => isRefused(parameter, error));
  return refused.length > 0 ? { ...known, refused: [...known.refused, ...refused] } : undefined;
}

export function refusesTokenProbabilities(error: unknown): boolean {
  return isRefused('logprobs', error);
}

function isRefused(parameter: OptionalParameter | 'logprobs', error: unknown): boolean {
  if (!isRejection(error, [400, 422])) return false;
  const reason = `${error.param ?? ''} ${error.message}`;
  return reason.includes(parameter) || (FORMAT_REFUSALS[parameter]?.test(reason) ?? false);
}

/** The words by which servers refuse to restrict a model to a form. */
const FORMAT_REFUSALS: Readonly<Partial<Record<string, RegExp>>> = {
  json_schema: /response_format|schema|grammar|guided|structured/iu,
  json_object: /response_format/iu,
};

/** Templates of some local models, and some hosted models, accept only the roles user and assistant. */
function refusesSystemRole(error: unknown): boolean {
  if (!isRejection(error, [400, 422, 500])) return false;
  return /\bsystem\b/iu.test(error.message) && /\brole|message|instruction|prompt/iu.test(error.message);
}

function wantsResponses(error: unknown): boolean {
  return isRejection(error, [400, 404, 405]) && /\bresponses\b/iu.test(error.message);
}

function isRejection(error: unknown, statuses: readonly number[]): error is APIError {
  return error instanceof APIError && statuses.includes(Number(error.status));
}

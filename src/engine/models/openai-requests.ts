/** Requests to an endpoint, which give up one wish after the other where it refuses them. */
import { APIError, type OpenAI } from 'openai';
import type { AnswerForm, JsonSchema } from '../../core/judging/answer-form.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { OpenAiSettings } from './openai-client.ts';

/** Not every model or server accepts these: from the first refusal on the next in line is sent, or nothing. */
type OptionalParameter = 'temperature' | AnswerFormat | Limit;

/** How an answer is held to its form, the strictest first; plain text where both are refused. */
const ANSWER_FORMATS = ['json_schema', 'json_object'] as const;
type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** By which name a limit of the answer's length goes. */
const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
const LIMIT_OF_RESPONSES = 'max_output_tokens' as const;
type Limit = (typeof LIMITS)[number] | typeof LIMIT_OF_RESPONSES;

/** Room for what a model thinks before it answers, which endpoints count as a part of the answer. */
const THINKING_TOKENS = 16_384;

/** As many alternatives to each token as every endpoint gives that gives any. */
const TOKEN_PROBABILITIES = { logprobs: true, top_logprobs: 5 } as const;

/** How an endpoint wants to be asked, as far as its refusals have told. */
export interface Manner {
  /** Through the `responses` API, since the model is not behind chat completions. */
  readonly byResponses: boolean;
  /** The model knows users and assistants only. */
  readonly withoutSystemRole: boolean;
  /** The model thinks before it answers. */
  readonly thinks: boolean;
  readonly temperature: number;
  /** Not sent again. */
  readonly refused: readonly OptionalParameter[];
}

/**
 * How a model is asked first: as its user says, and as its name tells. The o series and GPT-5 think, and refuse what
 * others take.
 */
export function usualManner({
  model,
  api,
  temperature = 0,
}: Pick<OpenAiSettings, 'model' | 'api' | 'temperature'>): Manner {
  const thinks = /^(?:.*\/)?(?:o\d|gpt-5)\b/iu.test(model);
  const refused: OptionalParameter[] = thinks ? ['max_tokens'] : [];
  // A temperature of the user's own is left out for no model: the endpoint says that it does not take it.
  if (thinks && temperature === 0) refused.push('temperature');
  return { byResponses: api === 'responses', withoutSystemRole: false, thinks, temperature, refused };
}

/** Whether an endpoint has refused the temperature that its user wants. */
export function lacksTemperature({ temperature, refused }: Manner): boolean {
  return temperature !== 0 && refused.includes('temperature');
}

/** Whether an answer is of use without them (`welcome`), or of none (`needed`). */
export type TokenProbabilities = 'needed' | 'welcome' | 'unwanted';

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly manner: Manner;
  readonly tokenProbabilities: TokenProbabilities;
  /** The optional parameters that it carries. */
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
 * Endpoints refuse JSON where the instructions do not ask for it, as for a passage that is made up. Where token
 * probabilities are needed it is left out, too: the tokens of a JSON object are brackets before they are words.
 */
function asksForJson(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ role, content }) => role === 'system' && content.includes('JSON'));
}

/** The body for chat completions. */
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

/** Where a model has no system role, the instructions stand before the question, in one message. */
function sentMessages({ messages, manner }: ChatRequest): ChatMessage[] {
  if (!manner.withoutSystemRole) return messages.map((message) => ({ ...message }));
  return [{ role: 'user', content: messages.map(({ content }) => content).join('\n\n') }];
}

/**
 * The manner to ask an endpoint in that refused a request.
 *
 * @param known what is known by now; requests that were under way side by side may have taught something already
 * @returns nothing where the error is not about the manner of the request
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

/** The words in which servers refuse to hold a model to a form. */
const FORMAT_REFUSALS: Readonly<Partial<Record<string, RegExp>>> = {
  json_schema: /response_format|schema|grammar|guided|structured/iu,
  json_object: /response_format/iu,
};

/** Some templates of local models, and some hosted models, know users and assistants only. */
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

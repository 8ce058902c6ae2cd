/** What an endpoint is sent, and what is given up where it refuses. */
import { APIError, type OpenAI } from 'openai';
import type { ChatMessage } from '../../core/judging/chat-message.ts';

/** Parameters that not every model or server accepts; left out from the first refusal on. */
const OPTIONAL_PARAMETERS = ['temperature', 'response_format'] as const;
type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** As many alternatives to each token as every endpoint gives that gives any. */
const TOKEN_PROBABILITIES = { logprobs: true, top_logprobs: 5 } as const;

/** How an endpoint wants to be asked, as far as its refusals have told. */
export interface Manner {
  /** Through the `responses` API, since the model is not behind chat completions. */
  readonly byResponses: boolean;
  /** The model knows users and assistants only. */
  readonly withoutSystemRole: boolean;
  /** Names of parameters that are not sent again. */
  readonly refused: readonly OptionalParameter[];
}

export const USUAL_MANNER: Manner = { byResponses: false, withoutSystemRole: false, refused: [] };

/** Whether an answer is of use without them (`welcome`), or of none (`needed`). */
export type TokenProbabilities = 'needed' | 'welcome' | 'unwanted';

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly manner: Manner;
  readonly tokenProbabilities: TokenProbabilities;
  /** The optional parameters that it carries. */
  readonly parameters: readonly OptionalParameter[];
}

export function chatRequest(
  messages: readonly ChatMessage[],
  manner: Manner,
  tokenProbabilities: TokenProbabilities,
): ChatRequest {
  const isJson = tokenProbabilities !== 'needed' && asksForJson(messages);
  const parameters = OPTIONAL_PARAMETERS.filter(
    (name) => !manner.refused.includes(name) && (isJson || name !== 'response_format'),
  );
  return { messages, manner, tokenProbabilities, parameters };
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
  const { parameters, tokenProbabilities } = request;
  return {
    model,
    messages: sentMessages(request),
    ...(parameters.includes('temperature') && { temperature: 0 }),
    ...(parameters.includes('response_format') && { response_format: { type: 'json_object' } }),
    ...(tokenProbabilities !== 'unwanted' && TOKEN_PROBABILITIES),
  };
}

/** The body for the `responses` API, which is never asked for token probabilities. */
export function responseBody(
  model: string,
  request: ChatRequest,
): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  const { parameters } = request;
  return {
    model,
    input: sentMessages(request),
    store: false,
    ...(parameters.includes('temperature') && { temperature: 0 }),
    ...(parameters.includes('response_format') && { text: { format: { type: 'json_object' } } }),
  };
}

/** Where a model has no system role, the instructions stand before the question, in one message. */
function sentMessages({ messages, manner }: ChatRequest): ChatMessage[] {
  if (!manner.withoutSystemRole) return messages.map((message) => ({ ...message }));
  return [{ role: 'user', content: messages.map(({ content }) => content).join('\n\n') }];
}

/**
 * What an endpoint's refusal of a request teaches about how to ask it.
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

function isRefused(parameter: string, error: unknown): boolean {
  if (!isRejection(error, [400, 422])) return false;
  return `${error.param ?? ''} ${error.message}`.includes(parameter);
}

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

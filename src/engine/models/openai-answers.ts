/** Reads the answers of endpoints, for both APIs of the OpenAI protocol. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { ParallaxError } from '../../core/errors.ts';
import type { AnsweredToken } from '../../core/judging/replies/token-probability.ts';
import { CUT_OFF, type ChatAnswer } from './chat-model.ts';
import { fullListOf, listOf } from '../../core/formats/lists.ts';

/** The most tokens to keep. A verdict is within the first few. */
const KEPT_TOKENS = 8;

const tokenSchema = z.object({ token: z.string(), logprob: z.number() });
const answeredTokenSchema = tokenSchema.extend({ top_logprobs: listOf(tokenSchema).nullish() });
const logprobsSchema = z.object({ content: listOf(answeredTokenSchema).nullish() });

/** Texts among the parts of an answer. Parts of other kinds are ignored. */
const contentPartSchema = z.looseObject({ type: z.string().optional(), text: z.string().nullish() });

/** An error in an answer with a successful status, as from a router in front of several providers. */
const endpointErrorSchema = z.object({
  message: z.string(),
  code: z.union([z.number(), z.string()]).nullish(),
});

const messageSchema = z.object({
  content: z.union([z.string(), listOf(contentPartSchema)]).nullish(),
  refusal: z.string().nullish(),
  /** The reasoning of a thinking model, under the two names that servers use. */
  reasoning: z.string().nullish().catch(undefined),
  reasoning_content: z.string().nullish().catch(undefined),
});

const choiceSchema = z.object({
  message: messageSchema.nullish(),
  error: endpointErrorSchema.nullish().catch(undefined),
  finish_reason: z.string().nullish(),
  // Unreadable probabilities count as missing, since the answer itself is valid.
  logprobs: logprobsSchema.nullish().catch(undefined),
});

const completionSchema = z.object({
  choices: fullListOf(choiceSchema),
  usage: z.object({ prompt_tokens: z.number().catch(0), completion_tokens: z.number().catch(0) }).nullish(),
});

/** @throws ParallaxError `model-answer` or `model-key` if it contains no answer */
export function readCompletion(answer: unknown): ChatAnswer {
  throwErrorInside(answer);
  const { choices, usage } = readAs(completionSchema, answer);
  const { message, error, finish_reason: finish, logprobs } = choices[0]!;
  if (error) throw endpointError(error);
  if (!message) throw otherProtocol();
  const text = textOf(message.content ?? '');
  const thoughts = message.reasoning ?? message.reasoning_content ?? '';
  return {
    text,
    incomplete: whyIncomplete(message.refusal, finish) ?? onlyThoughts(text, thoughts),
    usage: usage ? { prompt: usage.prompt_tokens, completion: usage.completion_tokens } : undefined,
    ...tokensOf(logprobs?.content ?? []),
  };
}

const outputPartSchema = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
});

const responseSchema = z.object({
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: listOf(
    z.looseObject({ type: z.string(), content: listOf(outputPartSchema).nullish().catch(undefined) }),
  ),
  usage: z.object({ input_tokens: z.number().catch(0), output_tokens: z.number().catch(0) }).nullish(),
});

/**
 * An answer of the `responses` API. Only its messages are the answer, not its other output.
 *
 * @throws ParallaxError `model-answer` or `model-key` if it contains no answer
 */
export function readResponse(answer: unknown): ChatAnswer {
  throwErrorInside(answer);
  const { output, usage, incomplete_details: details } = readAs(responseSchema, answer);
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []));
  const refusal = parts.find((part) => part.type === 'refusal')?.refusal;
  const finish = details?.reason === 'max_output_tokens' ? 'length' : details?.reason;
  return {
    text: textOf(parts),
    incomplete: whyIncomplete(refusal, finish),
    usage: usage ? { prompt: usage.input_tokens, completion: usage.output_tokens } : undefined,
  };
}

function readAs<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw otherProtocol();
  return parsed.data;
}

const otherProtocol = (): ParallaxError =>
  new ParallaxError(
    'model-answer',
    l10n.t(
      'The endpoint answered, but not in the OpenAI protocol. Check the base URL of the judge, which usually ends in /v1.',
    ),
  );

/** @throws ParallaxError with the endpoint's own reason, if the answer contains an error instead of a choice */
function throwErrorInside(answer: unknown): void {
  const errorAnswer = z.object({ error: endpointErrorSchema }).safeParse(answer);
  if (errorAnswer.success) throw endpointError(errorAnswer.data.error);
}

function endpointError({ message, code }: Read<typeof endpointErrorSchema>): ParallaxError {
  const fault = code == null ? message : `${code}: ${message}`;
  const id = Number(code) === 401 || Number(code) === 403 ? 'model-key' : 'model-answer';
  return new ParallaxError(id, l10n.t`The endpoint reports an error (${fault}).`);
}

function textOf(content: string | readonly Read<typeof contentPartSchema>[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

function whyIncomplete(
  refusal: string | null | undefined,
  finish: string | null | undefined,
): string | undefined {
  if (refusal) return `The model refused: ${refusal}`;
  if (finish === 'content_filter') return "The endpoint's content filter stopped the answer.";
  if (finish === 'length') return CUT_OFF;
  return undefined;
}

/** Whether the model's reasoning used up the room for its answer. */
export function thoughtTooLong({ text, incomplete }: ChatAnswer): boolean {
  return incomplete === CUT_OFF && /^\s*(?:$|<think)/iu.test(text);
}

/** Reasoning is no answer: a verdict in it may be one that the model rejected. */
function onlyThoughts(text: string, thoughts: string): string | undefined {
  return text.trim() === '' && thoughts.trim() !== ''
    ? 'The model thought aloud and gave no answer.'
    : undefined;
}

function tokensOf(content: readonly Read<typeof answeredTokenSchema>[]): Pick<ChatAnswer, 'tokens'> {
  const tokens = content
    .slice(0, KEPT_TOKENS)
    .map(({ token, logprob, top_logprobs: top }): AnsweredToken => ({
      token,
      logprob,
      alternatives: top ?? [],
    }));
  return tokens.length > 0 ? { tokens } : {};
}

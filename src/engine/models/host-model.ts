/** Chat models that the editor offers to extensions, asked through a given function. */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { ChatAnswer, ChatModel } from './chat-model.ts';
import { systemTiming, untilAnswered, withRetries, type Failure, type Timing } from './retry.ts';
import { untilCancelled } from './shared-requests.ts';

export interface HostModelSettings {
  /** Identity for the cache and name for messages: the requested model, such as vendor and family. */
  readonly model: string;
  /** Defaults to a model of the editor. */
  readonly label?: string | undefined;
  readonly maxRetries: number;
  /** One request to the editor. The signal fires on cancellation and on timeout. */
  readonly request: (
    messages: readonly ChatMessage[],
    signal: AbortSignal,
  ) => Promise<{ readonly text: string }>;
}

export function createHostModel(settings: HostModelSettings, timing: Timing = systemTiming): ChatModel {
  return {
    id: `vscode ${settings.model}`,
    model: settings.model,
    label: settings.label ?? `${settings.model} (VS Code)`,
    complete: (messages, { signal, timeoutMs, onRequest, onRetry }) =>
      withRetries(
        () => {
          onRequest?.();
          return untilAnswered(signal, timing, (late) => requestInTime(settings, messages, timeoutMs, late));
        },
        (error) => explain(settings, error),
        { maxRetries: settings.maxRetries, timing, signal, onRetry },
      ),
  };
}

async function requestInTime(
  settings: HostModelSettings,
  messages: readonly ChatMessage[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const { text } = await untilCancelled(settings.request(messages, either), either);
    return { text };
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new ParallaxError(
      'model-answer',
      l10n.t`${settings.model} did not answer within ${timeoutMs / 1000} s.`,
      {
        cause: error,
      },
    );
  }
}

/** The editor does not say which of its errors are temporary. Only those that the user has to act on are final. */
function explain({ model }: HostModelSettings, error: unknown): Failure {
  if (ParallaxError.is(error))
    return { error, retry: error.id === 'model-answer' || error.id === 'model-unreachable' };
  return {
    retry: true,
    error: new ParallaxError('model-answer', l10n.t`${model} did not answer: ${messageOf(error)}`, {
      cause: error,
    }),
  };
}

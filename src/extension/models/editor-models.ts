/** Chat completions by the language models that the editor offers to extensions. */
import * as vscode from 'vscode';
import type * as z from 'zod';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { HostMethods } from '../../shared/rpc.ts';

type Request = z.output<HostMethods['complete']['params']>;
type Answer = z.output<HostMethods['complete']['result']>;

/**
 * @throws ParallaxError `model-missing` if no model matches or the user has not agreed, `model-unreachable` if it does
 *   not answer
 */
export async function completeWithEditorModel(request: Request, signal: AbortSignal): Promise<Answer> {
  const { vendor, family, id } = request;
  const [model] = await vscode.lm.selectChatModels({
    ...(vendor ? { vendor } : {}),
    ...(family ? { family } : {}),
    ...(id ? { id } : {}),
  });
  if (!model)
    throw new ParallaxError(
      'model-missing',
      vscode.l10n.t(
        'The editor has no language model for extensions. Sign in to one, or choose another judge.',
      ),
    );
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    // This API has no system role, so the instructions are a separate first message.
    const messages = request.messages.map(({ content }) => vscode.LanguageModelChatMessage.User(content));
    const response = await model.sendRequest(
      messages,
      { justification: vscode.l10n.t('Parallax asks which perspectives a retrieved passage supports.') },
      source.token,
    );
    let text = '';
    for await (const part of response.text) text += part;
    return { text, model: model.id };
  } catch (error) {
    throwIfCancelled(signal);
    throw explain(error);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

function explain(error: unknown): ParallaxError {
  if (!(error instanceof vscode.LanguageModelError))
    return new ParallaxError(
      'model-unreachable',
      vscode.l10n.t("The editor's language model did not answer: {0}", messageOf(error)),
      { cause: error },
    );
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return new ParallaxError(
        'model-missing',
        vscode.l10n.t('Parallax may not use the language model: permission was not given.'),
      );
    case vscode.LanguageModelError.Blocked.name:
      return new ParallaxError(
        'model-unreachable',
        error.message === ''
          ? vscode.l10n.t('The language model refused: its quota is used up or the request was blocked.')
          : vscode.l10n.t('The language model refused: {0}', error.message),
      );
    case vscode.LanguageModelError.NotFound.name:
      return new ParallaxError(
        'model-missing',
        vscode.l10n.t('The language model is no longer available. Choose another judge.'),
      );
    default:
      return new ParallaxError(
        'model-unreachable',
        vscode.l10n.t('The language model failed: {0}', error.message),
      );
  }
}

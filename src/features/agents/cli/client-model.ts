/** The language model of an agent that is asked by the Model Context Protocol's sampling. Its user consents there. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { HostCalls } from '../../../engine/host-calls.ts';
import { judgeSchema, type JudgeConfig } from '../../../shared/judge-config.ts';

/** The judge that counts if no other one is configured. */
export const CLIENT_JUDGE = 'client';

/** Verdicts are short, and their reasons are one sentence each. */
const MAX_TOKENS = 4_000;

interface Asked {
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[];
}

export class ClientModel implements HostCalls {
  #server: Server | undefined;

  attach(server: Server): void {
    this.#server = server;
  }

  /** Whether the connected client lets servers ask its model. */
  get isOffered(): boolean {
    return this.#server?.getClientCapabilities()?.sampling !== undefined;
  }

  /** Its answers are kept under the name of the client, which chooses the model, and never as those of the editor's. */
  get judge(): JudgeConfig {
    return judgeSchema.parse({ type: 'vscode', vendor: `MCP ${this.#name}` });
  }

  /** For messages. */
  get label(): string {
    return l10n.t`the model of ${this.#name}`;
  }

  get #name(): string {
    return this.#server?.getClientVersion()?.name ?? 'MCP';
  }

  /** @throws ParallaxError `model-missing` without such a client, `model-answer` if its answer is no text */
  async complete(
    { messages }: Asked,
    signal: AbortSignal | undefined,
  ): Promise<{ text: string; model: string }> {
    if (!this.#server || !this.isOffered)
      throw new ParallaxError('model-missing', l10n.t('The client offers no model (sampling).'));
    const said = (role: 'system' | 'user'): string[] =>
      messages.filter((message) => message.role === role).map(({ content }) => content);
    const { content, model } = await this.#server.createMessage(
      {
        systemPrompt: said('system').join('\n\n'),
        messages: said('user').map((text) => ({ role: 'user', content: { type: 'text', text } })),
        maxTokens: MAX_TOKENS,
        temperature: 0,
      },
      { ...(signal ? { signal } : {}) },
    );
    if (content.type !== 'text')
      throw new ParallaxError('model-answer', l10n.t('The client’s model did not answer with a text.'));
    return { text: content.text, model };
  }
}

/** Requests of the engine to the process that started it. */
export interface HostCalls {
  /** How messages name the model. Defaults to one of the editor. */
  readonly label?: string;
  complete(
    request: {
      vendor?: string;
      family?: string;
      id?: string;
      messages: readonly { role: 'system' | 'user'; content: string }[];
    },
    signal: AbortSignal | undefined,
  ): Promise<{ text: string; model: string }>;
}

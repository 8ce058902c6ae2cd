/** Requests of the engine to the process that started it. */
export interface HostCalls {
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

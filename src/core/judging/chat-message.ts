/** One message to a chat model. */
export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

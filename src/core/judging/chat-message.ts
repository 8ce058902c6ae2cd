export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

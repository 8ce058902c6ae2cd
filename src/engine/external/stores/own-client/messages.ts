/** Messages between the engine and the process of a store's own client. */
import type { LancePlace } from '../lancedb/messages.ts';
import type { MongoPlace } from '../mongodb/messages.ts';
import type { ClientFault } from './fault.ts';

/** The first message: the type of the store, and its location. */
export type ClientPlace =
  | { readonly store: 'lancedb'; readonly place: LancePlace }
  | { readonly store: 'mongodb'; readonly place: MongoPlace };

/** One of the questions that a store's client answers, by name. */
export type ClientQuestion<Questions> = {
  [Asked in keyof Questions]: { readonly asked: Asked; readonly of: Questions[Asked] };
}[keyof Questions];

export interface ClientRequest {
  readonly id: number;
  readonly asked: string;
  readonly of: unknown;
}

export type ClientAnswer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: ClientFault; readonly said: string };

/** How a store's client answers each of its questions. The caller receives what it throws. */
export type ClientAnswers<Questions> = {
  readonly [Asked in keyof Questions]: (of: Questions[Asked]) => Promise<unknown>;
};

/** The answering end, in the process of a store's client. */
export interface Answering<Questions> {
  readonly answers: ClientAnswers<Questions>;
  /** An error of the client as the caller receives it. May drop open connections. */
  readonly faultOf: (error: unknown) => { readonly fault: ClientFault; readonly said: string };
}

/** Fills the stores that have a dialect. Each type adds only its requests. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../../core/counted.ts';
import { HttpStatusError, type JsonHttp } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import type { StoreCalls } from '../store-calls.ts';
import { passageUuid } from './passage-uuid.ts';

/** A store, as a writer sees it. */
export interface StoreReach<Spec, Facts, Client = JsonHttp> {
  readonly spec: Spec;
  readonly calls: StoreCalls;
  readonly client: Client;
  facts(end: AbortSignal): Promise<Facts>;
}

/** Fills one type of store. Each call may be repeated, as those of a dialect. */
export interface StoreFiller<Facts> {
  exists(end: AbortSignal): Promise<boolean>;
  create(dimensions: number, end: AbortSignal): Promise<void>;
  /** As `requireIds` of the store's writer. */
  readonly requireIds: ((ids: readonly string[]) => void) | undefined;
  /** The requests that add these records, each within its limits. */
  requests(records: readonly NewRecord[], facts: Facts): ((end: AbortSignal) => Promise<void>)[];
}

/** The limits of one request. A larger record is sent alone, and the store decides. */
export interface Portion {
  readonly records: number;
  /** Bytes of its JSON. */
  readonly bytes: number;
}

/** A record that a store refused, with the reason. */
export interface Refusal {
  readonly id: string;
  readonly reason: string;
  /** Whether it may succeed a moment later. */
  readonly passing?: boolean | undefined;
}

/** The rule of a store that restricts its keys. */
export interface KeyRule {
  /** Matches every valid id. */
  readonly form: RegExp;
  /** The message for an invalid id. */
  readonly odd: (id: string) => string;
}

interface WritableSpec {
  readonly idField?: string | undefined;
}

export const TOO_MANY = 429;

/** Each record becomes one {@link Item} of a request. */
export abstract class DialectWriter<
  Spec extends WritableSpec,
  Facts,
  Item extends object,
  Client = JsonHttp,
> implements StoreFiller<Facts> {
  protected readonly store: StoreReach<Spec, Facts, Client>;
  /** Servers in front of a store often limit requests to 10 MB. */
  protected readonly most: Portion = { records: 1000, bytes: 8_000_000 };
  /**
   * `undefined` if every id can be a key. With a rule, keys are UUIDs made from the ids if a field contains the ids.
   */
  protected readonly keyRule: KeyRule | undefined = undefined;

  constructor(store: StoreReach<Spec, Facts, Client>) {
    this.store = store;
  }

  abstract exists(end: AbortSignal): Promise<boolean>;
  abstract create(dimensions: number, end: AbortSignal): Promise<void>;
  protected abstract itemOf(record: NewRecord, facts: Facts): Item;
  protected abstract send(items: readonly Item[], end: AbortSignal): Promise<void>;

  get requireIds(): ((ids: readonly string[]) => void) | undefined {
    const rule = this.keyRule;
    if (!rule || this.store.spec.idField !== undefined) return undefined;
    return (ids) => {
      const odd = ids.find((id) => !rule.form.test(id));
      if (odd !== undefined) throw this.store.calls.failure(rule.odd(odd));
    };
  }

  requests(records: readonly NewRecord[], facts: Facts): ((end: AbortSignal) => Promise<void>)[] {
    const items = records.map((record) => this.itemOf(record, facts));
    return portionsOf(items, this.most).map((portion) => (end) => this.send(portion, end));
  }

  /** The record's own id in the store. */
  protected keyOf(id: string): string {
    return !this.keyRule || this.store.spec.idField === undefined ? id : passageUuid(id);
  }

  /**
   * An answer must contain a result for each sent record. A missing one is no success.
   *
   * @throws ParallaxError `retriever-failed`
   */
  protected requireEach(sent: readonly unknown[], answered: readonly unknown[]): void {
    if (answered.length === sent.length) return;
    const { name } = this.store.calls;
    throw this.store.calls.failure(
      counted(
        l10n.t(
          '{0} was sent {1} [1:passage|passages] and answered for {2} of them; run it again, which adds what is missing.',
        ),
        name,
        sent.length,
        answered.length,
      ),
    );
  }

  /**
   * @throws HttpStatusError if all records may be sent again, ParallaxError `retriever-failed` with the first lasting
   *   refusal
   */
  protected requireNone(refused: readonly Refusal[]): void {
    const lasting = refused.find(({ passing }) => !passing);
    if (lasting) {
      const { id, reason } = lasting;
      throw this.store.calls.failure(
        l10n.t`${this.store.calls.name} refuses the passage "${id}" (${reason.replace(/\.$/u, '')}).`,
      );
    }
    const [first] = refused;
    // All may be sent again, since existing records are not changed.
    if (first) throw new HttpStatusError(TOO_MANY, first.reason);
  }
}

/** In order, each as large as allowed. */
export function portionsOf<Item extends object>(items: readonly Item[], most: Portion): Item[][] {
  const portions: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    const last = portions.at(-1);
    if (last && last.length < most.records && bytes + size <= most.bytes) {
      last.push(item);
      bytes += size;
    } else {
      portions.push([item]);
      bytes = size;
    }
  }
  return portions;
}

/** Answers questions through MongoDB's own driver, in a separate process. */
import type * as Bson from 'bson';
import type * as Driver from 'mongodb';
import { messageOf } from '../../../../core/errors.ts';
import { ClientError, type ClientFault } from '../own-client/fault.ts';
import { fromProject } from '../own-client/from-project.ts';
import type { Answering } from '../own-client/messages.ts';
import { plainRow, RowBudget, type PlainRow } from '../own-client/plain-values.ts';
import type { MongoPlace, MongoQuestions } from './messages.ts';

const CLIENT = 'mongodb';
/** In the version of the driver, which accepts documents of no other. */
const PEER = 'bson';

/** A reachable server answers sooner. The driver's default of half a minute is too long for a user. */
const SELECTION_MS = 5000;

type Document = Driver.Document;

export function answerMongo(place: MongoPlace): Answering<MongoQuestions> {
  const opened = new OpenCollection(place);
  return { answers: answersOf(opened), faultOf };
}

/** A connection to the searched collection, opened with the first question. */
class OpenCollection {
  readonly place: MongoPlace;
  #loaded: { readonly client: typeof Driver; readonly besides: typeof Bson } | undefined;
  #client: Driver.MongoClient | undefined;

  constructor(place: MongoPlace) {
    this.place = place;
  }

  /** @throws ClientError `no-client`, `no-package`, `bad-client` */
  get bson(): typeof Bson {
    return this.#load().besides;
  }

  /** @throws ClientError, and what the driver throws for the connection string */
  get database(): Driver.Db {
    const { url, database, timeoutMs, credentials } = this.place;
    const { MongoClient } = this.#load().client;
    this.#client ??= new MongoClient(url, {
      appName: 'parallax',
      serverSelectionTimeoutMS: Math.min(SELECTION_MS, timeoutMs / 2),
      ...(credentials && { tls: true, ...credentials }),
    });
    return this.#client.db(database);
  }

  get collection(): Driver.Collection {
    return this.database.collection(this.place.collection);
  }

  /**
   * A question in the driver's types: conditions from Extended JSON, and numbers of vectors as doubles, since
   * integral ones would be written as integers.
   */
  bsonOf(value: unknown, name = ''): unknown {
    if (value instanceof Float32Array) return Array.from(value, (each) => new this.bson.Double(each));
    if (typeof value !== 'object' || value === null) return value;
    if (name === '$match' || name === 'filter') return this.bson.EJSON.deserialize(value);
    if (Array.isArray(value)) return value.map((each) => this.bsonOf(each));
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.bsonOf(part, key)]));
  }

  #load(): { readonly client: typeof Driver; readonly besides: typeof Bson } {
    this.#loaded ??= loadedFrom(this.place.client);
    return this.#loaded;
  }
}

function loadedFrom(folder: string): { readonly client: typeof Driver; readonly besides: typeof Bson } {
  const { client, requires } = fromProject<typeof Driver>(folder, CLIENT);
  return { client, besides: requires(PEER) as typeof Bson };
}

function answersOf(opened: OpenCollection): Answering<MongoQuestions>['answers'] {
  const limits = { maxTimeMS: opened.place.timeoutMs };
  return {
    async indexes() {
      try {
        return await opened.collection.aggregate([{ $listSearchIndexes: {} }], limits).toArray();
      } catch (error) {
        // A user who may search need not be allowed to list indexes. The search reports what is wrong.
        if (kindOf(error) === 'unreachable' || isClientError(error)) throw error;
        return undefined;
      }
    },

    async documents({ ids, stages }) {
      const named = ids && { $match: { [ids.field]: { $in: ids.values.flatMap(formsOf(opened.bson)) } } };
      const pipeline = [...(named ? [named] : []), ...(opened.bsonOf(stages) as Document[])];
      const budget = new RowBudget();
      const rows: PlainRow[] = [];
      for await (const each of opened.collection.aggregate(pipeline, limits))
        rows.push(plainRow(each, budget, ofBson));
      return rows;
    },

    count({ filter }) {
      return filter === undefined
        ? opened.collection.estimatedDocumentCount(limits)
        : opened.collection.countDocuments(opened.bsonOf(filter, 'filter') as Document, limits);
    },
  };
}

/** MongoDB's codes for a wrong password and a forbidden action. */
const WRONG_PASSWORD = 18;
const NOT_ALLOWED = 13;
/** The code of Atlas's own errors, mostly about passwords. */
const OF_ATLAS = 8000;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const isClientError = (error: unknown): error is ClientError => error instanceof ClientError;

const faultOf = (error: unknown): { readonly fault: ClientFault; readonly said: string } => ({
  fault: kindOf(error),
  said: messageOf(error),
});

function kindOf(error: unknown): ClientFault {
  if (isClientError(error)) return error.fault;
  const code = codeOf(error);
  if (code === WRONG_PASSWORD || code === NOT_ALLOWED) return 'denied';
  if (code === OF_ATLAS && /auth/iu.test(messageOf(error))) return 'denied';
  const isAway =
    error instanceof Error && (/ServerSelection|Network/u.test(error.name) || 'syscall' in error);
  return isAway ? 'unreachable' : 'refused';
}

/** The values that an id may have in a document. */
const formsOf =
  ({ ObjectId, UUID }: typeof Bson) =>
  (id: string): unknown[] => [
    id,
    ...(/^[\da-f]{24}$/iu.test(id) ? [new ObjectId(id)] : []),
    ...(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(id) ? [new UUID(id)] : []),
    ...(/^(?:0|-?[1-9]\d{0,17})$/u.test(id) ? [numberOf(id)] : []),
  ];

const numberOf = (digits: string): number | bigint =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);

/** Binary data that is a UUID, and a list of numbers, whose first byte gives their type. */
const UUIDS = 4;
const VECTORS = 9;
const BYTES = 0x03;
const FLOATS = 0x27;

/** Values of MongoDB's own types, recognised by name, since several versions have different classes. */
function ofBson(value: object): unknown {
  if (!('_bsontype' in value)) return value;
  switch (value._bsontype) {
    case 'Long':
      return (value as Bson.Long).toBigInt();
    case 'Int32':
    case 'Double':
      return (value as Bson.Double).valueOf();
    case 'Binary':
      return ofBinary(value as Bson.Binary);
    default:
      return (value as Bson.ObjectId).toString();
  }
}

/** Single bits are ignored, since they have no cosine. */
function ofBinary(value: Bson.Binary): unknown {
  if (value.sub_type === UUIDS) return value.toUUID().toHexString();
  const kind = value.sub_type === VECTORS ? value.buffer[0] : undefined;
  if (kind === FLOATS) return Array.from(value.toFloat32Array());
  return kind === BYTES ? Array.from(value.toInt8Array()) : undefined;
}

/** The part of a PostgreSQL server (protocol version 3.0) that a reading client uses. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A list of objects becomes rows; anything else an error message. */
export type Rows = (statement: string) => unknown;

let rows: Rows = () => [];
let server: Promise<Server> | undefined;

/** The port of a server that answers every statement this way until the next call. */
export async function answeringRows(next: Rows): Promise<number> {
  rows = next;
  server ??= new Promise((resolve) => {
    const started = createServer({ noDelay: true }, converse).listen(0, '127.0.0.1', () => resolve(started));
    started.unref();
  });
  return ((await server).address() as AddressInfo).port;
}

function converse(socket: Socket): void {
  let unread = Buffer.alloc(0);
  let isGreeted = false;
  let statement = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      // The first message has no type letter before its length.
      const head = isGreeted ? 1 : 0;
      if (unread.length < head + 4) return;
      const end = head + unread.readInt32BE(head);
      if (unread.length < end) return;
      const [letter, body] = [
        isGreeted ? unread.toString('latin1', 0, 1) : '',
        unread.subarray(head + 4, end),
      ];
      unread = unread.subarray(end);
      isGreeted = true;
      if (letter === 'P') statement = textsIn(body)[1]!;
      if (letter === 'Q') statement = textsIn(body)[0]!;
      socket.write(replyTo(letter, statement));
    }
  });
}

const textsIn = (body: Buffer): string[] => body.toString().split('\0');

/** Replies to startup, parse, bind, execute, sync and simple queries; row descriptions come with the rows. */
function replyTo(letter: string, statement: string): Buffer {
  const ready = message('Z', Buffer.from('I'));
  switch (letter) {
    case '':
      return Buffer.concat([message('R', int32(0)), ready]);
    case 'P':
      return message('1');
    case 'B':
      return message('2');
    case 'E':
      return outcome(statement);
    case 'Q':
      return Buffer.concat([outcome(statement), ready]);
    case 'S':
      return ready;
    default:
      return Buffer.alloc(0);
  }
}

function outcome(statement: string): Buffer {
  const done = message('C', text('SELECT 0'));
  if (/^(?:BEGIN|COMMIT)/u.test(statement)) return done;
  const found = rows(statement);
  if (!Array.isArray(found))
    return message(
      'E',
      Buffer.concat([
        text('SERROR'),
        text('C22000'),
        text(`M${typeof found === 'string' ? found : JSON.stringify(found)}`),
        Buffer.of(0),
      ]),
    );
  const records = found.map((row: unknown) => Object.entries(Object(row) as object) as [string, unknown][]);
  return Buffer.concat([description(records[0] ?? []), ...records.map(dataRow), done]);
}

/** Type ids by the types of the values in the first row: float8, boolean, text, json. */
const TYPES: Readonly<Record<string, number>> = { number: 701, boolean: 16, string: 25 };
const JSON_TYPE = 114;

function description(row: readonly [string, unknown][]): Buffer {
  const columns = row.map(([name, value]) =>
    Buffer.concat([
      ...[text(name), int32(0), int16(0)],
      ...[int32(TYPES[typeof value] ?? JSON_TYPE), int16(-1), int32(-1), int16(0)],
    ]),
  );
  return message('T', Buffer.concat([int16(columns.length), ...columns]));
}

function dataRow(row: readonly [string, unknown][]): Buffer {
  const cells = row.map(([, value]) => {
    if (value === null) return int32(-1);
    const written = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    return Buffer.concat([int32(written.length), written]);
  });
  return message('D', Buffer.concat([int16(cells.length), ...cells]));
}

const message = (letter: string, body: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
const text = (value: string): Buffer => Buffer.from(`${value.replaceAll('\0', '')}\0`);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

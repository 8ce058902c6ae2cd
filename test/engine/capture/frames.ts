/** Bytes and HTTP frames that no client sends. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Random } from '../../../bench/support/random.ts';

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const SETTINGS = frame(4, 0, 0, []);
/** `:method GET`, `:scheme http`, `:path /` of the static table of HPACK, and `:authority a`. */
export const HEADERS = [0x82, 0x86, 0x84, 0x41, 0x01, 0x61];

export function frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** @returns a beginning of HTTP/1 or HTTP/2, and bytes that must not follow it */
export function randomFrames(random: Random): Buffer {
  const int = (below: number): number => Math.floor(random() * below);
  const noise = (length: number): number[] => Array.from({ length }, () => int(256));
  const begins = [PREFACE, Buffer.concat([PREFACE, SETTINGS]), Buffer.from('POST / HTTP/1.1\r\nhost: x\r\n')];
  const begin = begins[int(begins.length)]!;
  const rest =
    int(3) === 0
      ? [Buffer.from(noise(int(200)))]
      : Array.from({ length: 1 + int(6) }, () =>
          frame(int(11), int(256), int(4), int(3) === 0 ? HEADERS : noise(int(12))),
        );
  return Buffer.concat([int(8) === 0 ? Buffer.alloc(0) : begin, ...rest]);
}

/** Sends bytes in one packet, and closes the connection: at once, or when the other side has answered or closed it. */
export async function sendRaw(port: number, bytes: Buffer, isAnswered: boolean): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => void socket.once('close', resolve));
  await once(socket, 'connect');
  socket.once('data', () => setImmediate(() => socket.end()));
  socket.resume().write(bytes);
  if (!isAnswered) socket.end();
  await closed;
}

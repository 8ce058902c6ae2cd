/** UUIDs for passages, for stores that accept no other ids. */
import { createHash } from 'node:crypto';

export const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu;

/** A namespace of Parallax, so that its ids differ from all others. */
const NAMESPACE = Buffer.from('5e1c61a6f1a94dd5a9a43b8d6c2f7e10', 'hex');

/** Always the same for the same id: version 5 of RFC 9562. */
export function passageUuid(id: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(id).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

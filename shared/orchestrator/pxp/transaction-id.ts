import { hash } from 'node:crypto';

/** The name space of our transactions, as a UUID. */
const NAME_SPACE = Buffer.from('6f1d3b5e0a9c4d279b1e51c7a0f3e842', 'hex');

/**
 * Makes the UUID (version 5) of a transaction from what it is about. Equal parts give equal ids:
 * an agent never runs a repeated transaction twice.
 */
export function makeTransactionId(...parts: readonly (string | number)[]): string {
  const digest = Buffer.from(hash('sha1', Buffer.concat([NAME_SPACE, Buffer.from(parts.join('\n'))]), 'hex'), 'hex');
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const text = digest.toString('hex', 0, 16);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

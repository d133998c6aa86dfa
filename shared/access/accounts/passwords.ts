import { scrypt, timingSafeEqual } from 'node:crypto';
import type { SecretSource } from '../../store/ports/secrets.ts';

/** The cost of one hash: memory is `128 * 2 ** logN * r` bytes, time grows with all three. */
export interface PasswordCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MB and about 0.2 s of one core (Node 24, November 2026); OWASP's choice of 2025. */
export const DEFAULT_COST: PasswordCost = { logN: 15, r: 8, p: 3 };

const MIN_PASSWORD = 6;
const MOST_PASSWORD = 1000;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** Why a text may be no password; null when it may. */
export function describePasswordFault({ length }: string): string | null {
  const isOne = length >= MIN_PASSWORD && length <= MOST_PASSWORD;
  return isOne ? null : `A password has ${MIN_PASSWORD} to ${MOST_PASSWORD} characters`;
}

/** Hashes a password for the store, in a thread of the pool. */
export async function hashPassword(
  password: string,
  secrets: SecretSource,
  cost: PasswordCost = DEFAULT_COST,
): Promise<string> {
  const salt = secrets.bytes(SALT_BYTES);
  const hash = await derive(password, salt, cost);
  const { logN, r, p } = cost;
  return `scrypt$${logN}$${r}$${p}$${Buffer.from(salt).toString('base64url')}$${hash.toString('base64url')}`;
}

/**
 * Whether a password is the stored one; in a thread of the pool. Without a stored one the answer is
 * false, and takes as long as for one of `cost`, so that nobody learns which logins exist.
 */
export async function isPassword(
  password: string,
  stored: string | null,
  cost: PasswordCost = DEFAULT_COST,
): Promise<boolean> {
  const parts = stored === null ? null : STORED.exec(stored);
  if (!parts) {
    await derive(password, new Uint8Array(SALT_BYTES), cost);
    return false;
  }
  const [, logN, r, p, salt = '', hash = ''] = parts;
  const derived = await derive(password, Buffer.from(salt, 'base64url'), {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
  });
  const expected = Buffer.from(hash, 'base64url');
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

function derive(password: string, salt: Uint8Array, { logN, r, p }: PasswordCost): Promise<Buffer> {
  const cost = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r * p + 2 ** 20 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, cost, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}

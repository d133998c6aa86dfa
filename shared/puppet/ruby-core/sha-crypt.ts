import { createHash } from 'node:crypto';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ROUNDS = 5000;
const MAXIMAL_SALT = 16;

type Bits = 256 | 512;

/** `crypt(3)` with SHA-256 (`$5$`) or SHA-512 (`$6$`) and the default number of rounds. */
export function shaCrypt(password: string, salt: string, bits: Bits): string {
  const used = salt.slice(0, MAXIMAL_SALT);
  const digest = stretchDigest(Buffer.from(password, 'utf8'), Buffer.from(used, 'utf8'), bits);
  return `$${bits === 512 ? 6 : 5}$${used}$${encode(digest, bits)}`;
}

function stretchDigest(password: Buffer, salt: Buffer, bits: Bits): Buffer {
  const hash = (...parts: readonly Uint8Array[]) => createHash(`sha${bits}`).update(Buffer.concat(parts)).digest();
  const alternate = hash(password, salt, password);
  const parts: Uint8Array[] = [password, salt, fillBytes(alternate, password.length)];
  for (let count = password.length; count > 0; count >>= 1) parts.push(count & 1 ? alternate : password);
  let digest = hash(...parts);
  const passwordBytes = fillBytes(hash(...repeatBytes(password, password.length)), password.length);
  const saltBytes = fillBytes(hash(...repeatBytes(salt, 16 + (digest[0] ?? 0))), salt.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const odd = round % 2 === 1;
    digest = hash(
      odd ? passwordBytes : digest,
      round % 3 === 0 ? Buffer.alloc(0) : saltBytes,
      round % 7 === 0 ? Buffer.alloc(0) : passwordBytes,
      odd ? digest : passwordBytes,
    );
  }
  return digest;
}

function repeatBytes(bytes: Buffer, count: number): Buffer[] {
  return new Array<Buffer>(count).fill(bytes);
}

/** Repeats `bytes` up to `length`. */
function fillBytes(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, length === 0 ? 0 : bytes);
}

/**
 * Encodes groups of three bytes, one from each third of the digest. The order of the thirds rotates
 * from group to group.
 */
function encode(digest: Buffer, bits: Bits): string {
  const third = bits === 512 ? 21 : 10;
  let text = '';
  for (let index = 0; index < third; index += 1) {
    const sources = [index, index + third, index + 2 * third];
    const turn = bits === 512 ? index % 3 : (3 - (index % 3)) % 3;
    const [high = 0, middle = 0, low = 0] = [...sources.slice(turn), ...sources.slice(0, turn)];
    text += encodeCharacters(((digest[high] ?? 0) << 16) | ((digest[middle] ?? 0) << 8) | (digest[low] ?? 0), 4);
  }
  const rest = bits === 512 ? (digest[63] ?? 0) : ((digest[31] ?? 0) << 8) | (digest[30] ?? 0);
  return text + encodeCharacters(rest, bits === 512 ? 2 : 3);
}

/** Encodes six bits per character, lowest bits first. */
function encodeCharacters(value: number, count: number): string {
  return Array.from({ length: count }, (_, index) => ALPHABET[(value >> (6 * index)) & 63]).join('');
}

import { createHash, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type ComputedOutcome, commandNameOf } from './pure-command.ts';

/**
 * Keys in the format of OpenSSH. Follows PROTOCOL.key of OpenSSH (the file of a private key) and
 * RFC 4253, 5656 and 8709 (the public key).
 */

type KeyType = 'rsa' | 'ecdsa' | 'ed25519';

interface Request {
  readonly type: KeyType;
  readonly bits: number;
  readonly path: string;
  readonly comment: string | null;
  readonly isQuiet: boolean;
}

/** Files that are kept on the server; `read` returns false for the path of another kind of file. */
export interface KeptFiles {
  read(path: string): string | null | false;
  write(path: string, text: string): void;
}

const CURVES: ReadonlyMap<number, string> = new Map([
  [256, 'P-256'],
  [384, 'P-384'],
  [521, 'P-521'],
]);
const DEFAULT_BITS: Readonly<Record<KeyType, number>> = { rsa: 3072, ecdsa: 256, ed25519: 256 };
const RSA_BITS = { least: 1024, most: 16_384 };
/** The comment of a key that is given none: where others have the user and the machine. */
const COMMENT = 'puppet@understudy';

/**
 * Runs `ssh-keygen -t TYPE [-b BITS] -N '' -f PATH` for a file that is kept on the server and does
 * not exist yet: writes the private key. The public key is no file of its own, so that both always
 * belong together; `readPublicKey` derives it. Null for anything else: passphrases, DSA, keys on
 * hardware, other formats, other paths.
 */
export function createKeyFile([program = '', ...args]: readonly string[], files: KeptFiles): ComputedOutcome | null {
  const request = commandNameOf(program) === 'ssh-keygen' ? readRequest(args) : null;
  if (!request || files.read(request.path) !== null) return null;
  const { type, path, isQuiet } = request;
  files.write(path, createPrivateKey(request));
  const lines = [
    `Generating public/private ${type} key pair.`,
    `Your identification has been saved in ${path}`,
    `Your public key has been saved in ${path}.pub`,
  ];
  return { stdout: isQuiet ? '' : `${lines.join('\n')}\n`, stderr: '', status: 0 };
}

/**
 * Returns the line of the public key file that belongs to the text of a private key without
 * passphrase; null for another text.
 */
export function readPublicKey(text: string): string | null {
  const [, body] = /^-----BEGIN OPENSSH PRIVATE KEY-----\n([A-Za-z0-9+/=\n]+)-----END/.exec(text) ?? [];
  if (body === undefined) return null;
  const reader = new FieldReader(Buffer.from(body, 'base64').subarray(MAGIC.length));
  const [cipher] = [reader.next(), reader.next(), reader.next()].map(String);
  reader.skip(4);
  const blob = reader.next();
  if (cipher !== 'none') return null;
  const secret = new FieldReader(reader.next());
  secret.skip(8);
  const name = secret.next().toString();
  for (let count = privateFieldCount(name); count > 0; count -= 1) secret.next();
  return `${name} ${blob.toString('base64')} ${secret.next().toString()}\n`;
}

/** The request of a command line; null when it asks for something else. */
function readRequest(args: readonly string[]): Request | null {
  const options = new Map<string, string>();
  const valued = args.filter((arg) => arg !== '-q');
  for (let at = 0; at < valued.length; at += 2) {
    const [option = '', value] = valued.slice(at, at + 2);
    if (!/^-[tbfCNP]$/.test(option) || value === undefined) return null;
    options.set(option, value);
  }
  const type = options.get('-t') ?? 'rsa';
  const path = options.get('-f');
  const passphrase = options.get('-N') ?? options.get('-P');
  if (path === undefined || passphrase !== '' || !isKeyType(type)) return null;
  const bits = Number(options.get('-b') ?? DEFAULT_BITS[type]);
  if (!isLength(type, bits)) return null;
  return { type, bits, path, comment: options.get('-C') ?? null, isQuiet: args.includes('-q') };
}

function isKeyType(type: string): type is KeyType {
  return type in DEFAULT_BITS;
}

/** Whether a key can have that length; ed25519 has one length and ignores others. */
function isLength(type: KeyType, bits: number): boolean {
  if (type === 'ed25519') return true;
  if (type === 'ecdsa') return CURVES.has(bits);
  return Number.isInteger(bits) && bits >= RSA_BITS.least && bits <= RSA_BITS.most;
}

function createPrivateKey({ type, bits, comment }: Request): string {
  const { name, publicFields, privateFields } = describeKey(type, bits);
  const blob = joinFields([name, ...publicFields]);
  const key = joinFields([name, ...privateFields, comment ?? COMMENT]);
  // Any number, twice: it shows readers of sealed keys that the passphrase is right.
  const check = createHash('sha256').update(key).digest().subarray(0, 4);
  const secret = Buffer.concat([check, check, key]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const none = joinFields(['none', 'none', '']);
  const file = Buffer.concat([MAGIC, none, count, joinFields([blob, Buffer.concat([secret, padding])])]);
  const lines = file.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

const MAGIC = Buffer.from('openssh-key-v1\0');

interface KeyFields {
  /** The name of the kind of key in the protocol. */
  readonly name: string;
  readonly publicFields: readonly Field[];
  readonly privateFields: readonly Field[];
}
type Field = string | Buffer;

function describeKey(type: KeyType, bits: number): KeyFields {
  if (type === 'rsa') {
    const key = exportKey(generateKeyPairSync('rsa', { modulusLength: bits }).privateKey);
    const read = (...fields: readonly (string | undefined)[]) => fields.map(readInteger);
    return {
      name: 'ssh-rsa',
      publicFields: read(key.e, key.n),
      privateFields: read(key.n, key.e, key.d, key.qi, key.p, key.q),
    };
  }
  if (type === 'ed25519') {
    const key = exportKey(generateKeyPairSync('ed25519').privateKey);
    const [x, d] = [readBytes(key.x), readBytes(key.d)];
    return { name: 'ssh-ed25519', publicFields: [x], privateFields: [x, Buffer.concat([d, x])] };
  }
  const key = exportKey(generateKeyPairSync('ec', { namedCurve: CURVES.get(bits) ?? '' }).privateKey);
  const point = Buffer.concat([Buffer.from([4]), readBytes(key.x), readBytes(key.y)]);
  const curve = `nistp${bits}`;
  return {
    name: `ecdsa-sha2-${curve}`,
    publicFields: [curve, point],
    privateFields: [curve, point, readInteger(key.d)],
  };
}

/** Returns the number of a private key's fields between its name and its comment. */
function privateFieldCount(name: string): number {
  if (name === 'ssh-rsa') return 6;
  return name === 'ssh-ed25519' ? 2 : 3;
}

function exportKey(key: KeyObject): JsonWebKey {
  return key.export({ format: 'jwk' });
}

function readBytes(text: string | undefined): Buffer {
  return Buffer.from(text ?? '', 'base64url');
}

/** A positive number as the protocol writes it: with no leading zero but that of the sign. */
function readInteger(text: string | undefined): Buffer {
  const bytes = readBytes(text);
  const start = bytes.findIndex((byte) => byte !== 0);
  const plain = bytes.subarray(start);
  return (plain[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), plain]) : plain;
}

function joinFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = typeof field === 'string' ? Buffer.from(field) : field;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Reads fields, each behind its length. */
class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(count: number): void {
    this.#at += count;
  }

  next(): Buffer {
    const length = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4 + length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

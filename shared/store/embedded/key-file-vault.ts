import { randomBytes, scryptSync } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { messageOf } from '../../util/message-of.ts';
import type { KeyVault } from '../ports/secrets.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { decryptText, encryptText } from '../sealed-text.ts';
import { giveToFolderOwner } from './folder-owner.ts';

const PREFIX = 'sealed:1';
const SALT = 16;
const KEY_REMEDY = "copy the file from a backup ('understudy restore')";
/** More salts than a process meets: each of its keys has one. */
const KEPT_KEYS = 8;

/**
 * Seals with the text of a key file: a passphrase or random digits. A missing file is created,
 * readable by its owner only, if `mayMake`. Throws StoreRefused, naming the file, when it cannot be
 * used.
 */
export function openKeyFileVault(path: string, mayMake: boolean): KeyVault {
  const secret = readKeyFile(path, mayMake);
  // To derive a key takes 50 ms.
  const keys = new BoundedCache<Uint8Array>(KEPT_KEYS);
  const keyOf = (salt: Buffer) => {
    const name = salt.toString('base64');
    const key = keys.get(name) ?? scryptSync(secret, salt, 32);
    keys.set(name, key);
    return key;
  };
  return {
    async seal(text) {
      const salt = randomBytes(SALT);
      return [PREFIX, salt.toString('base64'), encryptText(keyOf(salt), text)].join(':');
    },
    async open(sealed) {
      const [kind, version, salt = '', body = ''] = sealed.split(':');
      const isOurs = `${kind}:${version}` === PREFIX;
      const text = isOurs ? decryptText(keyOf(Buffer.from(salt, 'base64')), body) : null;
      if (text === null) throw new StoreRefused(describeOtherKey("the CA's key", path));
      return text;
    },
  };
}

/**
 * Reads the text of a key file. Creates a missing one if `mayMake`. Throws StoreRefused, naming the
 * file, when it cannot be used.
 */
export function readKeyFile(path: string, mayMake: boolean): string {
  try {
    if (mayMake) makeKeyFile(path);
  } catch (error) {
    throw new StoreRefused(`the key file '${path}' cannot be created: ${messageOf(error)}`, error);
  }
  let secret: string;
  try {
    secret = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StoreRefused(`the key file '${path}' cannot be read: ${messageOf(error)}`, error);
  }
  if (secret.length < 12) throw new StoreRefused(`the key file '${path}' has fewer than 12 characters`);
  if (isDamagedKey(secret)) throw new StoreRefused(`the key file '${path}' is damaged: ${KEY_REMEDY}`);
  return secret;
}

/** The text of a key file that we make: its checksum is part of the secret. */
function printKey(digits: string): string {
  return `key:${crc32(digits).toString(16).padStart(8, '0')}:${digits}`;
}

/** Whether a text is one of `printKey` that has changed. The text of others can be any. */
function isDamagedKey(text: string): boolean {
  const isOurs = /^key:|^.{12}:[0-9a-f]{64}$/.test(text);
  return (isOurs && text !== printKey(text.slice(13))) || /^\0+$/.test(text);
}

/** Creates the file unless it exists. It appears atomically, complete and fsynced. */
function makeKeyFile(path: string): void {
  if (existsSync(path)) return;
  const unfinished = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(unfinished, `${printKey(randomBytes(32).toString('hex'))}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    });
    giveToFolderOwner(unfinished);
    linkSync(unfinished, path);
  } catch (error) {
    // Another process created it first.
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** The message for a sealed text that the key file does not open. */
export function describeOtherKey(sealed: string, path: string): string {
  return `${sealed} was not sealed with the key file '${path}', or is damaged: ${KEY_REMEDY}`;
}

import { randomBytes, scryptSync } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BoundedCache } from '../../util/bounded-cache.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { decryptText, encryptText } from '../sealed-text.ts';
import { giveToFolderOwner } from './folder-owner.ts';

const PREFIX = 'sealed:1';
const SALT = 16;
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
      if (text === null) throw new StoreRefused(`the CA's key was not sealed with the key file '${path}'`);
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
  return secret;
}

/** Creates the file unless it exists. It appears atomically, complete and fsynced. */
function makeKeyFile(path: string): void {
  if (existsSync(path)) return;
  const unfinished = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(unfinished, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    giveToFolderOwner(unfinished);
    linkSync(unfinished, path);
  } catch (error) {
    // Another process created it first.
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

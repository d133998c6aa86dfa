import { createHash } from 'node:crypto';
import type { TextSeal } from '../ports/secrets.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { decryptText, encryptText } from '../sealed-text.ts';
import { describeOtherKey, readKeyFile } from './key-file-vault.ts';

const PREFIX = 'sealed:2:';

/**
 * Seals with AES-256-GCM under a key file. It is created at the first use if `mayMake`, readable
 * by its owner only. A copy of the database alone shows no text.
 */
export function openFileSeal(path: string, mayMake = true): TextSeal {
  let key: Uint8Array | null = null;
  const readKey = () => {
    key ??= createHash('sha256').update(readKeyFile(path, mayMake)).digest();
    return key;
  };
  return {
    seal: (text) => PREFIX + encryptText(readKey(), text),
    open: (sealed) => {
      const text = sealed.startsWith(PREFIX) ? decryptText(readKey(), sealed.slice(PREFIX.length)) : null;
      if (text === null) throw new StoreRefused(describeOtherKey('a kept value', path));
      return text;
    },
  };
}

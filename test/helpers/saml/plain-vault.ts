import type { KeyVault } from '../../../shared/store/ports/secrets.ts';

/** A seal for tests. */
export const PLAIN_VAULT: KeyVault = {
  seal: async (secret) => `sealed ${Buffer.from(secret).toString('hex')}`,
  open: async (sealed) => Buffer.from(sealed.slice(7), 'hex').toString(),
};

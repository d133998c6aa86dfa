import { randomBytes, randomUUID } from 'node:crypto';
import type { SecretSource } from './ports/secrets.ts';

/** The cryptographic random numbers of the machine. */
export const systemSecrets: SecretSource = { bytes: (count) => randomBytes(count) };

/** Returns a new random UUID. Cryptography is loaded at the first call. */
export function drawUuid(): string {
  return randomUUID();
}

import { randomBytes } from 'node:crypto';
import type { SecretSource } from './ports/secret-source.ts';

/** The cryptographic random numbers of the machine. */
export const systemSecrets: SecretSource = { bytes: (count) => randomBytes(count) };

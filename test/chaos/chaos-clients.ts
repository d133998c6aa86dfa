import { join } from 'node:path';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { createToken } from '../../shared/access/tokens/deploy-tokens.ts';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { KEY_FILE } from '../../shared/store/embedded/directory-files.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { KeyVault } from '../../shared/store/ports/secrets.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import type { ChaosClients } from './chaos-world.ts';

/** A data directory that has certificates and a token for its clients. */
export interface PreparedClients extends ChaosClients {
  readonly stores: EmbeddedStores;
}

const ADMINISTRATOR = 'administrator.example.com';
const TOKEN = 'chaos-token';
const GENERATED_AT_ONCE = 4;
/** Shorter than the life of most processes, so that nodes whose job was lost are not idle. */
const HOLD_SECONDS = 6;

/**
 * Prepares a data directory before its first server: a CA with elliptic keys, certificates, a
 * token, and a policy by which no node gets a catalog that is not current.
 */
export async function createClients(data: string, certnames: readonly string[]): Promise<PreparedClients> {
  const stores = openEmbeddedStores(data);
  return { stores, ...(await prepareClients(stores, openKeyFileVault(join(data, KEY_FILE), true), certnames, false)) };
}

/** See `createClients`. With `autosign`, who asks for a certificate gets one. */
export async function prepareClients(
  stores: Stores,
  vault: KeyVault,
  certnames: readonly string[],
  autosign: boolean,
): Promise<ChaosClients> {
  const settings = { name: 'chaos', autosign, keyType: 'ec', vault } as const;
  const authority = await CertificateAuthority.open(stores.documents, stores.clock, settings);
  const generated = await inParallel(GENERATED_AT_ONCE, certnames, (name) => authority.generate(name, [], false));
  const administrator = await authority.generate(ADMINISTRATOR, [], true);
  await createToken(stores, TOKEN, 'chaos', null);
  await new FreshnessPolicies(stores.documents).put('default', { afterHold: 'retry', holdSeconds: HOLD_SECONDS });
  const nodes = new Map(generated.map((one) => [one.certname, one]));
  return { nodes, administrator, token: TOKEN };
}

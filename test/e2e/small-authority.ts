import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';

/**
 * Makes the CA of a data directory with a small key, so that the start does not wait for a large
 * one. The caller closes the stores.
 */
export async function openWithSmallAuthority(data: string, autosign = true): Promise<EmbeddedStores> {
  const stores = openEmbeddedStores(data);
  await CertificateAuthority.open(stores.documents, stores.clock, { name: 'e2e', autosign, keyBits: 2048 });
  return stores;
}

import { join } from 'node:path';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { KEY_FILE } from '../../shared/store/embedded/directory-files.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';

/** Makes the certificate authority of a data directory, which the server of a herd then finds. */
export function openHerdAuthority(
  data: string,
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
): Promise<CertificateAuthority> {
  const vault = openKeyFileVault(join(data, KEY_FILE), true);
  return CertificateAuthority.open(documents, clock, { name: 'herd', autosign: false, keyBits: 2048, vault });
}

import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { CertificateAuthority } from './authority.ts';
import { readAuthorityKeys } from './authority-record.ts';
import { CERTIFICATES } from './certificate-records.ts';
import { listInventory, nextSerial } from './serials.ts';
import { x509 } from './x509.ts';

/** The files of a CA, by their names in the folder of a Puppet Server. */
interface ExportedAuthority {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly certificates: number;
}

/**
 * Reads the CA as the files of a Puppet Server's, which `importAuthority` takes, too. Keys are not
 * encrypted. Throws StoreRefused when there is no CA, or the vault does not open its key.
 */
export async function exportAuthority(
  documents: DocumentStore,
  clock: Clock,
  vault: KeyVault,
): Promise<ExportedAuthority> {
  const authority = await CertificateAuthority.openExisting(documents, clock, vault);
  const { key, rootKey } = await readAuthorityKeys(documents, vault);
  const { pem: lists } = await authority.revocationLists();
  const signed = await readCertificates(documents);
  const starts = new Map([...signed.values()].map(({ serial, startsAt }) => [serial, startsAt]));
  const inventory = (await listInventory(documents)).map(({ serial, certname, endsAt }) => {
    const times = [starts.get(serial), endsAt].map(printTime).join(' ');
    return `0x${serial.toUpperCase().padStart(4, '0')} ${times} /CN=${certname}\n`;
  });
  return {
    name: authority.issuerName,
    certificates: signed.size,
    files: {
      'ca_crt.pem': authority.certificatePem,
      'ca_key.pem': key,
      ...(rootKey === null ? {} : { 'root_key.pem': rootKey }),
      'ca_crl.pem': lists,
      serial: `${(await nextSerial(documents)).toString(16).toUpperCase().padStart(4, '0')}\n`,
      'inventory.txt': inventory.join(''),
      ...Object.fromEntries([...signed].map(([certname, { pem }]) => [`signed/${certname}.pem`, pem])),
    },
  };
}

interface SignedCertificate {
  readonly pem: string;
  /** Hexadecimal, small letters. */
  readonly serial: string;
  readonly startsAt: number;
}

async function readCertificates(documents: DocumentStore): Promise<ReadonlyMap<string, SignedCertificate>> {
  const found = new Map<string, SignedCertificate>();
  for await (const { key, document } of allDocuments(documents, CERTIFICATES)) {
    const pem = String(document.pem);
    const { serialNumber, notBefore } = new x509.X509Certificate(pem);
    found.set(key, { pem, serial: serialNumber.toLowerCase(), startsAt: notBefore.getTime() });
  }
  return found;
}

/** Puppet: lib/puppet/ssl/inventory.rb */
function printTime(at: number | undefined): string {
  return at === undefined ? 'unknown' : new Date(at).toISOString().replace(/\.\d+Z$/, 'UTC');
}

import type { DocumentStore } from '../../store/ports/document-store.ts';
import { CertificateRecords } from './certificate-records.ts';
import { CertificateStatuses } from './certificate-status.ts';
import type { RevocationList } from './revocation-list.ts';
import { x509 } from './x509.ts';

/** The choice of stored certificates to delete. */
interface DeletedCertificates {
  readonly certnames: readonly string[];
  /** All that expired. */
  readonly expired: boolean;
  /** All that are revoked. */
  readonly revoked: boolean;
}

export interface Deletion {
  readonly deleted: readonly string[];
  /** Named ones that are neither expired nor revoked: deleted, they could not be revoked. */
  readonly valid: readonly string[];
  /** Names without a certificate. */
  readonly missing: readonly string[];
}

/**
 * Deletes stored certificates that count no more; the revocation list stays as it is, and the nodes
 * may request new ones.
 */
export async function deleteCertificates(
  documents: DocumentStore,
  revocations: RevocationList,
  { certnames, expired, revoked }: DeletedCertificates,
  now: number,
): Promise<Deletion> {
  const records = new CertificateRecords(documents);
  const named = new Set(certnames);
  const found = new Set(named);
  if (expired || revoked) {
    const statuses = new CertificateStatuses(documents, revocations);
    for await (const { name, state } of statuses.listStatuses(null)) if (state !== 'requested') found.add(name);
  }
  const deleted: string[] = [];
  const valid: string[] = [];
  const missing: string[] = [];
  for (const certname of found) {
    const record = await records.get(certname);
    const isNamed = named.has(certname);
    if (record === null) {
      if (isNamed) missing.push(certname);
      continue;
    }
    const isExpired = new x509.X509Certificate(record.pem).notAfter.getTime() < now;
    const isRevoked = await revocations.isRevoked(record.serial);
    if ((isExpired && (expired || isNamed)) || (isRevoked && (revoked || isNamed))) {
      await records.remove(certname, record);
      deleted.push(certname);
    } else if (isNamed) valid.push(certname);
  }
  return { deleted, valid, missing };
}

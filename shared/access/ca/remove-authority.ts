import type { DocumentStore } from '../../store/ports/document-store.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { countUnits } from '../../util/count-units.ts';
import { readPublicAuthority, removeAuthorityRecord } from './authority-record.ts';
import { CERTIFICATES } from './certificate-records.ts';
import { forgetSerials } from './serials.ts';

const MOST_COUNTED = 10_000;
const PAGE = 500;

/** Throws StoreRefused when the store has a CA; the message says what can be done. */
export async function demandNoAuthority(documents: DocumentStore): Promise<void> {
  const present = await readPublicAuthority(documents);
  if (present === null) return;
  const nodes = await documents.countKeys(CERTIFICATES, MOST_COUNTED);
  const remedy =
    nodes === 0
      ? "no node has a certificate of it, so 'understudy ca import DIR --replace' can take its place"
      : `${countUnits(nodes, 'node')} with a certificate of it would need another one: use another data directory, or revoke them first ('understudy ca clean')`;
  throw new StoreRefused(
    `this store already has the certificate authority '${present.certificate.subject}': ${remedy}`,
  );
}

/**
 * Removes a CA that no node has a certificate of, with the certificates of its servers; requests
 * stay. An interrupted removal is completed by the next call. No server may use the store
 * meanwhile. Throws StoreRefused when a node has a certificate.
 */
export async function removeUnusedAuthority(documents: DocumentStore): Promise<void> {
  if ((await documents.countKeys(CERTIFICATES, 1)) > 0) return demandNoAuthority(documents);
  await forgetSerials(documents);
  await removeAuthorityRecord(documents, PAGE);
}

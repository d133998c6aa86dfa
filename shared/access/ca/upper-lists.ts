import type { DocumentStore } from '../../store/ports/document-store.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { readPublicAuthority, replaceOtherLists } from './authority-record.ts';
import { type Crl, crlsInPem, crlToPem } from './crl.ts';
import { newestListOf } from './signing-chain.ts';
import { certificatesInPem } from './x509.ts';

/** Error for revocation lists that are not of the CAs above ours; the message gives the reason. */
export class RevocationListRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RevocationListRefused';
  }
}

/** Bounded retry: 20 updates between a read and a write do not occur in practice. */
const MOST_TRIES = 20;

/**
 * Replaces the upper lists, the revocation lists (CRLs) of the CAs above the signing one, by newer
 * ones in `pem`. Returns the subjects of the CAs whose lists were replaced. A list that is no newer
 * by its CRL number, and the signing CA's own list, are ignored. Throws RevocationListRefused when
 * `pem` has no list, or a list that no CA of the chain signed.
 */
export async function updateUpperLists(documents: DocumentStore, pem: string): Promise<readonly string[]> {
  const given = parseLists(pem);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await readPublicAuthority(documents);
    if (known === null) throw new StoreRefused('this store has no certificate authority');
    const [signing, ...above] = certificatesInPem(known.chain);
    const isKnown = (issuer: string) => [signing, ...above].some((one) => one?.subject === issuer);
    const stranger = given.find(({ issuer }) => !isKnown(issuer));
    if (stranger !== undefined) throw new RevocationListRefused(`${stranger.issuer} is no CA of this chain`);
    const lists: Crl[] = [];
    const replaced: string[] = [];
    for (const one of above) {
      const before = await newestListOf(one, known.otherLists);
      const after = await newestListOf(one, pem);
      if (after === null && given.some(({ issuer }) => issuer === one.subject)) {
        throw new RevocationListRefused(`the list of ${one.subject} is not signed by its key`);
      }
      const isNewer = after !== null && (before === null || after.number > before.number);
      if (isNewer) replaced.push(one.subject);
      const kept = isNewer ? after : before;
      if (kept !== null) lists.push(kept);
    }
    if (replaced.length === 0) return [];
    if (await replaceOtherLists(documents, known.otherLists, lists.map(crlToPem).join(''))) return replaced;
  }
  throw new Error('the revocation lists could not be stored');
}

function parseLists(pem: string): readonly Crl[] {
  try {
    const lists = crlsInPem(pem);
    if (lists.length > 0) return lists;
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new RevocationListRefused(`a revocation list cannot be read: ${reason}`, error);
  }
  throw new RevocationListRefused('there is no revocation list in PEM');
}

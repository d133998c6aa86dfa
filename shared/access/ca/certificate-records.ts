import { isDeepStrictEqual } from 'node:util';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

export const CERTIFICATES = 'certificates';
export const REQUESTS = 'certificate-requests';

interface IssuedCertificate {
  readonly pem: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** Start of the last renewal, in milliseconds since the epoch; absent without one. */
  readonly renewedAt?: number;
}

/** The last certificate of a node. */
export interface CertificateRecord extends IssuedCertificate {
  /** Whether a revocation has begun. A closed record is never replaced, only removed. */
  readonly isClosed: boolean;
  /** The stored document, for compare-and-swap. */
  readonly document: StoredDocument;
}

/**
 * Keeps one record per node: its last certificate. Every change is a compare-and-swap, so that
 * renewals and revocations of one node are serialised: a renewal stores its certificate before the
 * record is closed, or not at all.
 */
export class CertificateRecords {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  async get(certname: string): Promise<CertificateRecord | null> {
    const document = await this.#documents.get(CERTIFICATES, certname);
    return document === null ? null : recordOf(document);
  }

  /** Stores the first certificate of `certname`; null when one exists. */
  async create(certname: string, issued: IssuedCertificate): Promise<CertificateRecord | null> {
    const document = documentOf(issued);
    return this.#settled(certname, document, await this.#documents.create(CERTIFICATES, certname, document));
  }

  /**
   * Stores the certificate that replaces `before`; null when the record changed since it was read.
   */
  async replace(
    certname: string,
    before: CertificateRecord,
    issued: IssuedCertificate,
  ): Promise<CertificateRecord | null> {
    return this.#swap(certname, before.document, documentOf(issued));
  }

  /**
   * Blocks further renewals of `certname` and returns its last certificate; null when there is
   * none.
   */
  async close(certname: string): Promise<CertificateRecord | null> {
    for (;;) {
      const record = await this.get(certname);
      if (record === null || record.isClosed) return record;
      const closed = await this.#swap(certname, record.document, { ...record.document, closed: true });
      if (closed !== null) return closed;
    }
  }

  /** Removes a record, unless it changed since it was read. */
  async remove(certname: string, { document }: CertificateRecord): Promise<void> {
    await this.#documents.remove(CERTIFICATES, certname, document);
  }

  async #swap(certname: string, before: StoredDocument, document: StoredDocument): Promise<CertificateRecord | null> {
    const isDone = await this.#documents.replace(CERTIFICATES, certname, before, document);
    return this.#settled(certname, document, isDone);
  }

  /**
   * Decides by the stored document: after an internal retry, a store reports failure for a write
   * that succeeded.
   */
  async #settled(certname: string, document: StoredDocument, isDone: boolean): Promise<CertificateRecord | null> {
    const isStored = isDone || isDeepStrictEqual(await this.#documents.get(CERTIFICATES, certname), document);
    return isStored ? recordOf(document) : null;
  }
}

function documentOf({ pem, serial, renewedAt }: IssuedCertificate): StoredDocument {
  return { pem, serial, ...(renewedAt === undefined ? {} : { renewedAt }) };
}

function recordOf(document: StoredDocument): CertificateRecord {
  const { pem, serial, renewedAt, closed } = document;
  if (typeof pem !== 'string' || typeof serial !== 'string') throw new Error('The stored certificate is damaged');
  const isClosed = closed === true;
  return { pem, serial, isClosed, document, ...(typeof renewedAt === 'number' ? { renewedAt } : {}) };
}

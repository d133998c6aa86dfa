import { isDeepStrictEqual } from 'node:util';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

export const CERTIFICATES = 'certificates';
export const REQUESTS = 'certificate-requests';

export interface IssuedCertificate {
  readonly pem: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** When the last renewal began, in milliseconds since the epoch; absent when there was none. */
  readonly renewedAt?: number;
}

/** The last certificate of a node. */
export interface CertificateRecord extends IssuedCertificate {
  /** Whether a revocation has begun. A closed record is never replaced, only removed. */
  readonly isClosed: boolean;
  /** What is stored: the next change compares with it. */
  readonly document: StoredDocument;
}

/**
 * Keeps one record a node: its last certificate. Every change compares and swaps, so that renewals
 * and revocations of one node serialise: a renewal either stores its certificate before the record
 * is closed, or not at all.
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

  /** Stores the first certificate of `certname`; null when there is one already. */
  async create(certname: string, issued: IssuedCertificate): Promise<CertificateRecord | null> {
    const document = documentOf(issued);
    return this.#settled(certname, document, await this.#documents.create(CERTIFICATES, certname, document));
  }

  /**
   * Stores the certificate that follows `before`; null when the record changed since that was read.
   */
  async replace(
    certname: string,
    before: CertificateRecord,
    issued: IssuedCertificate,
  ): Promise<CertificateRecord | null> {
    return this.#swap(certname, before.document, documentOf(issued));
  }

  /**
   * Ends renewals of `certname`, and returns the certificate that was the last one; null when there
   * is none.
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

  /** A store that tried twice says no to the second try: what is stored decides. */
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

import { expect, it } from 'vitest';
import { CertificateRecords } from '../../../../shared/access/ca/certificate-records.ts';
import type { StoredDocument } from '../../../../shared/store/ports/document-store.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const NODE = 'web01.example.com';
const renewed = { pem: 'second', serial: '1B', renewedAt: 5 };

/** Documents in which another process renews the certificate just before the first change here. */
class ContendedDocuments extends MemoryDocuments {
  #isContended = true;

  override async replace(collection: string, key: string, before: StoredDocument, document: StoredDocument) {
    if (this.#isContended) {
      this.#isContended = false;
      await this.put(collection, key, renewed);
    }
    return super.replace(collection, key, before, document);
  }
}

it('closes the certificate that is the last one, also when another one came meanwhile', async () => {
  const records = new CertificateRecords(new ContendedDocuments());
  await records.create(NODE, { pem: 'first', serial: '1A' });
  expect(await records.close(NODE)).toMatchObject({ ...renewed, isClosed: true });
  expect(await records.get(NODE)).toMatchObject({ ...renewed, isClosed: true });
});

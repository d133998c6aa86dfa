import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { expireReports, indexReport } from './node-reports.ts';

type Ports = Pick<Stores, 'documents' | 'blobs'>;

/** Collection of an earlier release; the key is `<certname>/<time received>-<transaction uuid>`. */
const EARLIER = 'reports';
const PAGE = 200;

/**
 * Deletes reports received before `before`, and moves those of an earlier release to the current
 * collection.
 */
export async function pruneReports(ports: Ports, before: number): Promise<{ expired: number; moved: number }> {
  const moved = await moveEarlier(ports, before);
  return { moved, expired: await expireReports(ports, before) };
}

async function moveEarlier({ documents, blobs }: Ports, before: number): Promise<number> {
  let moved = 0;
  for (;;) {
    const page = await documents.list(EARLIER, '', PAGE);
    for (const { key, document } of page) {
      if (Number(document.receivedAt) >= before) {
        await indexReport(documents, summaryOf(document), `reports/${key}`);
        moved += 1;
      } else await blobs.delete(`reports/${key}`);
      await documents.delete(EARLIER, key);
    }
    if (page.length < PAGE) return moved;
  }
}

function summaryOf(document: StoredDocument) {
  const { certname, receivedAt, status, environment, time, puppet_version, transaction_uuid, noop } = document;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    certname: String(certname),
    receivedAt: Number(receivedAt),
    status,
    environment: text(environment),
    time: text(time),
    puppetVersion: text(puppet_version),
    transactionUuid: text(transaction_uuid),
    noop: noop === true,
  };
}

import { expect, it } from 'vitest';
import { allocateSerial, nextSerial, scatterSerials } from '../../../../shared/access/ca/serials.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const ENDS = 1;

it('are consecutive', async () => {
  const documents = new MemoryDocuments();
  const serials = [await allocateSerial(documents, 'a', ENDS), await allocateSerial(documents, 'b', ENDS)];
  expect(serials).toEqual(['03', '04']);
});

it('have gaps by chance where a failover may lose the last of them: none is given out twice', async () => {
  const documents = new MemoryDocuments();
  await allocateSerial(documents, 'a', ENDS);
  await scatterSerials(documents);
  await scatterSerials(documents);
  const before = await documents.get('ca', 'last');
  const lost = await allocateSerial(documents, 'b', ENDS);
  expect(Number.parseInt(lost, 16)).toBeGreaterThan(3);
  // The database as it was: neither the number nor the hint came through.
  await documents.delete('certificate-serials', lost);
  await documents.put('ca', 'last', before ?? {});
  const again = await allocateSerial(documents, 'c', ENDS);
  expect(again).not.toBe(lost);
  expect(await nextSerial(documents)).toBeGreaterThan(Number.parseInt(again, 16));
});

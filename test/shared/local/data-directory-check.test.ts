import { expect, it } from 'vitest';
import { createDataDirectoryCheck } from '../../../shared/local/data-directory-check.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import { ManualClock, MemoryDocuments } from '../../helpers/memory-stores.ts';

const MB = 1024 * 1024;

it('fails while the disk is full, or the database cannot be written', async () => {
  const documents = new MemoryDocuments();
  let free = 100 * MB;
  const check = createDataDirectoryCheck({ documents, clock: new ManualClock(1) }, '/srv/data', async () => ({
    bavail: free / 4096,
    bsize: 4096,
  }));
  await check();
  free = 31 * MB;
  await expect(check()).rejects.toThrow("the disk of '/srv/data' is full: 31 MB are free");
  free = 32 * MB;
  await check();
  documents.put = () => Promise.reject(new StoreRefused('attempt to write a readonly database'));
  await expect(check()).rejects.toThrow('attempt to write a readonly database');
});

it('reads the free space of a real folder', async () => {
  await createDataDirectoryCheck({ documents: new MemoryDocuments(), clock: new ManualClock(1) }, '.')();
});

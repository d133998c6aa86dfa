import { expect, it } from 'vitest';
import { Presence } from '../../../../shared/orchestrator/broker/presence.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

it('lists all clients of a collection, page by page', async () => {
  const documents = new MemoryDocuments();
  const names = Array.from(
    { length: 2500 },
    (_, index) => `pcp://n${String(index).padStart(4, '0')}.example.com/agent`,
  );
  const place = { instance: 'a', incarnation: 'b', epoch: 1 };
  for (const name of names) await documents.put('pcp-presence-3', name, place);
  const found: string[] = [];
  for await (const [uri, where] of new Presence(documents).list()) {
    found.push(uri);
    expect(where).toEqual(place);
  }
  expect(found).toEqual(names);
});

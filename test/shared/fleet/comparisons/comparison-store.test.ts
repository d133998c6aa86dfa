import { expect, it } from 'vitest';
import { ComparisonStore } from '../../../../shared/fleet/comparisons/comparison-store.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const NODE = { certname: 'a.test', environment: 'production', at: 1 };

it('keeps as many changes of a node as a document holds, counted in bytes', async () => {
  const store = new ComparisonStore(new MemoryDocuments());
  const changes = Array.from({ length: 200 }, (_, index) => ({
    kind: 'changed' as const,
    resource: `File[/${index}]`,
    parameter: 'content',
    to: '\u{65e5}'.repeat(500),
  }));
  await store.put({ ...NODE, outcome: 'different', changes, omitted: 7 });
  const kept = await store.get('a.test');
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(210_000);
  const shown = kept?.outcome === 'different' ? kept.changes.length : 0;
  expect(shown).toBeGreaterThan(100);
  expect(kept).toMatchObject({ omitted: 207 - shown });
});

it.each(['failing', 'unknown'] as const)('shortens the message of a node that is %s', async (outcome) => {
  const store = new ComparisonStore(new MemoryDocuments());
  await store.put({ ...NODE, outcome, message: 'x'.repeat(20_000) });
  expect(await store.get('a.test')).toMatchObject({ message: `${'x'.repeat(10_000)}\u2026` });
});

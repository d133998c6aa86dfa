import { describe, expect, it } from 'vitest';
import { catalogUuid } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import {
  type DueQuestion,
  decideDue,
  hasApplied,
  isOtherCatalog,
} from '../../../../shared/orchestrator/notify/due-decision.ts';
import type { CatalogPointer } from '../../../../shared/store/ports/node-record.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const [ONE, TWO, THREE] = ['one', 'two', 'three'].map(digestSha256) as [string, string, string];

function pointer(hash: string, compiledAt: number, forms?: Readonly<Record<string, string>>): CatalogPointer {
  return { hash, codeId: 'c', namedCode: [], compiledAt, durationMs: 1, exported: '', ...(forms && { static: forms }) };
}

describe('another catalog', () => {
  it.each([
    ['another hash', pointer(ONE, 1), pointer(TWO, 2), true],
    ['the same hash, compiled again', pointer(ONE, 1), pointer(ONE, 2), false],
    ['another content of a file', pointer(ONE, 1, { sha256: TWO }), pointer(ONE, 2, { sha256: THREE }), true],
    ['the same static form', pointer(ONE, 1, { sha256: TWO }), pointer(ONE, 2, { sha256: TWO }), false],
    ['a form that is new', pointer(ONE, 1), pointer(ONE, 2, { md5: THREE }), true],
  ])('%s', (_, before, after, isOther) => {
    expect(isOtherCatalog(before, after)).toBe(isOther);
  });
});

describe('a commit', () => {
  const asked = { generation: 4, at: 0, waiting: false };
  const question: DueQuestion = {
    before: pointer(ONE, 100),
    after: pointer(TWO, 200),
    record: { catalog: pointer(TWO, 200), asked, built: 5 },
    policy: { notify: 'now', freshness: 'wait' },
    notified: null,
  };
  const recordWith = (waiting: boolean, generation: number) => ({
    catalog: pointer(TWO, 200),
    asked: { ...asked, waiting, generation },
    built: 5,
  });

  it.each<readonly [string, Partial<DueQuestion>, string | null]>([
    ['of another catalog', {}, null],
    ['of a first catalog', { before: null }, 'first'],
    ['of the same catalog', { after: pointer(ONE, 200) }, 'same'],
    ['where notify is off', { policy: { notify: 'off', freshness: 'wait' } }, 'off'],
    ['of a node that is gone', { record: null }, 'gone'],
    ['that a newer one follows', { record: { catalog: pointer(THREE, 300), asked, built: 6 } }, 'newer follows'],
    ['that a request of the node waits for', { record: recordWith(true, 5) }, 'asked by itself'],
    ['that an earlier request waited for', { record: recordWith(true, 4) }, null],
    [
      'for which a request got an older catalog at once',
      { record: recordWith(true, 5), policy: { notify: 'now', freshness: 'stale' } },
      null,
    ],
    ['that the node was notified of', { notified: 200 }, 'notified'],
    ['after one that the node was notified of', { notified: 100 }, null],
  ])('%s', (_, change, reason) => {
    expect(decideDue({ ...question, ...change })).toBe(reason);
  });
});

describe('a report', () => {
  const report = { catalogUuid: catalogUuid(ONE), noop: false, receivedAt: 100 };

  it.each([
    ['of the catalog', report, pointer(ONE, 200), true],
    ['of another catalog', report, pointer(TWO, 50), false],
    ['of a run with noop', { ...report, noop: true }, pointer(ONE, 50), false],
    ['without a catalog', { noop: false, receivedAt: 300 }, pointer(ONE, 50), false],
    ['of the static form', report, pointer(TWO, 200, { sha256: ONE }), true],
    ['of the plain form, before files changed', report, pointer(ONE, 200, { sha256: TWO }), false],
    ['of the plain form, after files changed', report, pointer(ONE, 50, { sha256: TWO }), true],
  ])('%s', (_, summary, catalog, isApplied) => {
    expect(hasApplied(summary, catalog)).toBe(isApplied);
  });
});

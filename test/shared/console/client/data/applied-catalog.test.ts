import { expect, it } from 'vitest';
import { findAppliedCatalog } from '../../../../../shared/console/client/data/applied-catalog.ts';
import { catalogUuid } from '../../../../../shared/fleet/catalogs/catalog-blob.ts';
import { digestSha256 } from '../../../../../shared/util/digest.ts';

const [PRESENT, STATIC, BEFORE, OTHER] = ['a', 'b', 'c', 'd'].map((text) => digestSha256(text));
const rest = { codeId: null, compiledAt: 1, durationMs: 1, exported: '', namedCode: [] };
const catalog = {
  ...{ hash: PRESENT ?? '', static: { sha256: STATIC ?? '' }, ...rest },
  previous: { hash: BEFORE ?? '', codeId: null, compiledAt: 0 },
};

it.each([
  ['present', PRESENT],
  ['present', STATIC],
  ['previous', BEFORE],
  ['other', OTHER],
])('finds the %s catalog by its UUID', (expected, hash = '') => {
  expect(findAppliedCatalog({ catalog }, catalogUuid(hash))).toBe(expected);
});

it('finds none of a node without a catalog', () => {
  expect(findAppliedCatalog({ catalog: null }, catalogUuid(PRESENT ?? ''))).toBe('other');
});

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeBillOfMaterials } from './bill-of-materials.ts';
import { listProductionPackages } from './production-packages.ts';

const { bomFormat, metadata, components } = makeBillOfMaterials();
const RUBY = new URL('../../node_modules/@ruby/3.2-wasm-wasi/dist/ruby.wasm', import.meta.url);

it('lists each production package with licence and digest, and no address that packages come from', () => {
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'understudy']);
  const listed = components.filter(({ type }) => type === 'library');
  const names = new Set(listed.map(({ name, version }) => `${name}@${version}`));
  expect(names).toEqual(new Set(listProductionPackages().map(({ name, version }) => `${name}@${version}`)));
  const isComplete = ({ licenses = [], hashes = [] }: (typeof listed)[number]) =>
    licenses.length > 0 && hashes.length > 0;
  expect(listed.filter((one) => !isComplete(one))).toEqual([]);
  expect(listed.flatMap(({ externalReferences = [] }) => externalReferences)).toEqual([]);
});

it('names the digests of the files that Ruby is made of', () => {
  const digests = new Map(components.map(({ name, hashes }) => [name, hashes?.[0]?.content]));
  expect(digests.get('ruby.wasm')).toBe(createHash('sha256').update(readFileSync(RUBY)).digest('hex'));
  expect(digests.get('shared/puppet/ruby/side')).toMatch(/^[0-9a-f]{64}$/);
});

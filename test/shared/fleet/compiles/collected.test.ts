import { afterEach, beforeEach, expect, it } from 'vitest';
import { sortCollected } from '../../../../shared/fleet/compiles/export-matching.ts';
import type { ExportedResource } from '../../../../shared/puppet/catalog/exported.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { digestCollected } from '../../../../shared/store/exports-digest.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

/** What of the others' exports makes a collecting node compile again, with the real compiler. */
const [EXPORTER, OTHER, COLLECTOR] = ['b.example.com', 'c.example.com', 'z.example.com'] as const;

let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  world.write({
    'environments/production/manifests/site.pp': `
      if $facts['exports'] {
        $facts['tags'].each |$name, $value| { tag($name) }
        @@notify { $facts['what']: message => $facts['message'] }
      }
      if $facts['collects'] { Notify <<| tag == 'web' |>> }`,
  });
  await world.deploy();
  await world.run(checkIn(EXPORTER, exporting()));
  await world.run(checkIn(OTHER, exporting({ title: 'two' })));
  await world.run(checkIn(COLLECTOR, { collects: true }));
  await world.runJobs();
});
afterEach(() => world.close());

interface Exported {
  readonly title?: string;
  readonly message?: string;
  readonly tags?: Readonly<Record<string, boolean>>;
}

function exporting({ title = 'one', message = 'm', tags = { web: true } }: Exported = {}) {
  return { exports: true, what: title, message, tags };
}

const compiles = async () => (await world.stores.nodes.get(COLLECTOR))?.compiles;
const collected = async () => {
  const { resources } = catalogOf(await world.run(checkIn(COLLECTOR, { collects: true }))) as {
    resources: { type: string; title: string }[];
  };
  return resources.filter(({ type }) => type === 'Notify').map(({ title }) => title);
};

it.each<[string, Exported, number]>([
  ['a tag more', { tags: { web: true, more: true } }, 0],
  ['tags in another order', { tags: { more: true, web: true } }, 0],
  ['another parameter', { message: 'n' }, 1],
  ['another title', { title: 'x' }, 1],
  ['no tag that the collector looks for', { tags: { more: true } }, 1],
])('an export with %s', async (_, change, more) => {
  expect(await collected()).toEqual(['one', 'two']);
  const before = (await compiles()) ?? 0;
  await world.run(checkIn(EXPORTER, exporting(change)));
  await world.runJobs();
  expect(await compiles()).toBe(before + more);
});

it('gets the same resources in the same order, and counts as unchanged, when an exporter has another name', () => {
  const exported = (certname: string, title: string, ip = '1') => ({
    certname,
    type: 'Host',
    title,
    tags: [certname],
    parameters: { ip },
  });
  const before = [exported('a', 'two'), exported('b', 'one', '2'), exported('c', 'one', '1')];
  const after = [exported('d', 'one', '2'), exported('e', 'one', '1'), exported('f', 'two')];
  const shown = (resources: readonly ExportedResource[]) =>
    sortCollected(resources).map(({ title, parameters }) => `${title} ${parameters.ip}`);
  const digest = (resources: readonly ExportedResource[]) =>
    digestCollected([{ type: 'Host', query: null }], resources);
  expect(shown(before)).toEqual(['one 1', 'one 2', 'two 1']);
  expect(shown(after)).toEqual(shown(before));
  expect(digest(after)).toBe(digest(before));
  expect(digest([...after, exported('g', 'one', '2')])).not.toBe(digest(before));
  expect(digest([exported('a', 'two'), exported('b', 'one', '2')])).not.toBe(digest(before));
});

it('counts as changed when another collector finds the same resource', () => {
  const collectors = ['a', 'b'].map((tag) => ({ type: 'Host', query: ['tag', '==', tag] }));
  const tagged = (tag: string) => [{ certname: 'x', type: 'Host', title: 'one', tags: [tag], parameters: {} }];
  expect(digestCollected(collectors, tagged('a'))).not.toBe(digestCollected(collectors, tagged('b')));
  expect(digestCollected(collectors.toReversed(), tagged('a'))).toBe(digestCollected(collectors, tagged('a')));
});

import { describe, expect, it } from 'vitest';
import { isUsual, moduleOf, planPacks } from '../../../../shared/fleet/snapshots/pack-plan.ts';
import type { Snapshot } from '../../../../shared/puppet/environment/snapshot.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const CODE = 'environments/production';

function snapshotOf(sizes: Readonly<Record<string, number>>, version = ''): Snapshot {
  const files = Object.entries(sizes).map(([path, size]) => {
    const text = path.endsWith('changed.pp') ? path + version : path;
    return [path, { sha256: digestSha256(text), size, mode: 0o644 }] as const;
  });
  return { environment: 'production', files: Object.fromEntries(files) };
}

/** So many files of 4 KB, with one that changes. */
function snapshotOfSize(count: number, version = ''): Snapshot {
  const paths = Array.from({ length: count - 1 }, (_, index) =>
    index % 10 === 0
      ? `${CODE}/data/nodes/n${index}.yaml`
      : `${CODE}/modules/m${index % 200}/${index % 3 === 0 ? 'lib' : 'manifests'}/f${index}.${index % 3 === 0 ? 'rb' : 'pp'}`,
  );
  return snapshotOf(
    Object.fromEntries([...paths, `${CODE}/modules/m0/manifests/changed.pp`].map((path) => [path, 4096])),
    version,
  );
}

it.each([
  [`${CODE}/modules/web/manifests/init.pp`, `${CODE}/modules/web`],
  [`${CODE}/site/web/data/common.yaml`, `${CODE}/site/web`],
  ['modules/stdlib/lib/puppet/functions/a.rb', 'modules/stdlib'],
  [`${CODE}/data/nodes/a.yaml`, ''],
  [`${CODE}/manifests/nodes/a.pp`, ''],
  [`${CODE}/hiera.yaml`, ''],
  ['hiera.yaml', ''],
])('finds the module of %s', (path, module) => {
  expect(moduleOf(path)).toBe(module);
});

it.each([
  [`${CODE}/modules/web/manifests/init.pp`, 10, true],
  [`${CODE}/modules/web/manifests/init.pp`, 2_000_000, false],
  [`${CODE}/modules/web/templates/page.txt`, 10, true],
  [`${CODE}/modules/web/lib/puppet/functions/web/a.rb`, 10, true],
  [`${CODE}/modules/web/lib/puppet/type/a.rb`, 10, true],
  [`${CODE}/modules/web/lib/puppet/provider/a/b.rb`, 10, false],
  [`${CODE}/modules/web/spec/fixtures/a.yaml`, 10, false],
  [`${CODE}/data/spec/examples/a.yaml`, 10, true],
  [`${CODE}/modules/web/files/page.txt`, 10, false],
])('knows whether every compile reads %s of %d bytes: %s', (path, size, expected) => {
  expect(isUsual(path, size)).toBe(expected);
});

describe('packs', () => {
  it('have what every compile reads, what some compiles read, and nothing that is large or a test', () => {
    const packs = planPacks(
      snapshotOf({
        [`${CODE}/manifests/site.pp`]: 10,
        [`${CODE}/modules/a/manifests/init.pp`]: 10,
        [`${CODE}/modules/b/templates/x`]: 10,
        [`${CODE}/modules/a/files/x`]: 10,
        [`${CODE}/modules/a/files/large`]: 300_000,
        [`${CODE}/modules/a/lib/puppet_x/a.rb`]: 10,
        [`${CODE}/modules/a/spec/a_spec.rb`]: 10,
        [`${CODE}/modules/a/README.md`]: 10,
      }),
    );
    expect(packs.map((pack) => [pack.isUsual, pack.paths])).toEqual([
      [true, [`${CODE}/manifests/site.pp`]],
      [true, [`${CODE}/modules/a/manifests/init.pp`, `${CODE}/modules/b/templates/x`]],
      [false, [`${CODE}/modules/a/files/x`, `${CODE}/modules/a/lib/puppet_x/a.rb`]],
    ]);
  });

  it.each([
    [6000, 4],
    [50_000, 20],
  ])('of %d files are few', (count, most) => {
    const packs = planPacks(snapshotOfSize(count));
    expect(packs.length).toBeLessThanOrEqual(most);
    expect(packs.length).toBeGreaterThan(2);
  });

  it('stay the same but one when one file changes', () => {
    const ids = (version: string) => planPacks(snapshotOfSize(20_000, version)).map(({ id }) => id);
    const [before, after] = [new Set(ids('one')), ids('two')];
    expect(after.length).toBeGreaterThan(4);
    expect(after.filter((id) => !before.has(id))).toHaveLength(1);
  });

  it('divide a module that is larger than a pack', () => {
    const paths = Array.from({ length: 3000 }, (_, index) => [`${CODE}/modules/huge/manifests/f${index}.pp`, 4096]);
    const packs = planPacks(snapshotOf(Object.fromEntries(paths)));
    expect(packs).toHaveLength(2);
    for (const { paths: some } of packs) expect(some.length).toBeGreaterThan(1000);
  });
});

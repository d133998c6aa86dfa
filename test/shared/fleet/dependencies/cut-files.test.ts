import { describe, expect, it } from 'vitest';
import { cutFiles, pathsOf } from '../../../../shared/fleet/dependencies/cut-files.ts';
import { nameOfPart } from '../../../../shared/fleet/dependencies/part-name.ts';

const ENVIRONMENT = 'environments/production';
const NODE = 'web01.example.com';

type Files = Readonly<Record<string, string | null>>;

const cut = (files: Files, dataKeys = {}, certname = NODE, environment = 'production') =>
  cutFiles(environment, certname, { files, dataKeys });

const partsOf = (files: Files) =>
  Object.fromEntries(cut(files).set.parts.map(({ name, observations }) => [name, pathsOf(observations)]));

describe('the name of a part', () => {
  it.each([
    ['environments/production/modules/ntp/manifests/init.pp', 'environments/production/modules/ntp'],
    ['environments/production/modules/ntp/', 'environments/production/modules'],
    ['environments/production/modules/ntp', 'environments/production/modules'],
    ['environments/production/modules/', 'environments/production'],
    ['environments/production/data/common.yaml', 'environments/production/data'],
    ['environments/production/data/os/Debian/12.yaml', 'environments/production/data/os'],
    ['environments/production/manifests/site.pp', 'environments/production/manifests'],
    ['environments/production/environment.conf', 'environments/production'],
    ['environments/production', 'environments'],
    ['modules/ntp/lib/puppet/type/x.rb', 'modules/ntp'],
    ['environments/production/modules/ntp/files/a//mode', 'environments/production/modules/ntp'],
    ['environments/production/modules/ntp//links', 'environments/production/modules'],
    ['hiera.yaml', ''],
    ['/etc/puppetlabs/puppet/x', '/'],
  ])('of %s is %j', (path, name) => {
    expect(nameOfPart(path)).toBe(name);
  });
});

describe('a cut', () => {
  it('puts the reads below a folder into a part', () => {
    expect(
      partsOf({
        [`${ENVIRONMENT}/modules/ntp/manifests/init.pp`]: 'x',
        [`${ENVIRONMENT}/modules/ntp/`]: 'listed',
        [`${ENVIRONMENT}/modules/ntp/templates/a.erb`]: null,
        'modules/ntp': null,
        'hiera.yaml': null,
      }),
    ).toEqual({
      [`${ENVIRONMENT}/modules`]: [`${ENVIRONMENT}/modules/ntp/`],
      [`${ENVIRONMENT}/modules/ntp`]: [
        `${ENVIRONMENT}/modules/ntp/manifests/init.pp`,
        `${ENVIRONMENT}/modules/ntp/templates/a.erb`,
      ],
      modules: ['modules/ntp'],
      '': ['hiera.yaml'],
    });
  });

  it('tells contents, kinds and keys', () => {
    const files = {
      'data/a.yaml': 'sha',
      'data/b.yaml': null,
      'data/c.yaml': '+',
      'data/': 'listed',
      'data/d.yaml': '+',
    };
    const dataKeys = { 'data/d.yaml': { two: null, one: 'sha' } };
    const [part] = cut(files, dataKeys).set.parts.filter(({ name }) => name === 'data');
    expect(part?.observations).toEqual({
      contents: ['data/a.yaml', 'data/b.yaml'],
      kinds: ['data/c.yaml', 'data/d.yaml'],
      keys: { 'data/d.yaml': ['one', 'two'] },
    });
  });

  it('is the same whatever the files contain, and in whatever order they were read', () => {
    const one = cut({ 'm/a/1': 'sha', 'm/a/2': null, 'm/b': '+' }, { 'm/b': { x: 'sha', y: null } });
    const two = cut({ 'm/b': '+', 'm/a/2': 'sha', 'm/a/1': null }, { 'm/b': { y: 'sha', x: null } });
    expect(two).toEqual(one);
  });

  it('differs by paths, by what counts of them, by keys and by environments', () => {
    const ids = [
      cut({ 'm/a': 'sha' }),
      cut({ 'm/b': 'sha' }),
      cut({ 'm/a': '+' }),
      cut({ 'm/a': '+' }, { 'm/a': { x: null } }),
      cut({ 'm/a': '+' }, { 'm/a': { y: null } }),
      cut({ 'm/a/': 'sha' }),
      cut({ 'm/a': 'sha', 'm/b': null }),
      cut({ 'm/a': 'sha' }, {}, NODE, 'staging'),
    ].map(({ set }) => set.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('changes one part for one more path', () => {
    const files = { 'modules/a/x': 'sha', 'modules/b/x': 'sha' };
    const before = cut(files).set.parts;
    const after = cut({ ...files, 'modules/b/y': null }).set.parts;
    expect(after.map(({ id }, index) => id === before[index]?.id)).toEqual([true, false]);
  });
});

describe("a node's own paths", () => {
  it.each([
    [NODE, `${ENVIRONMENT}/data/nodes/web01.example.com.yaml`],
    [NODE, `${ENVIRONMENT}/data/web01.example.com/common.yaml`],
    [NODE, `${ENVIRONMENT}/manifests/web01.example.com.pp`],
    [NODE, `${ENVIRONMENT}/data/hosts/web01.yaml`],
    [NODE, `${ENVIRONMENT}/data/hosts/web01`],
    [NODE, `${ENVIRONMENT}/data/hosts/web01/`],
    [NODE, `${ENVIRONMENT}/data/by/host/web01/x.yaml`],
    ['web', `${ENVIRONMENT}/data/nodes/web.yaml`],
  ])('of %s hold %s', (certname, path) => {
    const { set, own } = cut({ [path]: 'sha' }, {}, certname);
    expect([set.parts, own.contents]).toEqual([[], [path]]);
  });

  it.each([
    [NODE, `${ENVIRONMENT}/data/nodes/web011.example.com.yaml`],
    [NODE, `${ENVIRONMENT}/data/nodes/web02.example.com.yaml`],
    [NODE, `${ENVIRONMENT}/data/hosts/web012.yaml`],
    [NODE, `${ENVIRONMENT}/data/hosts/myweb01.yaml`],
    ['web.example.com', `${ENVIRONMENT}/modules/web/manifests/init.pp`],
    ['web.example.com', `${ENVIRONMENT}/site/profile/manifests/web.pp`],
    ['web.example.com', `${ENVIRONMENT}/site/profile/lib/puppet/functions/web.rb`],
    ['a.c', `${ENVIRONMENT}/data/nodes/abc.yaml`],
  ])('of %s do not hold %s', (certname, path) => {
    const { set, own } = cut({ [path]: 'sha' }, {}, certname);
    expect([set.parts.length, own.contents]).toEqual([1, []]);
  });

  it('leave the set of a role to all of its nodes', () => {
    const filesOf = (certname: string) => ({
      [`${ENVIRONMENT}/data/common.yaml`]: 'sha',
      [`${ENVIRONMENT}/data/nodes/${certname}.yaml`]: null,
    });
    const [one, two] = ['web01.example.com', 'web02.example.com'].map((certname) =>
      cut(filesOf(certname), {}, certname),
    );
    expect(one?.set).toEqual(two?.set);
    expect(one?.own).not.toEqual(two?.own);
  });
});

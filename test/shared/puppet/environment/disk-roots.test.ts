import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openDirectoryEnvironment,
  openSingleEnvironment,
} from '../../../../shared/puppet/environment/directory-environment.ts';
import { findHieraRoots } from '../../../../shared/puppet/environment/hiera-roots.ts';
import { NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';

let host = '';
const production = 'code/environments/production';

const fileTexts = (): Readonly<Record<string, string>> => ({
  secret: 'secret',
  'keys/private.pem': 'key',
  'data/a.yaml': 'a: 1',
  'more/modules/installed/manifests/init.pp': 'class installed {}',
  'packages/linked/files/f': 'linked',
  'site/site.pp': 'site',
  [`${production}/environment.conf`]: `modulepath = modules:${host}/more/modules\nmanifest = ${host}/site/site.pp\n`,
  [`${production}/hiera.yaml`]: `version: 5\ndefaults:\n  datadir: ${host}/data\nhierarchy:\n  - name: all\n    path: a.yaml\n    options:\n      pkcs7_private_key: ${host}/keys/private.pem\n`,
  [`${production}/modules/m/hiera.yaml`]: 'version: 5\ndefaults:\n  datadir: /etc\n',
  [`${production}/modules/m/files/f`]: 'f',
});

beforeAll(() => {
  host = realpathSync(mkdtempSync(join(tmpdir(), 'disk-roots-')));
  for (const [path, text] of Object.entries(fileTexts())) {
    mkdirSync(dirname(join(host, path)), { recursive: true });
    writeFileSync(join(host, path), text);
  }
  const link = (target: string, path: string) => symlinkSync(target, join(host, path));
  link(join(host, 'packages/linked'), `${production}/modules/linked`);
  link('f', `${production}/modules/m/files/inside`);
  link(join(host, 'secret'), `${production}/modules/m/files/outside`);
  link('../../../../../..', `${production}/modules/m/files/up`);
  link(join(host, 'packages/linked'), `${production}/modules/m/files/sideways`);
  link('nowhere', `${production}/modules/m/files/broken`);
  link(host, 'packages/linked/files/up');
  link(join(host, 'code'), 'repo');
});
afterAll(() => rmSync(host, { recursive: true }));

const OPENED = [
  ['a recorded environment', () => openDirectoryEnvironment(join(host, 'code'), 'production', NO_RECORDER)],
  ['a control repo that is one environment', () => openSingleEnvironment(join(host, production), 'p', NO_RECORDER)],
] as const;

describe.each(OPENED)('%s', (_, open) => {
  it.each([
    ['the secret of the host', 'secret'],
    ['a file that a link leads to', `${production}/modules/m/files/outside`],
    ['a file below a link to a folder', `${production}/modules/m/files/up/secret`],
    ['a folder above by dots', `${production}/../../../secret`],
    ['a file of a module behind a link out of it', 'code/environments/production/modules/linked/files/up/secret'],
    ['a broken link', `${production}/modules/m/files/broken`],
  ])('does not see %s', (__, path) => {
    const environment = open();
    expect(environment.readText(join(host, path))).toBeNull();
    expect(environment.read(join(host, path))).toBeNull();
    expect(environment.digest(join(host, path))).toBeNull();
    expect(environment.kindOf(join(host, path))).toBeNull();
  });

  it.each(['/etc/passwd', '/proc/self/environ', '/etc/hostname'])('does not see %s', (path) => {
    expect(open().readText(path)).toBeNull();
  });

  it.each(['', 'keys', 'more', 'packages'])('does not list the folder %j of the host', (path) => {
    expect(open().list(join(host, path))).toBeNull();
  });

  it.each([
    ['a file of a module', `${production}/modules/m/files/f`, 'f'],
    ['a link within a module', `${production}/modules/m/files/inside`, 'f'],
    ['a file of a module that is a link', `${production}/modules/linked/files/f`, 'linked'],
    ['a manifest outside', 'site/site.pp', 'site'],
    ['data in an absolute folder', 'data/a.yaml', 'a: 1'],
    ['a key outside', 'keys/private.pem', 'key'],
    ['a folder of modules outside', 'more/modules/installed/manifests/init.pp', 'class installed {}'],
  ])('sees %s', (__, path, text) => {
    expect(open().readText(join(host, path))).toBe(text);
  });
});

it('sees a control repo that is a link', () => {
  const environment = openDirectoryEnvironment(join(host, 'repo'), 'production', NO_RECORDER);
  expect(environment.readText(join(host, 'repo/environments/production/modules/m/files/f'))).toBe('f');
  expect(environment.readText(join(host, 'repo/environments/production/modules/m/files/outside'))).toBeNull();
});

describe('findHieraRoots', () => {
  it.each([
    ['an absolute datadir', 'defaults: { datadir: /srv/data }', ['/srv/data']],
    ['a datadir beside the repo', 'hierarchy: [{ datadir: ../../data }]', ['/data']],
    ['the part before an interpolation', 'defaults: { datadir: "/srv/%{environment}/data" }', ['/srv']],
    ['the part before a glob', 'hierarchy: [{ glob: "/srv/nodes/*.yaml" }]', ['/srv/nodes']],
    ['options and paths', 'a: [{ paths: [/x/a.yaml, b.yaml] }, { options: { file: /k } }]', ['/x/a.yaml', '/k']],
    ['the data of Hiera 3', ':yaml:\n  :datadir: /srv/hiera', ['/srv/hiera']],
    ['nothing for an interpolation at the root', 'defaults: { datadir: "/%{x}" }', []],
    ['nothing for what is no YAML', 'a: [', []],
  ])('finds %s', (_, text, roots) => {
    expect(findHieraRoots(text, '/code/env')).toEqual(roots);
  });
});

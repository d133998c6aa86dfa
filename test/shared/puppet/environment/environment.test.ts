import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDirectoryEnvironment } from '../../../../shared/puppet/environment/directory-environment.ts';
import { Inputs, NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../../../shared/puppet/environment/snapshot-environment.ts';
import { DEFAULT_LANGUAGE } from '../../../../shared/puppet/levels/language.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const FILES = {
  'environments/production/environment.conf': 'modulepath = site:modules:$basemodulepath\n',
  'environments/production/manifests/site.pp': 'notice(1)\n',
  'environments/production/site/profile/manifests/init.pp': 'class profile {}\n',
  'environments/production/modules/profile/manifests/init.pp': 'class profile { hidden }\n',
  'environments/production/modules/Not-a-module/x': '',
  'environments/production/modules/apache/metadata.json': JSON.stringify({
    name: 'puppetlabs-apache',
    version: '1.2.3',
    source: 's',
    author: 'a',
    license: 'l',
    dependencies: [{ name: 'puppetlabs/stdlib' }],
  }),
  'modules/stdlib/manifests/init.pp': 'class stdlib {}\n',
};

function memory(files: Record<string, string>, inputs = new Inputs()) {
  return createMemoryEnvironment({ name: 'production', codeDirectory: '/code', files, inputs });
}

function snapshot(files: Record<string, string>, inputs = new Inputs()) {
  const blobs = new Map(Object.values(files).map((text) => [digestSha256(text), Buffer.from(text)]));
  const manifest = {
    environment: 'production',
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        { sha256: digestSha256(text), size: text.length, mode: 0o644 },
      ]),
    ),
  };
  const tree = snapshotTree(manifest, (digest) => blobs.get(digest) ?? new Uint8Array());
  return openSnapshotEnvironment(manifest, 'id', tree, inputs);
}

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'environment-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  mkdirSync(join(directory, 'elsewhere/linked'), { recursive: true });
  symlinkSync(join(directory, 'elsewhere/linked'), join(directory, 'environments/production/modules/linked'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const adapters = [
  { adapter: 'memory', open: () => memory(FILES), base: '/code' },
  { adapter: 'snapshot', open: () => snapshot(FILES), base: '/etc/puppetlabs/code' },
  { adapter: 'directory', open: () => openDirectoryEnvironment(directory, 'production', NO_RECORDER), base: null },
];

describe.each(adapters)('$adapter environment', ({ open, base }) => {
  it('finds modules in the order of the modulepath, the first of a name winning', () => {
    const environment = open();
    const root = base ?? directory;
    const names = environment.listModules().map((module) => module.name);
    expect(names).toEqual(['profile', 'apache', ...(base === null ? ['linked'] : []), 'stdlib']);
    expect(environment.findModule('profile')?.root).toBe(`${root}/environments/production/site/profile`);
    expect(environment.findModule('stdlib')?.root).toBe(`${root}/modules/stdlib`);
    expect(environment.findModule('apache')?.metadata).toEqual({
      name: 'puppetlabs-apache',
      version: '1.2.3',
      dependencies: ['stdlib'],
      dataProvider: null,
    });
    expect(environment.findModule('Not-a-module')).toBeNull();
  });

  it('reads files and folders', () => {
    const environment = open();
    const manifest = `${environment.root}/manifests`;
    expect(environment.manifest).toBe(manifest);
    expect(environment.list(manifest)).toEqual(['site.pp']);
    expect(environment.kindOf(manifest)).toBe('directory');
    expect(environment.readText(`${manifest}/site.pp`)).toBe('notice(1)\n');
    expect(environment.readText(manifest)).toBeNull();
    expect(environment.read(`${manifest}/other.pp`)).toBeNull();
    expect(environment.digest(`${manifest}/site.pp`)).not.toBeNull();
    expect([environment.digest(manifest), environment.digest(`${manifest}/other.pp`)]).toEqual([null, null]);
  });
});

describe('recording', () => {
  it('notes what was read, seen, listed and looked for in vain', () => {
    const inputs = new Inputs();
    const environment = memory(FILES, inputs);
    environment.findModule('stdlib');
    environment.readText('/code/environments/production/manifests/site.pp');
    environment.list('/code/environments/production/manifests');
    environment.read('/elsewhere/hiera.yaml');
    const { files } = inputs.getResult();
    expect(files).toMatchObject({
      'environments/production/environment.conf': digestSha256(FILES['environments/production/environment.conf']),
      'environments/production/manifests/site.pp': digestSha256('notice(1)\n'),
      'environments/production/manifests/': digestSha256('["site.pp"]'),
      'environments/production/modules/stdlib': null,
      'modules/stdlib': '+d',
      'modules/stdlib/metadata.json': null,
      '/elsewhere/hiera.yaml': null,
    });
  });
});

describe('broken environments', () => {
  it.each([
    [
      'garbage in environment.conf',
      'modulepath = site\nwhat is this\n',
      'Could not match line what is this (file: /code/environments/production/environment.conf, line: 2)',
    ],
    [
      'an unknown variable',
      '\nmodulepath = $nosuch:modules\n',
      'Could not find value for $nosuch (file: /code/environments/production/environment.conf, line: 2)',
    ],
    [
      'a bad time to live',
      'environment_timeout = soon',
      `Invalid 'time to live' format '"soon"' for parameter: environment_timeout (file: /code/environments/production/environment.conf, line: 1)`,
    ],
  ])('names %s', (_, text, message) => {
    expect(() => memory({ 'environments/production/environment.conf': text })).toThrow(message);
  });

  it('says which environment there is not, and where it was looked for', () => {
    expect(() => openDirectoryEnvironment(directory, 'staging', NO_RECORDER)).toThrow(
      `Could not find a directory environment named 'staging' anywhere in the path: ${directory}/environments. Does the directory exist?`,
    );
  });

  it('warns about unknown settings and sections', () => {
    const environment = memory({ 'environments/production/environment.conf': 'parser=future\n[x]\na=b\n' });
    expect(environment.listMessages(DEFAULT_LANGUAGE).map((entry) => entry.message)).toEqual([
      "Invalid sections in environment.conf at '/code/environments/production/environment.conf'. Environment conf may not have sections. The following sections are being ignored: 'x'\n   (file & line not available)",
      "Invalid settings in environment.conf at '/code/environments/production/environment.conf'. The following unknown setting(s) are being ignored: parser\n   (file & line not available)",
    ]);
  });

  it.each([
    ['{', /^bad has an invalid and unparsable metadata\.json file\. The parse error: /],
    ['{"name":"x-bad"}', /^No source module metadata provided for bad$/],
  ])('leaves out a module with metadata %s', (text, message) => {
    const environment = memory({ 'environments/production/modules/bad/metadata.json': text });
    expect(environment.findModule('bad')).toBeNull();
    expect(environment.listMessages(DEFAULT_LANGUAGE)).toEqual([
      { level: 'err', message: expect.stringMatching(message) },
    ]);
  });
});

describe('a compile that is not strict', () => {
  it.each([
    ['warning', 'warning'],
    ['off', 'debug'],
  ] as const)('keeps a module whose metadata is no JSON: %s', (strict, level) => {
    const environment = memory({ 'environments/production/modules/bad/metadata.json': '{' });
    environment.strict = strict;
    expect(environment.findModule('bad')).toMatchObject({ name: 'bad', metadata: null });
    const message = expect.stringMatching(/^bad has an invalid and unparsable metadata\.json file\. The parse error: /);
    expect(environment.listMessages(DEFAULT_LANGUAGE)).toEqual([{ level, message }]);
  });

  it('leaves out a module whose metadata is not complete', () => {
    const environment = memory({ 'environments/production/modules/bad/metadata.json': '{"name":"x-bad"}' });
    environment.strict = 'off';
    expect(environment.findModule('bad')).toBeNull();
    expect(environment.listMessages(DEFAULT_LANGUAGE).map(({ level }) => level)).toEqual(['err']);
  });
});

describe('environment.conf', () => {
  it('gives the settings', () => {
    const text = `manifest = 'other/site.pp'\nconfig_version = bin/version\nenvironment_timeout = 3m\nstatic_catalogs=false\n`;
    const environment = memory({ 'environments/production/environment.conf': text });
    expect(environment.manifest).toBe('/code/environments/production/other/site.pp');
    expect(environment.configuration).toEqual({
      configVersion: '/code/environments/production/bin/version',
      environmentTimeout: 180,
      staticCatalogs: false,
      richData: null,
      dataProvider: null,
    });
  });
});

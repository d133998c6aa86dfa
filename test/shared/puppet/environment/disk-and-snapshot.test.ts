import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scanEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';
import { readSource } from '../../../../shared/fleet/code/upload-files.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../../../shared/puppet/compiler/default-settings.ts';
import { openDirectoryEnvironment } from '../../../../shared/puppet/environment/directory-environment.ts';
import type { InputRecorder } from '../../../../shared/puppet/environment/environment.ts';
import { Inputs, NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';
import { diffSnapshots } from '../../../../shared/puppet/environment/snapshot-diff.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../../../shared/puppet/environment/snapshot-environment.ts';
import type { TreeEnvironment } from '../../../../shared/puppet/environment/tree-environment.ts';
import { fileStates, verifyInputs } from '../../../../shared/puppet/environment/verify.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

const SERVED = '/etc/puppetlabs/code';
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-both-'));
  write('environments/production/manifests/site.pp', 'notify { site: }');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

function mkdir(path: string): void {
  mkdirSync(join(folder, path), { recursive: true });
}

function link(path: string, target: string): void {
  mkdir(dirname(path));
  symlinkSync(target, join(folder, path));
}

async function takeSnapshot() {
  const scanned = await scanEnvironment(folder, 'production');
  const { snapshot } = scanned;
  const contents = new Map<string, Uint8Array>();
  for (const { sha256 } of Object.values(snapshot.files)) contents.set(sha256, await readSource(scanned, sha256));
  return { snapshot, tree: snapshotTree(snapshot, (digest) => contents.get(digest) ?? new Uint8Array()) };
}

/** The results of `see` for the environment on disk and for its snapshot. */
async function seeBoth<T>(see: (environment: TreeEnvironment) => T): Promise<readonly [T, T]> {
  const { snapshot, tree } = await takeSnapshot();
  return [
    see(openDirectoryEnvironment(folder, 'production', NO_RECORDER)),
    see(openSnapshotEnvironment(snapshot, 'id', tree, NO_RECORDER)),
  ];
}

function compileNode(environment: TreeEnvironment, inputs: InputRecorder = NO_RECORDER) {
  return compile({
    node: {
      certname: 'n',
      environment: 'production',
      facts: new PuppetHash(),
      trusted: new PuppetHash(),
      serverFacts: new PuppetHash(),
      parameters: new PuppetHash(),
      classes: [],
    },
    environment,
    inputs,
    exportsOf: () => [],
    settings: { ...DEFAULT_COMPILE_SETTINGS, storeconfigs: false },
    clock: () => 0n,
    drawUuid: () => 'u',
  });
}

function titlesOrError(environment: TreeEnvironment): readonly string[] | string {
  const result = compileNode(environment);
  if (result.status === 'failed') return result.error.message.replaceAll(folder, SERVED);
  if (result.status !== 'ok') expect.unreachable();
  return result.catalog.match(/(?<="type":"Notify","title":")\w+/g) ?? [];
}

// Recorded from Puppet 8.10.
describe('the manifests below a folder', () => {
  it('are those that a glob finds, sorted by bytes', async () => {
    write('environments/production/manifests/._site.pp', Buffer.from('\x00\x05\x16\x07\xff', 'latin1'));
    write('environments/production/manifests/.off.pp', 'notify { off: }');
    write('environments/production/manifests/.old/old.pp', 'notify { old: }');
    write('environments/production/manifests/#b.pp#', 'notify { edited: }');
    write('environments/production/manifests/b.PP', 'notify { case: }');
    write('environments/production/manifests/a/x.pp', 'notify { below: }');
    write('environments/production/manifests/a-b.pp', 'notify { dash: }');
    write('environments/production/manifests/B.pp', 'notify { upper: }');
    write('environments/production/other/l.pp', 'notify { linked: }');
    write('environments/production/other/f.pp', 'notify { file: }');
    link('environments/production/manifests/linked', '../other');
    link('environments/production/manifests/f.pp', '../other/f.pp');
    link('environments/production/manifests/broken.pp', 'nowhere.pp');
    mkdir('environments/production/manifests/empty');
    const titles = ['upper', 'dash', 'below', 'file', 'site'];
    expect(await seeBoth(titlesOrError)).toEqual([titles, titles]);
  });

  it('may be a link to a folder', async () => {
    write('environments/production/real/a.pp', 'notify { real: }');
    write('environments/production/environment.conf', 'manifest = to\n');
    link('environments/production/to', 'real');
    expect(await seeBoth(titlesOrError)).toEqual([['real'], ['real']]);
  });

  it('may be none', async () => {
    write('environments/production/environment.conf', '');
    rmSync(join(folder, 'environments/production/manifests/site.pp'));
    mkdir('environments/production/manifests');
    expect(await seeBoth(titlesOrError)).toEqual([[], []]);
  });

  it('fail with a folder that has the name of a manifest', async () => {
    write('environments/production/manifests/x.pp/in.pp', 'notify { in: }');
    const error =
      'Could not parse for environment production: Is a directory @ io_fread - ' +
      `${SERVED}/environments/production/manifests/x.pp on node n`;
    expect(await seeBoth(titlesOrError)).toEqual([error, error]);
  });

  it('are recorded with the links among them', async () => {
    write('environments/production/other/l.pp', 'notify { linked: }');
    write('environments/production/manifests/sub/l.pp', 'notify { linked: }');
    const before = await takeSnapshot();
    const inputs = new Inputs();
    compileNode(openSnapshotEnvironment(before.snapshot, 'id', before.tree, inputs), inputs);
    rmSync(join(folder, 'environments/production/manifests/sub'), { recursive: true });
    link('environments/production/manifests/sub', '../other');
    const after = await takeSnapshot();
    const changed = 'environments/production/manifests/sub//links';
    expect(diffSnapshots(before.snapshot, after.snapshot)).toContain(changed);
    expect(verifyInputs(inputs.getResult(), { stateOf: fileStates(after.tree, SERVED) })).toEqual([
      { kind: 'file', name: changed, reason: 'changed' },
    ]);
  });
});

describe('module folders', () => {
  it('of a glob are there without files', async () => {
    write('environments/production/environment.conf', 'modulepath = site/*:[mn]odules:nope/*:$basemodulepath\n');
    mkdir('environments/production/site/b');
    mkdir('environments/production/site/.hidden/m');
    write('environments/production/site/a/m/manifests/init.pp', '');
    write('environments/production/site/file', '');
    link('environments/production/site/c', 'a');
    link('environments/production/site/d', 'nowhere');
    mkdir('environments/production/nodules/empty');
    mkdir('modules');
    const root = `${SERVED}/environments/production`;
    const paths = [`${root}/site/a`, `${root}/site/b`, `${root}/site/c`, `${root}/nodules`, `${SERVED}/modules`];
    const seen = await seeBoth((environment) => ({
      modulepath: environment.modulepath.map((path) => path.replace(folder, SERVED)),
      modules: environment.listModules().map(({ name }) => name),
    }));
    const expected = { modulepath: paths, modules: ['m', 'empty'] };
    expect(seen).toEqual([expected, expected]);
  });

  it('without files that a deploy adds are a change', async () => {
    write('environments/production/environment.conf', 'modulepath = site/*\n');
    mkdir('environments/production/site/a');
    const before = await takeSnapshot();
    mkdir('environments/production/site/b');
    const after = await takeSnapshot();
    expect(diffSnapshots(before.snapshot, after.snapshot)).toEqual([
      'environments/production/site/',
      'environments/production/site/b',
      'environments/production/site/b/',
    ]);
  });
});

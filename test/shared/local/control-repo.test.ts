import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollBack } from '../../../shared/fleet/code/code-history.ts';
import type { DeployReport } from '../../../shared/fleet/code/deploy.ts';
import { abortStage, nextRecord } from '../../../shared/fleet/fan-out/end-stage.ts';
import { createStagePlan } from '../../../shared/fleet/stages/stage-plan.ts';
import { ControlRepo, type ControlRepoOptions, NoControlRepo } from '../../../shared/local/control-repo.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';

let folder: string;
let repo: string;
let stores: EmbeddedStores;
let notes: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-repo-'));
  repo = join(folder, 'repo');
  stores = openEmbeddedStores(join(folder, 'data'));
  notes = [];
});
afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  const file = join(repo, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function open(options: ControlRepoOptions = {}): ControlRepo {
  const told = {
    onDeployed: ({ environment, files }: DeployReport) => notes.push(`deployed ${environment} ${files}`),
    onRemoved: (environment: string) => notes.push(`removed ${environment}`),
    kept: (environment: string) => notes.push(`kept ${environment}`),
    onFailed: (environment: string, error: unknown) =>
      notes.push(`failed ${environment} ${error instanceof Error ? error.message : error}`),
  };
  return new ControlRepo(repo, stores, told, options);
}

describe('ControlRepo', () => {
  it('deploys what is there, then only what changed', async () => {
    write('environments/production/manifests/site.pp', '1');
    write('environments/staging/manifests/site.pp', '1');
    const control = open();
    await control.deployChanges();
    await control.deployChanges();
    expect(notes).toEqual(['deployed production 1', 'deployed staging 1']);
    write('environments/staging/data/common.yaml', '---');
    await control.deployChanges();
    expect(notes.slice(2)).toEqual(['deployed staging 2']);
    write('modules/shared/manifests/init.pp', '');
    await control.deployChanges();
    expect(notes.slice(3)).toEqual(['deployed production 2', 'deployed staging 3']);
  });

  it('deploys nothing while a deploy is staged, says so once, and makes up for it afterwards', async () => {
    write('environments/production/manifests/site.pp', '1');
    const control = open();
    await control.deployChanges();
    const record = await stores.environments.get('production');
    if (!record) throw new Error('nothing is deployed');
    const stage = {
      number: 2,
      codeId: 'c0'.repeat(32),
      begunAt: 1,
      by: 'jane',
      canaries: [],
      plan: createStagePlan({}),
    };
    await stores.environments.replace(nextRecord(record, stage), record.revision);
    write('environments/production/manifests/site.pp', '2');
    for (let round = 0; round < 3; round += 1) await control.deployChanges();
    expect(notes.slice(1)).toEqual([
      expect.stringMatching(
        /^failed production the staged deploy of c0c0c0c0c0c0 in environment 'production' has to end/,
      ),
    ]);
    await abortStage('production', stores);
    await control.deployChanges();
    expect(notes.slice(2)).toEqual(['deployed production 1']);
  });

  it('does not deploy again what was rolled back, not after a restart either, until a file changes', async () => {
    write('environments/production/manifests/site.pp', '1');
    const control = open();
    await control.deployChanges();
    write('environments/production/manifests/site.pp', 'second');
    await control.deployChanges();
    const { from, to } = await rollBack(stores, 'production', null, 'joe');
    for (const server of [control, open(), open()]) {
      await server.deployChanges();
      expect((await stores.environments.get('production'))?.codeId).toBe(to.codeId);
    }
    const held = `failed production production is held: code ${from.codeId.slice(0, 12)} was rolled back by joe; the next change goes on`;
    expect(notes.slice(2)).toEqual([held, held]);
    write('environments/production/manifests/site.pp', 'the third');
    await control.deployChanges();
    write('environments/production/manifests/site.pp', 'second');
    await control.deployChanges();
    expect(notes.slice(4)).toEqual(['deployed production 1', 'deployed production 1']);
    expect((await stores.environments.get('production'))?.codeId).toBe(from.codeId);
  });

  it('looks as often as ever on a machine that is busy with other things', async () => {
    for (let index = 0; index < 40; index += 1)
      write(`environments/production/modules/m${index}/manifests/init.pp`, '');
    const stopping = new AbortController();
    const pauses: number[] = [];
    let time = 0;
    // Whatever else is done between two turns takes 20 milliseconds.
    const busy = setInterval(() => {
      time += 20;
    }, 0);
    const sleep = async (pause: number) => {
      pauses.push(pause);
      if (pauses.length === 4) stopping.abort();
    };
    const clock = { ...stores.clock, now: () => time, sleep };
    const notes = { onDeployed: () => {}, onRemoved: () => {}, kept: () => {}, onFailed: () => {} };
    await new ControlRepo(repo, { ...stores, clock }, notes).watch(stopping.signal);
    clearInterval(busy);
    expect(time).toBeGreaterThan(0);
    expect(pauses).toEqual([500, 500, 500, 500]);
  });

  it('deploys the others while one cannot be looked at, and says so once', async () => {
    write('environments/broken/manifests/site.pp', '1');
    write('environments/production/manifests/site.pp', '1');
    const link = join(repo, 'environments/broken/link');
    symlinkSync('x'.repeat(300), link);
    const control = open();
    for (const text of ['2', '3']) {
      await control.deployChanges();
      write('environments/production/manifests/site.pp', text.repeat(5));
    }
    const fault = `failed broken ENAMETOOLONG: name too long, stat '${link}'`;
    expect(notes).toEqual([fault, 'deployed production 1', 'deployed production 1']);
    rmSync(link);
    await control.deployChanges();
    expect(notes.slice(3)).toEqual(['deployed broken 1', 'deployed production 1']);
    symlinkSync('x'.repeat(300), link);
    await control.deployChanges();
    expect(notes.slice(5)).toEqual([fault]);
  });

  it('deploys no environment with a link out of the folder, says so once, and heals', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'ca-key-file'), 'secret');
    write('environments/production/modules/s/manifests/init.pp', '1');
    const link = join(repo, 'environments/production/modules/s/files');
    symlinkSync(outside, link);
    const control = open();
    await control.deployChanges();
    await control.deployChanges();
    expect(notes).toEqual([
      `failed production 'environments/production/modules/s/files' is a symbolic link to '${outside}', outside of the control repo; it is only followed with --follow-links`,
    ]);
    rmSync(link);
    await control.deployChanges();
    expect(notes.slice(1)).toEqual(['deployed production 1']);
    symlinkSync(outside, link);
    await open({ followLinks: true }).deployChanges();
    expect(notes.slice(2)).toEqual(['deployed production 2']);
  });

  it('follows no link to itself', async () => {
    write('environments/production/manifests/site.pp', '1');
    symlinkSync('loop', join(repo, 'environments/production/loop'));
    const control = open();
    await control.deployChanges();
    expect(notes).toEqual(['deployed production 1']);
  });

  it('keeps an environment in force whose folder is gone, and says so once', async () => {
    write('environments/production/manifests/site.pp', '1');
    write('environments/staging/manifests/site.pp', '1');
    const control = open();
    await control.deployChanges();
    const before = await stores.environments.list();
    for (let time = 0; time < 2; time += 1) {
      rmSync(join(repo, 'environments/staging'), { recursive: true });
      await control.deployChanges();
      await control.deployChanges();
      write('environments/staging/manifests/site.pp', '1');
      await control.deployChanges();
    }
    expect(notes.slice(2)).toEqual(['kept staging', 'deployed staging 1', 'kept staging', 'deployed staging 1']);
    expect(await stores.environments.list()).toEqual(before);
  });

  it.each([{ purge: false }, { purge: true }])(
    'keeps everything in force that a failed checkout emptied: %j',
    async (options) => {
      write('environments/production/manifests/site.pp', '1');
      write('environments/production/README.md', '1');
      const control = open(options);
      await control.deployChanges();
      const before = await stores.environments.list();
      const root = join(repo, 'environments/production');
      rmSync(join(root, 'manifests'), { recursive: true });
      await control.deployChanges();
      rmSync(join(root, 'README.md'));
      await control.deployChanges();
      const fault = `'${root}' is no environment: there is no file in it of environment.conf, hiera.yaml, fileserver.conf, manifests, modules or the like`;
      expect(notes).toEqual(['deployed production 2', `failed production ${fault}`]);
      rmSync(root, { recursive: true });
      await expect(control.deployChanges()).rejects.toThrow(
        new NoControlRepo(`'${join(repo, 'environments')}' has no environment: the deployed code stays in force`),
      );
      expect(await stores.environments.list()).toEqual(before);
      write('environments/production/manifests/site.pp', '2');
      await control.deployChanges();
      expect(notes.slice(2)).toEqual(['deployed production 1']);
      expect(control.faults).toEqual([]);
    },
  );

  it('keeps everything in force that a failed checkout emptied of a repo that is one environment', async () => {
    write('manifests/site.pp', '1');
    const control = open();
    await control.deployChanges();
    const before = await stores.environments.list();
    rmSync(join(repo, 'manifests'), { recursive: true });
    await control.deployChanges();
    expect(notes.slice(1)).toEqual([expect.stringMatching(/^failed production '.*' is no control repo: /)]);
    expect(await stores.environments.list()).toEqual(before);
  });

  it('removes an environment whose folder is gone when it is to purge', async () => {
    write('environments/production/manifests/site.pp', '1');
    write('environments/staging/manifests/site.pp', '1');
    const control = open({ purge: true });
    await control.deployChanges();
    rmSync(join(repo, 'environments/staging'), { recursive: true });
    await control.deployChanges();
    expect(notes.at(-1)).toBe('removed staging');
    expect(await stores.environments.get('staging')).toBeNull();
  });

  it.each(['', 'environments'])('keeps everything in force while %j of the control repo is gone', async (gone) => {
    write('environments/production/manifests/site.pp', '1');
    write('environments/staging/manifests/site.pp', '1');
    const control = open({ purge: true });
    await control.deployChanges();
    const before = await stores.environments.list();
    rmSync(join(repo, gone), { recursive: true });
    mkdirSync(repo, { recursive: true });
    if (gone === '') rmSync(repo, { recursive: true });
    await expect(control.deployChanges()).rejects.toThrow(
      `'${join(repo, 'environments')}' is gone: the deployed code stays in force`,
    );
    expect(await stores.environments.list()).toEqual(before);
    write('environments/production/manifests/site.pp', '1');
    await control.deployChanges();
    expect((await stores.environments.list()).map(({ name }) => name)).toEqual(['production']);
    expect(notes.slice(2)).toEqual(['removed staging']);
  });

  it('keeps the snapshot in force while environment.conf is broken, and says so once', async () => {
    write('environments/production/environment.conf', 'modulepath = site\n');
    const control = open();
    await control.deployChanges();
    const before = await stores.environments.get('production');
    write('environments/production/environment.conf', 'modulepath = $nosuch\n');
    await control.deployChanges();
    await control.deployChanges();
    const file = join(repo, 'environments/production/environment.conf');
    const message = `Error converting value for param 'modulepath': Could not find value for $nosuch (file: ${file}, line: 1)`;
    expect(notes.slice(1)).toEqual([`failed production ${message}`]);
    expect(control.faults).toEqual([['production', message]]);
    expect(await stores.environments.get('production')).toEqual(before);
    write('environments/production/environment.conf', 'modulepath = site:modules\n');
    await control.deployChanges();
    expect(notes.at(-1)).toBe('deployed production 1');
    expect(control.faults).toEqual([]);
  });

  it('says once which folder can be no environment', async () => {
    write('environments/production/manifests/site.pp', '');
    write('environments/my-env/manifests/site.pp', '');
    write('environments/.cache/file', '');
    const controlRepo = open();
    await controlRepo.deployChanges();
    await controlRepo.deployChanges();
    const fault = "'my-env' is no name of an environment: it has letters, digits and _ only";
    expect(notes).toEqual([`failed my-env ${fault}`, 'deployed production 1']);
    expect(controlRepo.faults).toEqual([['my-env', fault]]);
  });

  it('takes a repo that is one environment for production', async () => {
    write('manifests/site.pp', '');
    await open().deployChanges();
    expect(notes).toEqual(['deployed production 1']);
  });

  it('is not caught by links that lead back', async () => {
    write('environments/production/manifests/site.pp', '1');
    symlinkSync('..', join(repo, 'environments/production/a'));
    symlinkSync('.', join(repo, 'environments/production/b'));
    await open().deployChanges();
    expect(notes).toHaveLength(1);
  });

  it('watches until it is told to stop', async () => {
    write('environments/production/manifests/site.pp', '1');
    const stopping = new AbortController();
    const watching = open().watch(stopping.signal);
    await expect.poll(() => notes).toEqual(['deployed production 1']);
    stopping.abort();
    await watching;
  });

  it('names a folder that is no control repo', () => {
    expect(() => open()).toThrow(new NoControlRepo(`The control repo '${repo}' is not a directory`));
  });
});

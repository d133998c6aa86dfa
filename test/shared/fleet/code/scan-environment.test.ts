import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LinkLeavesRepo, NoSuchEnvironment, scanEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-scan-'));
const FILES = 'environments/production/modules/a/files';
let repo: string;
let count = 0;

beforeEach(() => {
  count += 1;
  repo = join(folder, String(count));
  write(`${FILES}/one.txt`, 'one');
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(repo, path)), { recursive: true });
  writeFileSync(join(repo, path), text);
}

describe('scanEnvironment', () => {
  it.each(['my-env', '../production', ''])('refuses %j as the name of an environment', async (name) => {
    const message = `'${name}' is no name of an environment: it has letters, digits and _ only`;
    await expect(scanEnvironment(repo, name)).rejects.toThrow(new NoSuchEnvironment(message));
  });

  it('keeps links beside what they point to', async () => {
    write(`${FILES}/sub/two.txt`, 'two');
    symlinkSync('one.txt', join(repo, FILES, 'to-file'));
    symlinkSync('sub', join(repo, FILES, 'to-folder'));
    symlinkSync('gone', join(repo, FILES, 'to-nothing'));
    symlinkSync('to-itself', join(repo, FILES, 'to-itself'));
    symlinkSync('..', join(repo, FILES, 'sub/up'));
    const { snapshot } = await scanEnvironment(repo, 'production');
    expect(snapshot.links).toEqual({
      [`${FILES}/sub/up`]: '..',
      [`${FILES}/to-file`]: 'one.txt',
      [`${FILES}/to-folder`]: 'sub',
      [`${FILES}/to-folder/up`]: '..',
      [`${FILES}/to-itself`]: 'to-itself',
      [`${FILES}/to-nothing`]: 'gone',
    });
    const names = ['one.txt', 'sub/two.txt', 'to-file', 'to-folder/two.txt'];
    expect(Object.keys(snapshot.files)).toEqual(names.map((name) => `${FILES}/${name}`));
  });

  describe('with a link out of the control repo', () => {
    const secret = (name: string) => join(folder, `outside-${count}`, name);

    beforeEach(() => {
      mkdirSync(secret('sub'), { recursive: true });
      writeFileSync(secret('ca-key-file'), 'secret');
      writeFileSync(secret('sub/x.pp'), 'x');
    });

    it.each([
      ['a file', `${FILES}/cakey`, 'ca-key-file', ''],
      ['a folder', `${FILES}/etc`, 'sub', ''],
      ['a folder by way of another link', `${FILES}/etc`, 'sub', 'hop'],
      ['the modules of the environment', 'environments/production/site-modules', 'sub', ''],
      ['the hiera.yaml of the control repo', 'hiera.yaml', 'ca-key-file', ''],
    ])('refuses it: %s', async (_, link, target, hop) => {
      const end = hop === '' ? secret(target) : join(repo, hop);
      if (hop !== '') symlinkSync(secret(target), end);
      symlinkSync(end, join(repo, link));
      const message = `'${link}' is a symbolic link to '${secret(target)}', outside of the control repo; it is only followed with --follow-links`;
      await expect(scanEnvironment(repo, 'production')).rejects.toThrow(new LinkLeavesRepo(link, secret(target)));
      await expect(scanEnvironment(repo, 'production')).rejects.toThrow(message);
      const { snapshot } = await scanEnvironment(repo, 'production', { followLinks: true });
      expect(Object.keys(snapshot.files).some((path) => path.startsWith(link))).toBe(true);
    });

    it('follows what the operator linked: the repo itself, an environment, shared modules', async () => {
      const linked = join(folder, `linked-${count}`);
      symlinkSync(repo, linked);
      mkdirSync(secret('staging/manifests'), { recursive: true });
      writeFileSync(secret('staging/manifests/site.pp'), '');
      symlinkSync('site.pp', secret('staging/manifests/same.pp'));
      symlinkSync(secret('staging'), join(repo, 'environments/staging'));
      symlinkSync(secret('sub'), join(repo, 'modules'));
      symlinkSync('../../..', join(repo, FILES, 'up'));
      const names = async (name: string) => Object.keys((await scanEnvironment(linked, name)).snapshot.files);
      expect(await names('staging')).toEqual([
        'environments/staging/manifests/same.pp',
        'environments/staging/manifests/site.pp',
        'modules/x.pp',
      ]);
      expect(await names('production')).toEqual([`${FILES}/one.txt`, 'modules/x.pp']);
      symlinkSync(secret('ca-key-file'), secret('staging/key'));
      await expect(names('staging')).rejects.toThrow(LinkLeavesRepo);
    });
  });

  it('keeps folders that no file tells of: empty ones, and those with other permissions', async () => {
    mkdirSync(join(repo, FILES, 'hollow'));
    write(`${FILES}/closed/x`, 'x');
    chmodSync(join(repo, FILES, 'closed'), 0o700);
    const { snapshot } = await scanEnvironment(repo, 'production');
    expect(snapshot.folders).toEqual({ [`${FILES}/closed`]: 0o700, [`${FILES}/hollow`]: 0o755 });
  });

  it.each([
    [undefined, ['manifests/site.pp']],
    [[], ['manifests/.DS_Store', 'manifests/.svn/entries', 'manifests/site.pp']],
    [['.svn', 'site.pp'], ['manifests/.DS_Store']],
  ])('leaves out the names %j', async (leaveOut, expected) => {
    const root = join(repo, 'environments/left');
    mkdirSync(join(root, 'manifests/.svn'), { recursive: true });
    for (const name of ['site.pp', '.DS_Store', '.svn/entries']) writeFileSync(join(root, 'manifests', name), '');
    const { snapshot } = await scanEnvironment(repo, 'left', { ...(leaveOut && { leaveOut }) });
    const names = Object.keys(snapshot.files).map((path) => path.replace('environments/left/', ''));
    expect(names.filter((name) => name.startsWith('manifests/'))).toEqual(expected);
  });

  it('says nothing of links and folders where there is nothing to say', async () => {
    const { snapshot } = await scanEnvironment(repo, 'production');
    expect(Object.keys(snapshot)).toEqual(['environment', 'files', 'times']);
  });

  it('takes the folders that fileserver.conf mounts, and no others', async () => {
    write('fileserver.conf', '[private]\n  path private/%H\n[b]\n  path /etc/puppetlabs/code/shared\n');
    for (const path of ['private/web01.example.com/key', 'shared/x', 'elsewhere/y']) write(path, path);
    const { snapshot } = await scanEnvironment(repo, 'production');
    expect(Object.keys(snapshot.files)).toEqual([
      `${FILES}/one.txt`,
      'fileserver.conf',
      'private/web01.example.com/key',
      'shared/x',
    ]);
  });

  it.each(['fileserver.conf', 'environments/production/fileserver.conf'])(
    'refuses a %s that is faulty',
    async (path) => {
      write(path, '[private]\n  path /srv/private\n');
      await expect(scanEnvironment(repo, 'production')).rejects.toThrow(
        `The path '/srv/private' of the mount 'private' is no folder of the control repo: give it relative to this file, or below /etc/puppetlabs/code (file: /etc/puppetlabs/code/${path}, line: 2)`,
      );
    },
  );
});

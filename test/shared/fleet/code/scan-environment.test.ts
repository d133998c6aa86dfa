import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NoSuchEnvironment, scanEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';

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

  it('keeps folders that no file tells of: empty ones, and those with other permissions', async () => {
    mkdirSync(join(repo, FILES, 'hollow'));
    write(`${FILES}/closed/x`, 'x');
    chmodSync(join(repo, FILES, 'closed'), 0o700);
    const { snapshot } = await scanEnvironment(repo, 'production');
    expect(snapshot.folders).toEqual({ [`${FILES}/closed`]: 0o700, [`${FILES}/hollow`]: 0o755 });
  });

  it('says nothing of links and folders where there is nothing to say', async () => {
    const { snapshot } = await scanEnvironment(repo, 'production');
    expect(Object.keys(snapshot)).toEqual(['environment', 'files']);
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

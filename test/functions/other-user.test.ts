import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCorporateChain } from '../helpers/corporate-chain.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));
const NOBODY = 65_534;

let folder: string;
let home: string;
let authority: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-users-'));
  home = join(folder, 'home');
  authority = join(folder, 'ca');
  mkdirSync(home);
  chmodSync(folder, 0o755);
  chownSync(home, NOBODY, NOBODY);
  const { files } = await makeCorporateChain(Date.now());
  const texts = { 'ca_crt.pem': files.certificates, 'ca_key.pem': files.key, 'ca_crl.pem': files.revocationLists };
  mkdirSync(authority, { mode: 0o750 });
  for (const [name, text] of Object.entries({ ...texts, serial: files.serial })) {
    writeFileSync(join(authority, name), text);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(uid: number, ...args: readonly string[]) {
  const options = { encoding: 'utf8', uid, gid: uid, cwd: '/', env: { PATH: process.env.PATH } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', CLI, ...args], options);
  return { status, stdout, stderr };
}

/** All below a folder that does not belong to its user. */
function foreign(path: string): readonly string[] {
  const all = [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))];
  return all.filter((one) => statSync(one).uid !== NOBODY);
}

describe.skipIf(process.getuid?.() !== 0)('commands of root on the data directory of another user', () => {
  it('make nothing that this user cannot use', () => {
    const data = join(home, 'lib/data');
    expect(run(0, 'ca', 'import', authority, '--data', data)).toMatchObject({ status: 0, stderr: '' });
    const site = join(folder, 'repo/environments/production/manifests/site.pp');
    mkdirSync(dirname(site), { recursive: true });
    writeFileSync(site, '');
    expect(run(0, 'code', 'deploy', join(folder, 'repo'), '--check', '--data', data)).toMatchObject({ status: 0 });
    const file = join(home, 'backup');
    expect(run(0, 'backup', file, '--data', data)).toMatchObject({ status: 0 });
    expect(run(0, 'restore', file, '--data', join(home, 'restored'))).toMatchObject({ status: 0 });
    expect([...foreign(join(home, 'lib')), ...foreign(join(home, 'restored'))]).toEqual([]);
    for (const one of [data, join(home, 'restored')]) {
      expect(run(NOBODY, 'ca', 'list', '--data', one)).toMatchObject({ status: 0, stderr: '' });
    }
  });

  it('are asked for where that user may not read a CA', () => {
    chmodSync(authority, 0o700);
    expect(run(NOBODY, 'ca', 'import', authority, '--data', join(home, 'data'))).toEqual({
      status: 1,
      stdout: '',
      stderr: `understudy: '${authority}/ca_crt.pem' may not be read by this user: run the command as root; what it makes then belongs to the owner of the folder that --data is in\n`,
    });
    expect(readdirSync(home)).toEqual([]);
  });

  it('leave it to this user to say how a directory of root becomes its own', () => {
    const data = join(folder, 'data');
    expect(run(0, 'ca', 'import', authority, '--data', data)).toMatchObject({ status: 0 });
    const advice = `it belongs to root, and this process is of the user nobody: 'chown -R nobody: ${data}' gives it to that user`;
    for (const command of [
      ['node', 'list'],
      ['ca', 'list'],
      ['code', 'list'],
    ]) {
      const { status, stderr } = run(NOBODY, ...command, '--data', data);
      expect([status, stderr]).toEqual([1, expect.stringContaining(`data directory '${data}' cannot be used: `)]);
      expect(stderr).toContain(advice);
    }
    expect(spawnSync('chown', ['-R', 'nobody:', data]).status).toBe(0);
    expect(run(NOBODY, 'ca', 'list', '--data', data)).toMatchObject({ status: 0 });
  });
});

it.each(['', 'puppet.conf'])('a folder that is no CA is named as such: %j', (name) => {
  if (name !== '') writeFileSync(join(home, name), '');
  const { status, stderr } = run(process.getuid?.() ?? 0, 'ca', 'import', home, '--data', join(folder, 'data'));
  expect([status, stderr]).toEqual([
    1,
    `understudy: '${home}' is no CA folder of a Puppet Server: it has no file ca_crt.pem (the folder is on Debian /etc/puppet/puppetserver/ca, else /etc/puppetlabs/puppetserver/ca or ca in the ssldir)\n`,
  ]);
});

describe.skipIf(process.getuid?.() !== 0)('a server of root with --user', () => {
  const LOCAL = fileURLToPath(new URL('../../functions/local.ts', import.meta.url));
  const start = (user: string, data: string) => {
    const args = ['--no-warnings', LOCAL, '--user', user, '--data', data, '--auth-conf', '/nope'];
    return spawnSync(process.execPath, args, { encoding: 'utf8', cwd: '/', env: { PATH: process.env.PATH } });
  };

  it.each([
    ['nobody', [NOBODY, NOBODY]],
    ['daemon', [1, 1]],
    ['nobody:daemon', [NOBODY, 1]],
    ['65534', [NOBODY, NOBODY]],
  ])('runs as %s, in its primary group by default', (user, owner) => {
    chmodSync(folder, 0o755);
    const data = join(folder, 'data');
    expect(start(user, data).stderr).toContain("--auth-conf: '/nope' does not exist");
    const { uid, gid } = statSync(data);
    expect([uid, gid]).toEqual(owner);
  });

  it.each(['no-such-user', 'nobody:no-such-group', '!'])('refuses %s', (user) => {
    const { status, stderr } = start(user, join(folder, 'data'));
    expect([status, stderr.split('\n')[0]]).toEqual([1, expect.stringMatching(/^understudy: --user: '/)]);
    expect(stderr).not.toContain('    at ');
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../../shared/http/app.ts';
import { listPackages, makeCurrent, storePackage } from '../../../../shared/http/packages/package-store.ts';
import { readRunnerProgram } from '../../../../shared/orchestrator/runner/runner-program.ts';
import { httpServices, type TestServices } from '../../../helpers/http-services.ts';

const BYTES = new TextEncoder().encode('0123456789');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const SOURCES = join(import.meta.dirname, '../../../../shared/http/packages');
const DEB = 'debian-12-amd64/puppet-agent.deb';
let http: TestServices;

beforeAll(async () => {
  http = await httpServices();
  await storePackage(http, '8.10.0', DEB, BYTES);
  await makeCurrent(http, '8.10.0');
});

async function ask(path: string, headers: Record<string, string> = {}, poolAddress: string | null = null) {
  const settings = { ...http.services.settings, poolAddress };
  const response = await createApp({ ...http.services, settings }).request(path, { headers }, { peer: null });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('packages', () => {
  it.each(['8.10.0', 'current'])('are sent to anyone by version: %s', async (version) => {
    const answer = await ask(`/packages/${version}/${DEB}`);
    expect([answer.status, answer.text, answer.headers.get('ETag')]).toEqual([200, '0123456789', `"${SHA256}"`]);
    expect((await ask(`/packages/${version}/${DEB}.sha256`)).text).toBe(`${SHA256}  puppet-agent.deb\n`);
  });

  it('are sent in ranges', async () => {
    const answer = await ask(`/packages/current/${DEB}`, { Range: 'bytes=2-4' });
    expect([answer.status, answer.text, answer.headers.get('Content-Range')]).toEqual([206, '234', 'bytes 2-4/10']);
  });

  it.each([
    '/packages/9.0.0/debian-12-amd64/puppet-agent.deb',
    '/packages/current/el-9-x86_64/puppet-agent.rpm',
    '/packages/current/el-9-x86_64/puppet-agent.rpm.sha256',
  ])('%s is not there', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it('have the runner of this release among them, whatever the version', async () => {
    const { bytes, sha256, version } = readRunnerProgram();
    for (const folder of ['current', '8.10.0']) {
      const answer = await ask(`/packages/${folder}/understudy-runner.rb`);
      expect([answer.status, answer.text]).toEqual([200, Buffer.from(bytes).toString()]);
      expect(answer.headers.get('X-Checksum-Sha256')).toBe(sha256);
      expect((await ask(`/packages/${folder}/understudy-runner.rb.sha256`)).text).toBe(
        `${sha256}  understudy-runner.rb\n`,
      );
    }
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('are listed, and have names that can stand in a URL', async () => {
    expect(await listPackages(http)).toEqual([{ version: '8.10.0', path: DEB, sha256: SHA256, size: 10 }]);
    for (const path of ['../x', 'a/../b', 'a//b', '', 'a b']) {
      await expect(storePackage(http, '1', path, BYTES)).rejects.toThrow('cannot stand in the path of a package');
    }
  });
});

describe.each(['install.bash', 'install.ps1'])('%s', (name) => {
  it('has the address in it that the client used, or the one of the pool', async () => {
    const asked = await ask(`/packages/current/${name}`, { Host: 'compile.example.com:8140' });
    expect(asked.text).toContain("server = 'compile.example.com'".replace(' = ', name.endsWith('bash') ? '=' : ' = '));
    const pool = await ask(`/packages/8.10.0/${name}`, { Host: 'x' }, 'puppet.example.com');
    for (const part of ['puppet.example.com', '8140', '/packages/8.10.0']) expect(pool.text).toContain(part);
    expect(pool.text).not.toMatch(/@[A-Z]+@/);
  });

  it('is the script with the values of the request', async () => {
    const { text, headers } = await ask(`/packages/8.10.0/${name}`, { Host: 'compile.example.com:8141' });
    const values = { SERVER: 'compile.example.com', PORT: '8141', VERSION: '8.10.0' };
    let script = readFileSync(join(SOURCES, name.replace('.bash', '.sh')), 'utf8');
    for (const [place, value] of Object.entries(values)) script = script.replaceAll(`@${place}@`, value);
    expect(text).toBe(script);
    expect(headers.get('Content-Type')).toBe('text/plain;charset=utf-8');
  });

  it.each(['$(id)', "a'b", 'a b', ''])('is not made for the host %j', async (host) => {
    expect((await ask(`/packages/current/${name}`, { Host: host })).status).toBe(400);
  });

  it('is not made for a version that a shell would run', async () => {
    expect((await ask(`/packages/${encodeURIComponent("'$(id)")}/${name}`, { Host: 'a' })).status).toBe(400);
  });
});

describe('install.bash as a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-packages-'));

  async function script(): Promise<string> {
    const path = join(folder, 'install.bash');
    writeFileSync(path, (await ask('/packages/current/install.bash', { Host: 'localhost:1' })).text);
    return path;
  }

  it('is understood by bash, and refuses what it does not know', async () => {
    const path = await script();
    execFileSync('bash', ['-n', path]);
    for (const argument of ['nonsense', 'other:a=b', 'main:a']) {
      const { status, stderr } = spawnSync('bash', [path, argument], { encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toMatch(/unknown argument|must run as root|curl is needed/);
    }
  });

  const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0;
  it.skipIf(!hasShellcheck)('has nothing that shellcheck would mend, as its source and as it is served', async () => {
    const { stdout, status } = spawnSync('shellcheck', [join(SOURCES, 'install.sh'), await script()], {
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 0]);
    rmSync(folder, { recursive: true });
  });
});

/**
 * `curl -k …/install.bash | bash` on a Debian that has nothing yet. It is made with mmdebstrap or
 * debootstrap, where one of them is installed.
 */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanSystem, canMakeDebian, ofRelease } from './clean-system.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));
const NODE = 'clean.example.com';
/** An agent's key is generated in no time, not in seconds. */
const SHORT_KEY = 'main:keylength=2048';
const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-install-'));
const data = join(folder, 'data');
let local: LocalProcess;
let fresh: CleanSystem;

beforeAll(async () => {
  if (!canMakeDebian()) return;
  (await openWithSmallAuthority(data, false)).close();
  const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
  local = await LocalProcess.start({ data, controlRepo: controlRepo.directory, autosign: false });
  fresh = await CleanSystem.make(join(folder, 'fresh'));
});

afterAll(async () => {
  await local?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

function understudy(...args: readonly string[]): string {
  return execFileSync(process.execPath, [CLI, ...args, '--data', data], { encoding: 'utf8', stdio: 'pipe' });
}

/** The Debian without an agent: no test sees what another one installed. */
async function withoutAgent(): Promise<CleanSystem> {
  if (fresh.hasAgent()) await fresh.removeAgent();
  return fresh;
}

/** What the operator types on a new machine. */
function installer(...args: readonly string[]): string {
  return `curl -sSk https://puppet:${local.port}/packages/current/install.bash | bash -s ${args.join(' ')}`;
}

describe.skipIf(!canMakeDebian())('install.bash on a clean Debian', () => {
  it("installs the distribution's agent, whose certificate with other names is signed where that is allowed", async () => {
    const system = await withoutAgent();
    const installed = await system.run(
      installer('--', '--runner', 'main:dns_alt_names=a,b', 'agent:environment=production', SHORT_KEY),
    );
    expect(installed.output).toContain("the distribution's own is taken.");
    expect([installed.code, installed.output]).toEqual([
      0,
      expect.stringContaining('The agent is installed and asks puppet:'),
    ]);
    const waiting = await system.run('puppet agent --test --waitforcert 0');
    expect(waiting.output).toContain(`Certificate for ${NODE} has not been signed yet`);
    expect(understudy('ca', 'list', '--wide')).toMatch(
      /^clean\.example\.com +requested +- +DNS:a,DNS:b +[0-9A-F:]{95}$/m,
    );
    expect(() => understudy('ca', 'sign', NODE)).toThrow('contains extra subject alternative names (DNS:a, DNS:b)');
    expect(understudy('ca', 'sign', NODE, '--allow-subject-alt-names')).toBe(`Signed the certificate of ${NODE}.\n`);
    const { code, output } = await system.run('puppet agent --test --color false');
    expect(output).toContain('Notice: motto: common motto');
    expect(code).toBe(2);
    expect(readFileSync(join(system.root, 'srv/source'), 'utf8')).toBe('a file from a module\n');
    const certificate = readFileSync(join(system.root, `var/lib/puppet/ssl/certs/${NODE}.pem`));
    expect(new X509Certificate(certificate).subjectAltName).toBe(`DNS:${NODE}, DNS:a, DNS:b`);
    // Without a configuration, the runner has the certificates and the server of Debian's agent.
    const conf = '/etc/puppet/understudy-runner.conf';
    expect(readFileSync(join(system.root, conf), 'utf8')).toContain('"wss://puppet:8142/pcp2/"');
    const runner = '/opt/understudy-runner/understudy-runner.rb';
    const started = await system.run(`rm ${conf}; timeout 5 ruby --disable=gems ${runner}`);
    expect(started.output).toMatch(/Connection refused - connect\(2\) for .*8142; the next attempt is in/);
    expect(understudy('ca', 'clean', NODE)).toBe(`Revoked the certificate of ${NODE}.\n`);
  });

  it('installs the package of our repository, with what it asks for in the certificate', async () => {
    const system = await withoutAgent();
    const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
    const platform = `debian-${ofRelease('VERSION_ID')}-${architecture}`;
    const ours = system.agentPackage('99.1', folder);
    const where = ['--package-version', '99.1', '--platform', platform, '--current'];
    expect(understudy('packages', 'upload', ours, ...where)).toContain(`${platform}/puppet-agent.deb`);
    const installed = await system.run(installer('extension_requests:pp_role=web', 'main:splay=true', SHORT_KEY));
    expect([installed.code, installed.output]).toEqual([0, expect.stringContaining('Unpacking puppet-agent (99.1)')]);
    expect(installed.output).not.toContain("the distribution's own is taken.");
    await system.run('puppet agent --test --waitforcert 0');
    expect(understudy('ca', 'sign', NODE)).toBe(`Signed the certificate of ${NODE}.\n`);
    const { code, output } = await system.run('puppet agent --test --color false');
    expect([code, output]).toEqual([2, expect.stringContaining('Notice: motto: common motto')]);
    const certificate = await system.run(`openssl x509 -noout -text -in /var/lib/puppet/ssl/certs/${NODE}.pem`);
    expect(certificate.output).toMatch(/1\.3\.6\.1\.4\.1\.34380\.1\.1\.13: *\n.*web$/m);
  });
});

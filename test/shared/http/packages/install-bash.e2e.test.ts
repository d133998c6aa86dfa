import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONNECTIONS } from '../../../../shared/config/connections.ts';
import { type EdgeServer, startEdgeServer } from '../../../../shared/http/listener/edge-server.ts';
import { makeCurrent, storePackage } from '../../../../shared/http/packages/package-store.ts';
import { readRunnerProgram } from '../../../../shared/orchestrator/runner/runner-program.ts';
import { httpServices, type TestServices } from '../../../helpers/http-services.ts';
import { type InstallerRun, installing, type Machine, runInstaller } from './pretended-system.ts';

const BYTES = new TextEncoder().encode('a package');
const APT = { dpkg: 'echo amd64\n', 'apt-get': installing('install') };
const DNF = { dnf: installing('install') };
const ZYPPER = { zypper: installing('install') };
const DEBIAN = 'ID=debian\nVERSION_ID="12"\n';
const DEBIAN_13 = 'ID=debian\nVERSION_ID="13"\n';
const MACOS = {
  sw_vers: 'echo 14.5\n',
  hdiutil: 'if [ "$1" = attach ]; then mkdir "$5"; touch "$5/puppet-agent-installer.pkg"; fi\n',
  installer: 'ln -sf "$ROOT/bin/.puppet" "$ROOT/bin/puppet"\n',
};
const folder = mkdtempSync(join(tmpdir(), 'understudy-installer-'));
let http: TestServices;
let edge: EdgeServer;
/** What the repository answers to a path instead of what it has. */
let spoilt: Readonly<Record<string, Response>> = {};

const SERVED: readonly string[] = [
  ...[
    'debian-12-amd64/puppet-agent.deb',
    'ubuntu-24.04-amd64/puppet-agent.deb',
    'debian-trixie-amd64/puppet-agent.deb',
  ],
  ...['el-9-x86_64/puppet-agent.rpm', 'el-7-x86_64/puppet-agent.rpm', 'fedora-41-aarch64/puppet-agent.rpm'],
  ...['amazon-2023-aarch64/puppet-agent.rpm', 'sles-15-x86_64/puppet-agent.rpm'],
  ...['debian-13-amd64/puppet-agent.deb', 'debian-13-amd64/openvox-agent.deb', 'el-10-x86_64/openvox-agent.rpm'],
  ...['osx-14-arm64/puppet-agent.dmg', 'osx-10.15-x86_64/puppet-agent.dmg'],
];

beforeAll(async () => {
  http = await httpServices();
  http.clock.time = Math.floor(Date.now() / 1000) * 1000;
  for (const path of SERVED) await storePackage(http, '8.10.0', path, BYTES);
  await makeCurrent(http, '8.10.0');
  edge = await startEdgeServer({
    app: {
      fetch: (...[request, bindings]: Parameters<TestServices['app']['fetch']>) =>
        spoilt[new URL(request.url).pathname.replace('/packages/current/', '')]?.clone() ??
        http.app.fetch(request, bindings),
    },
    credentials: await http.authority.serverCredentials('localhost', []),
    trusted: http.authority.certificatePem,
    host: '127.0.0.1',
    port: 0,
    clock: http.clock,
    connections: CONNECTIONS.frontDoor,
    reportFailure: (error) => http.errors.push(error),
  });
});
beforeEach(() => {
  spoilt = {};
});
afterAll(async () => {
  await edge.close(0);
  rmSync(folder, { recursive: true, force: true });
});

/** As `curl -k https://localhost/packages/current/install.bash | bash -s ARGUMENTS` does it. */
async function install(machine: Machine, ...args: readonly string[]): Promise<InstallerRun> {
  return runInstaller(join(folder, 'machine'), await script(`localhost:${edge.port}`), machine, args);
}

async function script(host: string): Promise<string> {
  const response = await http.app.request(
    '/packages/current/install.bash',
    { headers: { Host: host } },
    { peer: null },
  );
  return response.text();
}

const FETCHED = /\/tmp\/[^/]+\/puppet-agent/;

describe('install.bash', () => {
  it.each<[string, Machine, string]>([
    ['Debian', { release: DEBIAN, programs: APT }, 'apt-get install -y --no-install-recommends FILE.deb'],
    [
      'Debian without a number yet',
      { release: 'ID=debian\nVERSION_CODENAME=trixie\n', programs: APT },
      'apt-get install -y --no-install-recommends FILE.deb',
    ],
    [
      'Ubuntu',
      { release: 'ID=ubuntu\nVERSION_ID="24.04"\n', programs: APT },
      'apt-get install -y --no-install-recommends FILE.deb',
    ],
    [
      'RHEL 9',
      { release: 'ID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.4"\n', programs: DNF },
      'dnf install -y FILE.rpm',
    ],
    [
      'Rocky 9',
      { release: 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.3"\n', programs: DNF },
      'dnf install -y FILE.rpm',
    ],
    [
      'CentOS 7',
      { release: 'ID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"\n', programs: { yum: installing('install') } },
      'yum install -y FILE.rpm',
    ],
    ['Fedora', { arch: 'aarch64', release: 'ID=fedora\nVERSION_ID=41\n', programs: DNF }, 'dnf install -y FILE.rpm'],
    [
      'Amazon Linux',
      { arch: 'aarch64', release: 'ID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"\n', programs: DNF },
      'dnf install -y FILE.rpm',
    ],
    [
      'SLES',
      { release: 'ID="sles"\nID_LIKE="suse"\nVERSION_ID="15.5"\n', programs: ZYPPER },
      'zypper --non-interactive --no-gpg-checks install FILE.rpm',
    ],
    [
      'Leap',
      { release: 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"\n', programs: ZYPPER },
      'zypper --non-interactive --no-gpg-checks install FILE.rpm',
    ],
  ])('installs the package of the repository: %s', async (_, machine, expected) => {
    const { status, output, calls } = await install(machine);
    expect([status, output]).toEqual([0, `The agent is installed and asks localhost:${edge.port}.\n`]);
    expect(calls.filter((call) => !call.startsWith('dpkg')).map((call) => call.replace(FETCHED, 'FILE'))).toEqual([
      expected,
      'puppet config set server localhost --section main',
      `puppet config set serverport ${edge.port} --section main`,
      'puppet resource service puppet ensure=running enable=true',
    ]);
  });

  it.each([
    ['14.5', 'arm64'],
    ['10.15.7', 'x86_64'],
  ])('installs the package of the repository: macOS %s', async (version, arch) => {
    const programs = { ...MACOS, sw_vers: `echo ${version}\n` };
    const { status, calls } = await install({ kernel: 'Darwin', arch, programs });
    expect(status).toBe(0);
    expect(calls.map((call) => call.replaceAll(/\/tmp\/[^/]+\//g, 'T/')).slice(0, 4)).toEqual([
      'sw_vers -productVersion',
      'hdiutil attach -quiet -nobrowse -mountpoint T/image T/puppet-agent.dmg',
      'installer -pkg T/image/puppet-agent-installer.pkg -target /',
      'hdiutil detach -quiet T/image',
    ]);
  });

  it.each<[string, Machine, readonly string[]]>([
    [
      'apt-get',
      {
        release: 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\n',
        programs: { ...APT, 'apt-get': installing('install', 'openvox-agent puppet-agent') },
      },
      [
        'update -q',
        ...['openvox-agent', 'puppet-agent', 'puppet'].map((name) => `install -y --no-install-recommends ${name}`),
      ],
    ],
    [
      'dnf',
      { release: 'ID=almalinux\nID_LIKE="rhel centos fedora"\nVERSION_ID=8.9\n', programs: DNF },
      ['install -y openvox-agent'],
    ],
    [
      'zypper',
      {
        release: 'ID=opensuse-tumbleweed\nID_LIKE="opensuse suse"\nVERSION_ID=20261101\n',
        programs: { zypper: installing('install', 'openvox-agent') },
      },
      ['--non-interactive install openvox-agent', '--non-interactive install puppet-agent'],
    ],
  ])("takes the distribution's own when the repository has none: %s", async (program, machine, expected) => {
    const { status, output, calls } = await install(machine);
    expect([status, output]).toEqual([0, expect.stringContaining("the distribution's own is taken.")]);
    const own = calls.filter((call) => call.startsWith(`${program} `));
    expect(own).toEqual(expected.map((call) => `${program} ${call}`));
  });

  it.each<[string, Machine, readonly string[], string]>([
    ['the first of both', { release: DEBIAN_13, programs: APT }, [], 'FILE/openvox-agent.deb'],
    [
      'the one that is named',
      { release: DEBIAN_13, programs: APT },
      ['--package-name', 'puppet-agent'],
      'FILE/puppet-agent.deb',
    ],
    [
      'the only one',
      { release: 'ID="almalinux"\nID_LIKE="rhel"\nVERSION_ID="10.0"\n', programs: DNF },
      [],
      'FILE/openvox-agent.rpm',
    ],
  ])('installs OpenVox or Puppet: %s', async (_name, machine, args, expected) => {
    const { status, calls } = await install(machine, ...args);
    expect(status).toBe(0);
    const installed = calls.filter((call) => call.includes(' install ')).map((call) => call.split(' ').at(-1));
    expect(installed.map((file) => file?.replace(/^\/tmp\/[^/]+/, 'FILE'))).toEqual([expected]);
  });

  it('takes no other package than the one that is named', async () => {
    const machine = { release: DEBIAN, programs: { ...APT, 'apt-get': installing('install', 'openvox-agent') } };
    const { status, output } = await install(machine, '--package-name', 'openvox-agent');
    expect([status, output]).toEqual([
      1,
      expect.stringContaining('neither localhost nor the distribution has an agent for debian-12-amd64\n'),
    ]);
  });

  it('installs from the repository that the operator names', async () => {
    const url = `file://${join(folder, 'openvox8-release.deb')}`;
    writeFileSync(join(folder, 'openvox8-release.deb'), 'a release package');
    const { status, calls } = await install({ release: DEBIAN, programs: APT }, '--release-package', url);
    expect(status).toBe(0);
    expect(
      calls.filter((call) => call.startsWith('apt-get')).map((call) => call.replace(/\/tmp\/[^/]+/, 'FILE')),
    ).toEqual([
      'apt-get install -y --no-install-recommends FILE/release.deb',
      'apt-get update -q',
      'apt-get install -y --no-install-recommends openvox-agent',
    ]);
    const missing = await install({ release: DEBIAN, programs: APT }, '--release-package', `${url}.gone`);
    expect([missing.status, missing.output]).toEqual([1, expect.stringContaining('.gone cannot be fetched\n')]);
  });

  describe('installs the runner of the orchestrator', () => {
    const ruby = 'exit 0\n';
    const OPENVOX = { ...APT, ruby, systemctl: 'exit 0\n', 'dpkg-query': 'echo openvox-agent install ok installed\n' };
    const BROKER = 'status/v1/simple/broker-service';

    it.each<[string, Record<string, string>, readonly string[], boolean, boolean]>([
      ['by default with OpenVox and a broker', OPENVOX, [], true, true],
      ['not with OpenVox and no broker', OPENVOX, [], false, false],
      ['not with Puppet', { ...OPENVOX, 'dpkg-query': 'exit 1\n' }, [], true, false],
      ['not when it is not wanted', OPENVOX, ['--no-runner'], true, false],
      ['when it is wanted', { ...APT, ruby, systemctl: 'exit 0\n' }, ['--runner'], false, true],
    ])('%s', async (_, programs, args, hasBroker, isInstalled) => {
      spoilt = hasBroker ? { [`/${BROKER}`]: new Response('running') } : {};
      const { status, output, calls, read } = await install({ release: DEBIAN_13, programs }, ...args);
      expect([status, output.includes('The runner is installed and connects to localhost:')]).toEqual([0, isInstalled]);
      const program = isInstalled ? Buffer.from(readRunnerProgram().bytes).toString() : null;
      expect(read('runner/understudy-runner.rb')).toBe(program);
      const started = ['daemon-reload', 'enable understudy-runner.service', 'restart understudy-runner.service'];
      expect(calls.filter((call) => call.startsWith('systemctl '))).toEqual(
        isInstalled ? started.map((call) => `systemctl ${call}`) : [],
      );
    });

    it('with a configuration that it reads, and a unit', async () => {
      const { read } = await install({ release: DEBIAN_13, programs: OPENVOX }, '--runner');
      const at = `localhost:${edge.port}`;
      expect(JSON.parse(read('etc/understudy-runner.conf') ?? '')).toMatchObject({
        'broker-ws-uris': [`wss://${at}/pcp2/`],
        'primary-uris': [`https://${at}`],
      });
      const unit = read('etc/understudy-runner.service') ?? '';
      const path = join(folder, 'machine');
      expect(unit).toContain(`\nExecStart=${path}/bin/ruby --disable=gems ${path}/runner/understudy-runner.rb\n`);
      for (const line of ['KillMode=process', 'LimitCORE=0', 'Restart=always', 'ExecReload=/bin/kill -HUP $MAINPID']) {
        expect(unit).toContain(`\n${line}\n`);
      }
    });

    it('on macOS', async () => {
      const programs = { ...MACOS, ruby, launchctl: 'exit 0\n', pkgutil: 'exit 0\n' };
      const { status, calls, read } = await install({ kernel: 'Darwin', arch: 'arm64', programs }, '--runner');
      expect([status, calls.filter((call) => call.startsWith('launchctl load'))]).toEqual([
        0,
        ['launchctl load -w /etc/understudy-runner.plist'],
      ]);
      expect(read('etc/understudy-runner.plist')).toContain(`<string>${join(folder, 'machine')}/bin/ruby</string>`);
    });

    it.each<[string, Record<string, string>]>([
      ['the runner needs Ruby, and there is none', { ...OPENVOX, ruby: '' }],
      ['the runner does not start', { ...OPENVOX, ruby: 'exit 1\n' }],
      ['the service understudy-runner cannot be started', { ...OPENVOX, systemctl: 'exit 1\n' }],
    ])('and fails with what failed: %s', async (message, { ruby: own, ...programs }) => {
      const all = own === '' ? programs : { ...programs, ruby: own ?? '' };
      const { status, output } = await install({ release: DEBIAN_13, programs: all }, '--runner');
      expect([status, output]).toEqual([1, expect.stringContaining(`install.bash: ${message}\n`)]);
    });
  });

  it('writes settings, attributes and extensions before the agent starts', async () => {
    const { status, calls, csrAttributes } = await install(
      { release: DEBIAN, hasPuppet: true, programs: APT },
      'main:dns_alt_names=a,b',
      'agent:environment=test=1',
      'custom_attributes:challengePassword=it\'s: "#1" $x',
      'extension_requests:1.3.6.1.4.1.34380.1.1.13=role::web',
      '--puppet-service-ensure',
      'stopped',
    );
    expect(status).toBe(0);
    expect(calls.filter((call) => !call.startsWith('dpkg'))).toEqual([
      'puppet config set server localhost --section main',
      `puppet config set serverport ${edge.port} --section main`,
      'puppet config set dns_alt_names a,b --section main',
      'puppet config set environment test=1 --section agent',
      'puppet resource service puppet ensure=stopped enable=true',
    ]);
    expect(csrAttributes).toBe(`---
custom_attributes:
  challengePassword: 'it''s: "#1" $x'
extension_requests:
  1.3.6.1.4.1.34380.1.1.13: 'role::web'
`);
  });

  it.each<[string, Machine]>([
    ['unknown platform: SunOS', { kernel: 'SunOS' }],
    ['unknown platform: there is no /etc/os-release that names it', {}],
    ['unknown platform: arch ', { release: 'ID=arch\n' }],
    ['unknown platform: alpine 3.20.1', { release: 'ID=alpine\nVERSION_ID=3.20.1\n' }],
  ])('says what it cannot do: %s', async (message, machine) => {
    const run = await install(machine);
    const { read: _, ...others } = run;
    expect({ ...others, output: run.output.replaceAll(join(folder, 'machine'), '') }).toEqual({
      status: 1,
      output: `install.bash: ${message}\n`,
      calls: [],
      csrAttributes: null,
    });
  });

  it.each<[string, string, Response]>([
    ['is not what its checksum says', '.sha256', new Response(`${'0'.repeat(64)}  puppet-agent.deb\n`)],
    ['is not what its checksum says', '', new Response('another package')],
    ['cannot be fetched', '.sha256', new Response('no', { status: 404 })],
    ['status 503', '', new Response('no', { status: 503, headers: { 'Retry-After': '0' } })],
  ])('installs nothing that the repository does not vouch for: %s%s', async (message, suffix, answer) => {
    spoilt = { [`debian-12-amd64/puppet-agent.deb${suffix}`]: answer };
    const { status, output, calls } = await install({ release: DEBIAN, programs: APT });
    expect([status, output]).toEqual([1, expect.stringMatching(new RegExp(`^install\\.bash: .*${message}`, 'm'))]);
    expect(calls.filter((call) => !call.startsWith('dpkg'))).toEqual([]);
  });

  it('fails when the server cannot be reached', async () => {
    const machine = { release: DEBIAN, programs: APT };
    const { status, output } = await runInstaller(join(folder, 'machine'), await script('localhost:1'), machine);
    expect([status, output]).toEqual([
      1,
      expect.stringContaining("install.bash: the CA's certificate cannot be fetched from localhost:1"),
    ]);
  });

  it.each<[string, Record<string, string>, readonly string[]]>([
    ['the package of debian-12-amd64 cannot be installed', { 'apt-get': 'exit 100\n' }, []],
    ['the setting refused cannot be written', {}, ['main:refused=x']],
    ['the agent was installed, but there is no command puppet', { 'apt-get': '' }, []],
    ['the service puppet cannot be started', { 'apt-get': `${installing('install')}${startingNothing()}` }, []],
  ])('fails with what failed: %s', async (message, programs, args) => {
    const { status, output } = await install({ release: DEBIAN, programs: { ...APT, ...programs } }, ...args);
    expect([status, output]).toEqual([1, expect.stringContaining(`install.bash: ${message}\n`)]);
  });
});

/** An agent is installed that starts no service. */
function startingNothing(): string {
  return `sed 's/^echo/[ "$1" != resource ] || exit 1; echo/' "$ROOT/bin/.puppet" > "$ROOT/bin/other"
chmod 755 "$ROOT/bin/other"; rm "$ROOT/bin/puppet"; ln -s "$ROOT/bin/other" "$ROOT/bin/puppet"
`;
}

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a fresh Debian can be made here; in CI it must be. */
export function canMakeDebian(): boolean {
  if (process.env.CI === 'true') return true;
  const isAllowed = succeeds('unshare --mount --pid --uts --fork true') && process.getuid?.() === 0;
  return isAllowed && (hasMmdebstrap() || succeeds('type -P debootstrap'));
}

/** It unpacks each package once, and takes 15 s of CPU where debootstrap takes 24 (2026-11-23). */
function hasMmdebstrap(): boolean {
  return succeeds('type -P mmdebstrap');
}

function succeeds(command: string): boolean {
  try {
    execFileSync('bash', ['-c', command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The release that runs here, as `/etc/os-release` has it. */
export function ofRelease(key: string): string {
  const line = readFileSync('/etc/os-release', 'utf8').match(new RegExp(`^${key}=(.*)$`, 'm'));
  return line?.[1]?.replaceAll('"', '') ?? '';
}

/** All that install.bash needs: the server's CA vouches for it, not those of `ca-certificates`. */
const INCLUDED = '--include=curl';

export interface CleanRun {
  readonly code: number;
  readonly output: string;
}

/**
 * A Debian without Puppet in a folder, that shares nothing with this machine but the network:
 * `clean.example.com`.
 */
export class CleanSystem {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /**
   * Fetches it and the packages that installing the agent takes. Rejects with what the tool printed
   * when the mirror does not give them.
   */
  static async make(root: string): Promise<CleanSystem> {
    const suite = ofRelease('VERSION_CODENAME');
    const made = hasMmdebstrap()
      ? await run('mmdebstrap', ['--mode=root', '--skip=cleanup/apt', '--variant=apt', INCLUDED, suite, root])
      : await run('debootstrap', ['--variant=minbase', INCLUDED, suite, root]);
    const system = new CleanSystem(root);
    if (made.code !== 0) throw new Error(`no fresh Debian could be made: ${made.output}`);
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost puppet\n127.0.1.1 clean.example.com clean\n');
    // The lists of packages are there when mmdebstrap made it.
    const update = hasMmdebstrap() ? 'true' : 'apt-get update';
    const fetched = await system.run(
      `${update} && apt-get install -y --download-only --no-install-recommends puppet-agent`,
    );
    if (fetched.code !== 0) throw new Error(`the agent's packages could not be fetched: ${fetched.output}`);
    return system;
  }

  /** Whether an agent is installed. */
  hasAgent(): boolean {
    return existsSync(join(this.root, 'usr/bin/puppet'));
  }

  /**
   * Removes the agent with all that it and its runs wrote, and two packages that it needs: they are
   * installed again with the next agent, the other thirty stay. Rejects with what apt-get printed.
   */
  async removeAgent(): Promise<void> {
    const written = '/etc/puppet /var/lib/puppet /var/cache/puppet /opt/understudy-runner /srv/*';
    const { code, output } = await this.run(
      `DEBIAN_FRONTEND=noninteractive apt-get purge -y puppet-agent hiera facter && rm -rf ${written}`,
    );
    if (code !== 0) throw new Error(`the agent could not be removed: ${output}`);
  }

  /** The package of the agent that was fetched, as `version`. */
  agentPackage(version: string, folder: string): string {
    const archives = join(this.root, 'var/cache/apt/archives');
    const name = readdirSync(archives).find((file) => /^puppet-agent_.*\.deb$/.test(file));
    if (name === undefined) throw new Error('no package of the agent was fetched');
    const [unpacked, packed] = [join(folder, 'unpacked'), join(folder, 'agent.deb')];
    execFileSync('dpkg-deb', ['--raw-extract', join(archives, name), unpacked]);
    const control = join(unpacked, 'DEBIAN/control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`));
    execFileSync('dpkg-deb', ['-Znone', '--build', unpacked, packed], { stdio: 'pipe' });
    return packed;
  }

  /** What a shell inside makes of `command`; all that it started ends with it. */
  run(command: string): Promise<CleanRun> {
    const inside =
      'hostname clean; mount -t proc proc "$1/proc"; mount -t sysfs sys "$1/sys"; exec chroot "$1" bash -c "$2"';
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8', FACTER_e2e_root: '/srv' };
    return run(
      'unshare',
      ['--mount', '--pid', '--uts', '--fork', 'bash', '-ec', inside, 'bash', this.root, command],
      env,
    );
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<CleanRun> {
  return new Promise((resolve) => {
    execFile(program, [...args], { env, maxBuffer: 1 << 26 }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: out + err });
    });
  });
}

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `install.bash` finds on a machine. */
export interface Machine {
  /** What `uname -s` and `uname -m` say. */
  readonly kernel?: string;
  readonly arch?: string;
  /** `/etc/os-release`; none without it. */
  readonly release?: string;
  /**
   * Programs that are there beside those that each system has. Each writes down how it was called.
   */
  readonly programs?: Readonly<Record<string, string>>;
  /** There is an agent already. */
  readonly hasPuppet?: boolean;
}

export interface InstallerRun {
  readonly status: number;
  readonly output: string;
  /** How programs that change the system were called, in order. */
  readonly calls: readonly string[];
  readonly csrAttributes: string | null;
  /** Files that it wrote, by their paths in the folder. */
  readonly read: (path: string) => string | null;
}

/** Of the real system: they read, and write into the temporary folder. */
const REAL = [
  ...[
    'bash',
    'cat',
    'chmod',
    'cp',
    'curl',
    'cut',
    'find',
    'head',
    'mkdir',
    'mktemp',
    'mv',
    'rm',
    'sed',
    'sha256sum',
    'tr',
  ],
];

const PUPPET = `case "$1 $2" in
  'config print') echo "$ROOT/etc"; exit ;;
  'config set') [ "$3" != refused ] || exit 1 ;;
esac
echo "puppet $*" >> "$ROOT/calls"
`;

/** A package manager that installs whatever it is told to, except the names in `unknown`. */
export function installing(verb: string, unknown = ''): string {
  return `case " $* " in *" ${verb} "*) ;; *) exit 0 ;; esac
for name in ${unknown}; do case " $* " in *" $name "*) exit 100 ;; esac; done
ln -sf "$ROOT/bin/.puppet" "$ROOT/bin/puppet"
`;
}

/**
 * Runs `script` on a machine that is made of stand-ins in `folder`; nothing outside it is changed.
 */
export function runInstaller(
  folder: string,
  script: string,
  machine: Machine,
  args: readonly string[] = [],
): Promise<InstallerRun> {
  rmSync(folder, { recursive: true, force: true });
  const bin = join(folder, 'bin');
  for (const name of ['bin', 'etc', 'systemd', 'tmp']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of [...REAL, 'ln', 'touch']) symlinkSync(whereIs(name), join(bin, name));
  const { kernel = 'Linux', arch = 'x86_64', programs = {} } = machine;
  write('id', 'echo 0\n');
  write('uname', `case "$1" in -s) echo ${kernel} ;; -m) echo ${arch} ;; esac\n`);
  write('.puppet', PUPPET);
  if (machine.hasPuppet) symlinkSync(join(bin, '.puppet'), join(bin, 'puppet'));
  for (const [name, text] of Object.entries(programs)) write(name, `echo "${name} $*" >> "$ROOT/calls"\n${text}`);
  if (machine.release !== undefined) writeFileSync(join(folder, 'etc/os-release'), machine.release);
  const placed = script
    .replaceAll('/etc/os-release', join(folder, 'etc/os-release'))
    .replaceAll('/opt/puppetlabs/bin/puppet', join(folder, 'opt/puppet'))
    .replaceAll('/run/systemd/system', join(folder, 'systemd'))
    .replaceAll('/etc/systemd/system', join(folder, 'etc'))
    .replaceAll('/Library/LaunchDaemons', join(folder, 'etc'))
    .replaceAll('/opt/understudy-runner', join(folder, 'runner'))
    .replaceAll('/opt/puppetlabs/puppet/bin/ruby', join(folder, 'opt/ruby'))
    .replaceAll(/=\/etc\/(puppetlabs|puppet)$/gm, `=${join(folder, 'etc')}`)
    // The broker is the server itself.
    .replace('broker_port=8142', 'broker_port=$port');
  writeFileSync(join(folder, 'install.bash'), placed);
  const env = { PATH: bin, ROOT: folder, TMPDIR: join(folder, 'tmp') };
  return new Promise((resolve) => {
    execFile(join(bin, 'bash'), [join(folder, 'install.bash'), ...args], { env }, (error, out, err) => {
      const code = error?.code;
      const status = error === null ? 0 : typeof code === 'number' ? code : -1;
      const calls = read('calls')?.trimEnd().replaceAll(folder, '') ?? '';
      const csrAttributes = read('etc/csr_attributes.yaml');
      resolve({ status, output: out + err, calls: calls === '' ? [] : calls.split('\n'), csrAttributes, read });
    });
  });

  function write(name: string, text: string): void {
    writeFileSync(join(bin, name), `#!${join(bin, 'bash')}\n${text}`, { mode: 0o755 });
  }

  function read(path: string): string | null {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }
}

function whereIs(program: string): string {
  return execFileSync('bash', ['-c', `type -P ${program}`], { encoding: 'utf8' }).trim();
}

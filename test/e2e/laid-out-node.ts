import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { runPuppet } from './puppet-process.ts';

/** Whose packages a node has. */
export type Layout = 'Debian' | 'OpenVox';

/** Paths below the root of a node, as the packages of an agent have them. */
const PATHS = {
  Debian: {
    puppet: 'usr/bin/puppet',
    settings: 'etc/puppet',
    confdir: 'etc/puppet',
    folders: { ssldir: 'var/lib/puppet/ssl', vardir: 'var/cache/puppet', codedir: 'etc/puppet/code' },
  },
  OpenVox: {
    puppet: 'opt/puppetlabs/bin/puppet',
    settings: 'etc/puppetlabs',
    confdir: 'etc/puppetlabs/puppet',
    folders: {
      ...{ ssldir: 'etc/puppetlabs/puppet/ssl', vardir: 'opt/puppetlabs/puppet/cache' },
      codedir: 'etc/puppetlabs/code',
    },
  },
} as const;

/** A node with the installed Puppet; its files lie where a package has them, below a root. */
export class LaidOutNode {
  readonly root: string;
  readonly #settings: string;
  readonly #confdir: string;
  readonly #facts: Readonly<Record<string, string>>;
  #runner: ChildProcess | null = null;

  constructor(certname: string, layout: Layout, port: number) {
    const { puppet, settings, confdir, folders } = PATHS[layout];
    this.root = makeFolderOnDisk('node');
    const at = (path: string) => join(this.root, path);
    this.#confdir = at(confdir);
    this.#settings = at(settings);
    const others = { rundir: 'run/puppet', logdir: 'var/log/puppet', publicdir: 'var/cache/puppet/public' };
    const made = [...Object.values({ ...folders, ...others }).map(at), this.#confdir, dirname(at(puppet)), at('opt')];
    for (const path of made) mkdirSync(path, { recursive: true });
    const lines = Object.entries({ ...folders, ...others }).map(([name, path]) => `${name} = ${at(path)}`);
    const main = ['server = localhost', `serverport = ${port}`, `certname = ${certname}`, 'keylength = 2048'];
    const modules = `basemodulepath = ${at('modules')}`;
    writeFileSync(join(this.#confdir, 'puppet.conf'), `[main]\n${[...main, modules, ...lines].join('\n')}\n`);
    const program = execFileSync('sh', ['-c', 'command -v puppet'], { encoding: 'utf8' }).trim();
    writeFileSync(at(puppet), `#!/bin/sh\nexec ${program} "$@" --confdir ${this.#confdir}\n`);
    chmodSync(at(puppet), 0o755);
    this.#facts = {
      FACTER_e2e_root: this.root,
      FACTER_e2e_puppet: at(puppet),
      FACTER_e2e_settings: this.#settings,
    };
  }

  /** Runs Puppet once; returns whether the node has the runner now. */
  async run(): Promise<{ readonly hasRunner: boolean; readonly output: string }> {
    const flags = ['--onetime', '--no-daemonize', '--verbose', '--waitforcert', '0', '--confdir', this.#confdir];
    const { output } = await runPuppet(['agent', ...flags], { ...this.#facts, HOME: this.root });
    return { hasRunner: existsSync(join(this.root, 'opt/understudy-runner/understudy-runner.rb')), output };
  }

  /** Starts what the unit would start. */
  startRunner(): void {
    const unit = readFileSync(join(this.root, 'understudy-runner.service'), 'utf8');
    const [ruby = '', ...args] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
    const settings = ['--config-file', join(this.#settings, 'understudy-runner.conf')];
    this.#runner = spawn(ruby, [...args, ...settings], { env: { ...process.env, ...this.#facts }, stdio: 'ignore' });
  }

  get isConnected(): boolean {
    const log = join(this.root, 'runner.log');
    return existsSync(log) && readFileSync(log, 'utf8').includes(' connected to ');
  }

  async close(): Promise<void> {
    if (this.#runner === null) return;
    const ended = once(this.#runner, 'exit');
    this.#runner.kill('SIGKILL');
    await ended;
  }
}

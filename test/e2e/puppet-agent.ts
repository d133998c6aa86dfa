import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { type PuppetRun, runPuppet } from './puppet-process.ts';

interface AgentOptions {
  readonly run?: typeof runPuppet;
  /** Where all its files lie; by default a folder that goes with the tests. */
  readonly folder?: string;
  /** The name of its server; `localhost` by default. */
  readonly server?: string;
}

/** An unmodified puppet agent, with all of its files in one folder. */
export class PuppetAgent {
  readonly certname: string;
  /** Where its catalogs may write: the fact `e2e_root`. */
  readonly root: string;
  /** Where its settings, plugins and caches lie. */
  readonly folder: string;
  readonly #runPuppet: typeof runPuppet;
  readonly #server: string;

  /** `run` runs a command of its Puppet: by default the installed one. */
  constructor(certname: string, { run = runPuppet, folder, server = 'localhost' }: AgentOptions = {}) {
    this.certname = certname;
    this.#runPuppet = run;
    this.#server = server;
    this.folder = folder ?? join(makeFolderOnDisk('agent'), certname);
    this.root = join(this.folder, 'root');
    mkdirSync(this.root, { recursive: true });
  }

  /**
   * One run against `port`. `facts` become facts of the node, through Facter's environment
   * variables; without `waitForCert` (seconds) it ends when its certificate is not signed yet.
   */
  run(
    port: number,
    facts: Readonly<Record<string, string>> = {},
    waitForCert = 0,
    more: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<PuppetRun> {
    const given = Object.entries({ ...facts, e2e_root: this.root }).map(([name, value]) => [`FACTER_${name}`, value]);
    const flags = ['--test', '--color', 'false', '--server', this.#server, '--waitforcert', String(waitForCert)];
    return this.#runPuppet(['agent', ...flags, ...this.#settings(port), ...more], {
      ...variables,
      ...Object.fromEntries(given),
      HOME: this.folder,
    });
  }

  /** Another command of puppet as this node: `filebucket get …`. */
  command(port: number, name: string, ...args: readonly string[]): Promise<PuppetRun> {
    return this.#runPuppet([name, ...args, ...this.#settings(port)], { HOME: this.folder });
  }

  #settings(port: number): readonly string[] {
    const folders = ['confdir', 'vardir', 'ssldir', 'rundir', 'logdir', 'publicdir', 'codedir'];
    return [
      ...[
        '--serverport',
        String(port),
        '--certname',
        this.certname,
        '--environment',
        'production',
        '--keylength',
        '2048',
        // Modules of the machine's own packages would be searched for facts, at each run.
        '--basemodulepath',
        join(this.folder, 'codedir', 'modules'),
      ],
      ...folders.flatMap((name) => [`--${name}`, join(this.folder, name)]),
    ];
  }
}

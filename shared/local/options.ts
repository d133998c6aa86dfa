import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readProcessUser } from '../cli/commands/ruby-choice.ts';
import { COMPILE_LIMITS } from '../config/compile-limit.ts';
import { RENEWAL_HOURS } from '../config/renewal.ts';
import { RETENTION, type RetentionName } from '../config/retention.ts';
import type { ProcessUser } from '../puppet/ruby/process/process-worker.ts';

/** The options of `npm start -- …`. */
export interface LocalOptions {
  readonly controlRepo: string;
  /** Whether the operator named the control repo; otherwise it is the default. */
  readonly isControlRepoNamed: boolean;
  /** Whether to remove environments that the control repo no longer has. */
  readonly purgeEnvironments?: boolean;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  /** Time limit of one compile, in seconds. */
  readonly compileTimeLimit: number;
  readonly ruby: 'wasm' | 'process';
  readonly rubyUser?: ProcessUser;
  /** A number of states, then numbers of days; see `RETENTION`. */
  readonly keepHistory: number;
  readonly keepCode: number;
  readonly keepReports: number;
  readonly keepBucket: number;
  /** A file, or whether to sign all requests. */
  readonly autosign: boolean | string;
  readonly allowSubjectAltNames: boolean;
  readonly allowAuthorizationExtensions: boolean;
  readonly renewalHours: number;
  readonly caKeyType: 'rsa' | 'ec';
  /** `ca-key-file` of the data directory by default. */
  readonly caKeyFile?: string;
  readonly authConf?: string;
  readonly trustedOidMapping?: string;
  readonly caUpstream?: string;
  /** PEM files, required by `caUpstream`. */
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly accessLog?: string;
  readonly poolAddress?: string;
}

export interface LocalDefaults {
  /** The example, for a data directory without code. */
  readonly controlRepo: string;
  readonly workers: number;
}

/** The command line is invalid or asks for help. Print `message` and exit with `exitCode`. */
export class UsageExit extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = 'UsageExit';
    this.exitCode = exitCode;
  }
}

/** Reads the arguments. Throws UsageExit with the help text or an error message. */
export function readLocalOptions(args: readonly string[], defaults: LocalDefaults): LocalOptions {
  let written = '';
  const command = describeCommand(defaults).exitOverride().configureOutput({ writeOut: take, writeErr: take });
  function take(text: string) {
    written += text;
  }
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageExit(written.trimEnd(), error.exitCode);
    throw error;
  }
  const isControlRepoNamed = command.getOptionValueSource('controlRepo') === 'cli';
  return { ...command.opts<Omit<LocalOptions, 'isControlRepoNamed'>>(), isControlRepoNamed };
}

function describeCommand(defaults: LocalDefaults): Command {
  const command = new Command('npm start --')
    .description(
      'Runs the whole of Understudy in one process: TLS front door, certificate authority, queue, compilers.',
    )
    .addOption(
      new Option(
        '--control-repo <dir>',
        'the control repo whose environments are deployed, and again when a file changes; without it what is deployed stays in force, and a data directory without any code gets the example',
      ).default(defaults.controlRepo, 'none, or the example'),
    )
    .option(
      '--purge-environments',
      'remove environments when their folder in the control repo is gone; without it they stay in force',
    )
    .option('--data <dir>', 'where nodes, catalogs, certificates and the queue are kept', '.understudy')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 8140)
    .option('--workers <number>', 'how many catalogs are compiled at a time', wholeNumber(1, 256), defaults.workers)
    .option(
      '--compile-time-limit <seconds>',
      "how long one catalog may take to compile; what takes longer is a failure of the node's code",
      wholeNumber(1, COMPILE_LIMITS.locally.most),
      COMPILE_LIMITS.locally.usual,
    )
    .addOption(
      new Option('--ruby <host>', 'what runs the Ruby code of modules: see docs/ruby-hosts.md')
        .choices(['wasm', 'process'])
        .default('wasm'),
    )
    .option('--ruby-user <uid:gid>', 'whom a Ruby process runs as; only root can choose', readProcessUser)
    .addOption(
      createRetentionOption(
        '--keep-history <states>',
        'how many earlier states of an environment to keep',
        'historyKept',
      ),
    )
    .addOption(
      createRetentionOption('--keep-code <days>', 'how long to keep code that nothing needs any more', 'codeDays'),
    )
    .addOption(
      createRetentionOption(
        '--keep-reports <days>',
        'how long to keep reports, of a node the last twenty',
        'reportDays',
      ),
    )
    .addOption(
      createRetentionOption('--keep-bucket <days>', 'how long to keep files that nodes backed up', 'bucketDays'),
    );
  return withFrontDoor(withCertificates(command)).allowExcessArguments(false);
}

function withCertificates(command: Command): Command {
  return command
    .option(
      '--autosign [file]',
      'sign certificate requests as they arrive: those that an autosign.conf lists or a program wants signed; without a file all, which is for trials on one machine only',
      false,
    )
    .option('--allow-subject-alt-names', 'sign certificates with names beside their own', false)
    .option('--allow-authorization-extensions', 'sign certificates with extensions like pp_auth_role', false)
    .option(
      '--renewal-hours <hours>',
      "how long a node whose certificate was renewed has to wait for the next renewal, at most a quarter of the certificate's life; 0: no bound",
      wholeNumber(RENEWAL_HOURS.least, RENEWAL_HOURS.most),
      RENEWAL_HOURS.usual,
    )
    .addOption(
      new Option('--ca-key-type <type>', "the CA's keys, when they are made").choices(['rsa', 'ec']).default('rsa'),
    )
    .option(
      '--ca-key-file <file>',
      "seals the CA's key: a passphrase, or random digits (default: ca-key-file of the data directory)",
    )
    .option(
      '--ca-upstream <url>',
      'the Puppet Server that has the CA: its routes are passed on to it; with the next three',
    )
    .option('--tls-certificate <file>', 'our certificate of that CA, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--tls-ca <file>', "that CA's certificates, PEM");
}

function withFrontDoor(command: Command): Command {
  return command
    .option('--pool-address <host>', 'what agents that install.bash installs call the server: HOST or HOST:PORT')
    .option('--access-log <file>', 'append a line of JSON for each request and each compile')
    .option(
      '--auth-conf <file>',
      'who may do what, in the form of an auth.conf of Puppet Server, instead of its own rules',
    )
    .option(
      '--trusted-oid-mapping <file>',
      "short names of certificate extensions in $trusted, as Puppet's setting trusted_oid_mapping_file",
    );
}

function createRetentionOption(flags: string, description: string, name: RetentionName): Option {
  const { usual, least, most } = RETENTION[name];
  return new Option(flags, description).argParser(wholeNumber(least, most)).default(usual);
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

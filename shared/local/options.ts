import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parseWholeNumber, readProcessUser } from '../cli/client/option-values.ts';
import { COMPILE_LIMITS } from '../config/compile-limit.ts';
import { FRONT_DOOR_CONNECTIONS } from '../config/connections.ts';
import { EXPORT_SECONDS } from '../config/export-settings.ts';
import { FACT_SECONDS, readBlockList } from '../config/fact-settings.ts';
import { INVENTORY_QUERIES } from '../config/inventory.ts';
import { LANGUAGE_LEVELS, type LanguageLevel } from '../config/language-level.ts';
import { PENDING_REQUESTS } from '../config/pending-requests.ts';
import { RENEWAL_HOURS } from '../config/renewal.ts';
import { JOB_DAYS, RETENTION, type RetentionName } from '../config/retention.ts';
import { RING_HOURS, VOLATILE_HOURS } from '../config/ring.ts';
import { WARNING_KINDS, type WarningKind } from '../config/strictness.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../puppet/compiler/default-settings.ts';
import type { CompileSettings } from '../puppet/evaluator/ports.ts';
import type { ProcessUser } from '../puppet/ruby/process/process-worker.ts';
import {
  findConfigFile,
  findUnknownVariables,
  InvalidSetting,
  readConfigFile,
  readSettingVariables,
} from './server-settings.ts';

/** The options of `npm start -- …`. */
export interface LocalOptions {
  /** The file with settings. */
  readonly config?: string;
  /** The places where the file or a variable sets an option (`--port`), for messages. */
  readonly places: ReadonlyMap<string, string>;
  /** Absent: nothing is watched but, perhaps, the example. */
  readonly controlRepo?: string;
  /** Whether the operator asked for the example control repo. */
  readonly example: boolean;
  /** Whether to remove environments that the control repo no longer has. */
  readonly purgeEnvironments?: boolean;
  /** Whether symbolic links may lead out of the control repo. */
  readonly followLinks?: boolean;
  readonly data: string;
  /** Names or numbers, `USER[:GROUP]`. */
  readonly user?: string;
  readonly host: string;
  readonly port: number;
  /** The port of the PCP broker, 0 for a free one. */
  readonly pcpPort: number | 'off';
  /** Whether the operator named that port; otherwise there is no broker when it is in use. */
  readonly isPcpPortNamed: boolean;
  readonly pcpPolicy?: string;
  readonly pcpHandshakesPerSecond: number;
  /** The port of PuppetDB's API on loopback, 0 for a free one. No port: no inventory. */
  readonly puppetdbPort?: number;
  /** The port of PuppetDB's API with TLS, 0 for a free one. */
  readonly puppetdbTlsPort?: number;
  /** The file of certnames that may use the port with TLS; absent: all. */
  readonly puppetdbAllowList?: string;
  /** The PuppetDB that gets facts, catalogs and reports. */
  readonly puppetdb?: string;
  /** A PostgreSQL server for the inventory, in place of the data directory. */
  readonly reportUrl?: string;
  readonly reportUrlCa?: string;
  readonly puppetdbDatabase?: string;
  /** Days; 0 for ever. */
  readonly puppetdbNodeTtl: number;
  readonly puppetdbNodePurgeTtl: number;
  readonly puppetdbReportTtl: number;
  readonly puppetdbFactInterval: number;
  /** What one query may take: seconds, rows, megabytes. */
  readonly puppetdbQueryTime: number;
  readonly puppetdbQueryRows: number;
  readonly puppetdbQueryMemory: number;
  readonly puppetdbBlockedFacts?: readonly string[];
  /** The port of the access API, 0 for a free one. */
  readonly accessPort: number | 'off';
  /** Whether the operator named that port; otherwise there is no access API when it is in use. */
  readonly isAccessPortNamed: boolean;
  readonly accessAllowList?: string;
  /** The port of the orchestrator, 0 for a free one. */
  readonly orchestratorPort: number | 'off';
  /** Whether the operator named that port; otherwise there is none when it is in use. */
  readonly isOrchestratorPortNamed: boolean;
  /** The port of the console, 0 for a free one. */
  readonly consolePort: number | 'off';
  /** Whether the operator named that port; otherwise there is no console when it is in use. */
  readonly isConsolePortNamed: boolean;
  /** Days that jobs are kept. */
  readonly keepJobs: number;
  readonly workers: number;
  /** The load average above which no job starts that nobody waits for. */
  readonly maxLoad?: number;
  readonly language: LanguageLevel;
  /** Puppet's settings `strict` and `strict_variables`. */
  readonly strict: CompileSettings['strict'];
  readonly strictVariables: boolean;
  readonly disableWarnings?: readonly WarningKind[];
  /** Time limit of one compile, in seconds. */
  readonly compileTimeLimit: number;
  readonly ruby: 'wasm' | 'process';
  readonly rubyUser?: ProcessUser;
  /** Names of commands that code in Ruby processes may start. */
  readonly rubyCommand?: readonly string[];
  /** Megabytes of each Ruby. */
  readonly rubyMemory?: number;
  /** The user of git, for sources of code. */
  readonly gitUser?: ProcessUser;
  /** `git` in the data directory by default. */
  readonly gitFolder?: string;
  /** The Forge's API. */
  readonly forge?: string;
  /** A number of states, then numbers of days; see `RETENTION`. */
  readonly keepHistory: number;
  readonly keepCode: number;
  readonly keepReports: number;
  readonly keepBucket: number;
  /** Hours of one turn of the ring. */
  readonly ringTurn: number;
  /** Hours after which the ring compiles a volatile catalog again. */
  readonly volatileRest: number;
  /** Seconds; see `EXPORT_SECONDS`. */
  readonly exportDelay: number;
  readonly exportInterval?: number;
  /** A file, or whether to sign all requests. */
  readonly autosign: boolean | string;
  readonly allowSubjectAltNames: boolean;
  readonly allowAuthorizationExtensions: boolean;
  readonly allowWeakKeys: boolean;
  /** Most certificate requests that wait for a signature. */
  readonly maxPendingRequests: number;
  readonly renewalHours: number;
  readonly caKeyType: 'rsa' | 'ec';
  /** `ca-key-file` of the data directory by default. */
  readonly caKeyFile?: string;
  readonly authConf?: string;
  readonly trustedOidMapping?: string;
  /** The external node classifier: a program with its arguments. */
  readonly enc?: string;
  readonly caUpstream?: string;
  /** The existing Puppet Server for nodes whose policy names it, and a PEM file with its CA. */
  readonly compilerUpstream?: string;
  readonly compilerUpstreamCa?: string;
  /** PEM files, required by `caUpstream`. */
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly accessLog?: string;
  readonly poolAddress?: string;
  /** Most connections to the front door at a time. */
  readonly maxConnections: number;
}

export interface LocalDefaults {
  readonly workers: number;
  /** The command's name in its help; `npm start --` by default. */
  readonly name?: string;
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

/**
 * Reads the arguments; what they leave open is set by environment variables (`UNDERSTUDY_PORT`),
 * then by the file of `--config`. Throws UsageExit with the help text or an error message.
 */
export function readLocalOptions(
  args: readonly string[],
  defaults: LocalDefaults,
  variables: Readonly<Record<string, string | undefined>> = {},
): LocalOptions {
  const command = describeCommand(defaults);
  try {
    const file = findConfigFile(args, variables);
    const settings = [
      ...(file === null ? [] : readConfigFile(file, command)),
      ...readSettingVariables(variables, command),
    ];
    const options = parseArguments([...settings.flatMap((one) => one.args), ...args], command);
    // A fault of the command line is named by its option.
    const placed = settings.filter(({ option }) => !args.some((arg) => arg === option || arg.startsWith(`${option}=`)));
    return { ...options, places: new Map(placed.map(({ option, place }) => [option, place])) };
  } catch (error) {
    if (error instanceof InvalidSetting) throw new UsageExit(`error: ${error.message}`, 1);
    throw error;
  }
}

/** Environment variables with our prefix that nothing reads, each in a sentence. */
export function listUnknownVariables(
  variables: Readonly<Record<string, string | undefined>>,
  defaults: LocalDefaults,
): readonly string[] {
  return findUnknownVariables(variables, describeCommand(defaults));
}

function parseArguments(args: readonly string[], command: Command): Omit<LocalOptions, 'places'> {
  let written = '';
  command.exitOverride().configureOutput({ writeOut: take, writeErr: take });
  function take(text: string) {
    written += text;
  }
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageExit(written.trimEnd(), error.exitCode);
    throw error;
  }
  const isPcpPortNamed = command.getOptionValueSource('pcpPort') === 'cli';
  const isAccessPortNamed = command.getOptionValueSource('accessPort') === 'cli';
  const isOrchestratorPortNamed = command.getOptionValueSource('orchestratorPort') === 'cli';
  const isConsolePortNamed = command.getOptionValueSource('consolePort') === 'cli';
  const named = { isPcpPortNamed, isAccessPortNamed, isOrchestratorPortNamed, isConsolePortNamed };
  const given = command.opts<Omit<LocalOptions, keyof typeof named | 'strictVariables' | 'places'> & StrictVariables>();
  return { ...given, ...named, strictVariables: given.strictVariables !== 'false' };
}

interface StrictVariables {
  readonly strictVariables?: 'true' | 'false';
}

/** The command of a server with all its options. */
export function describeCommand(defaults: LocalDefaults): Command {
  const command = new Command(defaults.name ?? 'npm start --')
    .description('Runs all of Understudy in one process: TLS front door, certificate authority, queue, compilers.')
    .option(
      '--config <file>',
      'settings, in YAML or TOML (FILE.toml): the names of these options with their values; an environment variable such as UNDERSTUDY_PORT precedes the file, and an option both',
    )
    .option(
      '--user <user[:group]>',
      'run as this user: the server gives up the rights of root before it opens anything',
    )
    .option(
      '--control-repo <dir>',
      'deploy the environments of this control repo, and again when a file changes; without this option, deployed code stays in force',
    )
    .addOption(
      new Option(
        '--example',
        'deploy the example control repo while no other code is deployed; `npm start` in a checkout does so for a fresh data directory that only this machine reaches',
      )
        .default(false, 'no')
        .conflicts('controlRepo'),
    )
    .option(
      '--purge-environments',
      'remove environments whose folder in the control repo is gone; without this option, they stay in force',
    )
    .option('--follow-links', 'follow symbolic links that lead out of the control repo; without it, they are refused')
    .option('--git-user <uid:gid>', 'the user of git, for `understudy code sources`; requires root', readProcessUser)
    .option('--git-folder <dir>', 'where copies of git repositories are kept (default: git in the data directory)')
    .option('--forge <url>', "the Forge's API, for Puppetfiles")
    .option('--data <dir>', 'the data directory, for nodes, catalogs, certificates and the queue', '.understudy')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 for a free one', parseWholeNumber(0, 65_535), 8140)
    .addOption(
      new Option(
        '--pcp-port <number>',
        'the port of the PCP broker, for PXP agents; 0 for a free one, off for no broker',
      )
        .argParser(readOptionalPort)
        .default(PCP_PORT, '8142 if it is free'),
    )
    .option(
      '--pcp-policy <file>',
      'who may send which PCP messages, in the form of auth.conf (default: requests to agents need a certificate with pp_cli_auth)',
    )
    .option(
      '--pcp-handshakes-per-second <number>',
      'close further connections to the PCP broker before TLS, so that agents back off',
      parseWholeNumber(1, 100_000),
      100,
    )
    .option(
      '--puppetdb-port <number>',
      "the port of PuppetDB's query and command API, without TLS and on loopback only; 0 for a free one (default: no inventory)",
      parseWholeNumber(0, 65_535),
    )
    .option(
      '--puppetdb-tls-port <number>',
      "the port of PuppetDB's API with TLS, for clients with a certificate of the CA or a token; 0 for a free one (PuppetDB's own is 8081)",
      parseWholeNumber(0, 65_535),
    )
    .option(
      '--puppetdb-allow-list <file>',
      'certnames, one a line, whose certificates may use the port with TLS (default: all, as with PuppetDB)',
    )
    .option(
      '--puppetdb <url>',
      'send facts, catalogs and reports to this PuppetDB (https://HOST:8081), with our certificate or that of --tls-certificate, --tls-key and --tls-ca',
    )
    .option(
      '--report-url <url>',
      "send each report to this address (https://HOST/PATH) as Puppet's report processor http does, with our certificate or that of --tls-certificate and --tls-key",
    )
    .option(
      '--report-url-ca <file>',
      'the certificates of the CA of --report-url, PEM (default: the CA of our own certificate)',
    )
    .option(
      '--puppetdb-database <url>',
      'keep the inventory in this PostgreSQL database (postgresql://user:password@host/name) and not in the data directory',
    )
    .option(
      '--puppetdb-node-ttl <days>',
      'how long after its last news a node expires in the inventory; 0 for never',
      parseWholeNumber(0, 3650),
      7,
    )
    .option(
      '--puppetdb-node-purge-ttl <days>',
      'how long after a node expired or was deactivated the inventory deletes it; 0 for never',
      parseWholeNumber(0, 3650),
      14,
    )
    .option(
      '--puppetdb-report-ttl <days>',
      'how long the inventory keeps reports; 0 for ever',
      parseWholeNumber(0, 3650),
      14,
    )
    .option(
      '--puppetdb-fact-interval <seconds>',
      'how often facts that change at each run (uptime, load, free memory) are stored for the inventory',
      parseWholeNumber(FACT_SECONDS.least, FACT_SECONDS.most),
      FACT_SECONDS.usual,
    )
    .option(
      '--puppetdb-query-time <seconds>',
      'how long a query of the inventory may take',
      parseWholeNumber(1, INVENTORY_QUERIES.seconds.most),
      INVENTORY_QUERIES.seconds.usual,
    )
    .option(
      '--puppetdb-query-rows <number>',
      'how many rows the answer to a query of the inventory may have',
      parseWholeNumber(1, INVENTORY_QUERIES.rows.most),
      INVENTORY_QUERIES.rows.usual,
    )
    .option(
      '--puppetdb-query-memory <megabytes>',
      'memory of a query of the inventory: a quarter of it for each sort, which then goes on disk, and all of it for a row',
      parseWholeNumber(INVENTORY_QUERIES.megabytes.least, INVENTORY_QUERIES.megabytes.most),
      INVENTORY_QUERIES.megabytes.usual,
    )
    .option(
      '--puppetdb-blocked-facts <names>',
      'facts that the inventory does not keep: names, and regular expressions as /^docker_/, separated by commas',
      readBlockedFacts,
    )
    .option(
      '--workers <number>',
      'how many catalogs to compile in parallel',
      parseWholeNumber(1, 256),
      defaults.workers,
    )
    .option(
      '--max-load <average>',
      'while the load average of the last minute is higher, start only compiles that a node waits for; without this option, the load does not matter',
      readLoadLimit,
    )
    .option(
      '--compile-time-limit <seconds>',
      "the time limit of one compile; a longer compile is a failure of the node's code",
      parseWholeNumber(1, COMPILE_LIMITS.locally.most),
      COMPILE_LIMITS.locally.usual,
    )
    .addOption(
      new Option(
        '--language <level>',
        'the language of code: that of Puppet 8 (8.10), OpenVox 8 or OpenVox 9; see docs/openvox.md. A change compiles all nodes again',
      )
        .choices(LANGUAGE_LEVELS)
        .default(DEFAULT_COMPILE_SETTINGS.language),
    )
    .addOption(
      new Option(
        '--strict <level>',
        "Puppet's setting: what a compile does about doubtful code; Puppet 7 has warning. A change compiles all nodes again",
      )
        .choices(['off', 'warning', 'error'])
        .default(DEFAULT_COMPILE_SETTINGS.strict),
    )
    .addOption(
      new Option(
        '--strict-variables <boolean>',
        "Puppet's setting: whether an unknown variable is an error, also without --strict error; Puppet 7 has false (default: true)",
      ).choices(['true', 'false']),
    )
    .addOption(
      new Option(
        '--disable-warnings <kinds...>',
        "Puppet's setting: kinds of warnings that compiles do not log; by default none",
      ).choices(WARNING_KINDS),
    )
    .addOption(
      new Option('--ruby <host>', 'the host of the Ruby code of modules: see docs/ruby-hosts.md')
        .choices(['wasm', 'process'])
        .default('wasm'),
    )
    .option('--ruby-user <uid:gid>', 'the user of Ruby processes; requires root', readProcessUser)
    .option('--ruby-command <names...>', 'commands that Ruby processes may start; by default none')
    .option(
      '--ruby-memory <megabytes>',
      'the most memory of the Ruby of each compile worker (default: 512, and 1024 for processes)',
      parseWholeNumber(128, 3072),
    )
    .addOption(
      createRetentionOption(
        '--keep-history <states>',
        'how many earlier states of an environment to keep',
        'historyKept',
      ),
    )
    .addOption(createRetentionOption('--keep-code <days>', 'how long to keep code that nothing needs', 'codeDays'))
    .addOption(
      createRetentionOption(
        '--keep-reports <days>',
        'how long to keep reports, at most twenty of a node',
        'reportDays',
      ),
    )
    .addOption(
      createRetentionOption('--keep-bucket <days>', 'how long to keep files that nodes backed up', 'bucketDays'),
    );
  command.option(
    '--ring-turn <hours>',
    'the time in which each node is verified once, also when nothing that it uses changed',
    parseWholeNumber(RING_HOURS.least, RING_HOURS.most),
    RING_HOURS.usual,
  );
  command.option(
    '--volatile-rest <hours>',
    'the age at which a volatile catalog (one that uses time() or the like) is compiled again',
    parseWholeNumber(VOLATILE_HOURS.least, VOLATILE_HOURS.most),
    VOLATILE_HOURS.usual,
  );
  command
    .option(
      '--export-delay <seconds>',
      'how long a changed export waits for more changes before the nodes that collect it are compiled',
      parseWholeNumber(EXPORT_SECONDS.delay.least, EXPORT_SECONDS.delay.most),
      EXPORT_SECONDS.delay.usual,
    )
    .option(
      '--export-interval <seconds>',
      'the least time between two compiles of a node for changed exports alone (default: five times as long as its last compile took, at least the delay)',
      parseWholeNumber(EXPORT_SECONDS.interval.least, EXPORT_SECONDS.interval.most),
    );
  return withFrontDoor(withCertificates(command)).allowExcessArguments(false);
}

function withCertificates(command: Command): Command {
  return command
    .option(
      '--autosign [file]',
      'sign certificate requests automatically: those that an autosign.conf lists or a policy program accepts; without a file, all of them, which is only for trials on one machine',
      false,
    )
    .option('--allow-subject-alt-names', 'sign requests with alternative names', false)
    .option(
      '--allow-authorization-extensions',
      'sign requests with extensions that grant permissions, such as pp_auth_role',
      false,
    )
    .option('--allow-weak-keys', 'sign requests with RSA keys below 2048 bits, curves below 256 bits, or SHA-1', false)
    .option(
      '--max-pending-requests <number>',
      'how many certificate requests may wait for a signature before no more are accepted',
      parseWholeNumber(PENDING_REQUESTS.least, PENDING_REQUESTS.most),
      PENDING_REQUESTS.usual,
    )
    .option(
      '--renewal-hours <hours>',
      "the least time between two renewals of a node's certificate, at most a quarter of the certificate's life; 0: no bound",
      parseWholeNumber(RENEWAL_HOURS.least, RENEWAL_HOURS.most),
      RENEWAL_HOURS.usual,
    )
    .addOption(
      new Option('--ca-key-type <type>', "the type of the CA's keys, when they are created")
        .choices(['rsa', 'ec'])
        .default('rsa'),
    )
    .option(
      '--ca-key-file <file>',
      "the file that seals the CA's key, with a passphrase or random digits (default: ca-key-file in the data directory)",
    )
    .option(
      '--ca-upstream <url>',
      'the Puppet Server that is the CA; requests to the CA are forwarded to it. Requires the next three options',
    )
    .option(
      '--compiler-upstream <url>',
      'the existing Puppet Server that compiles for nodes whose policy `compiler` says so: see docs/moving-over.md',
    )
    .option('--compiler-upstream-ca <file>', "the CA of that server's certificate, PEM (default: our own)")
    .option('--tls-certificate <file>', 'our certificate from that CA, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--tls-ca <file>', "that CA's certificates, PEM");
}

function withFrontDoor(command: Command): Command {
  return command
    .option('--pool-address <host>', 'the server address for agents that install.bash installs: HOST or HOST:PORT')
    .option(
      '--max-connections <number>',
      'how many connections the front door has at a time; one more closes the longest idle one',
      parseWholeNumber(FRONT_DOOR_CONNECTIONS.least, FRONT_DOOR_CONNECTIONS.most),
      FRONT_DOOR_CONNECTIONS.usual,
    )
    .option(
      '--access-log <file>',
      'append one line of JSON to this file for each request, each compile and each decision about users',
    )
    .addOption(
      new Option(
        '--access-port <number>',
        'the port of the access API, for users and tokens; 0 for a free one, off for none',
      )
        .argParser(readOptionalPort)
        .default(ACCESS_PORT, '4433 if it is free'),
    )
    .addOption(
      new Option(
        '--orchestrator-port <number>',
        'the port of the orchestrator, which runs Puppet and tasks on nodes; 0 for a free one, off for none',
      )
        .argParser(readOptionalPort)
        .default(ORCHESTRATOR_PORT, '8143 if it is free'),
    )
    .addOption(
      new Option(
        '--console-port <number>',
        'the port of the console, for people with browsers; 0 for a free one, off for none',
      )
        .argParser(readOptionalPort)
        .default(CONSOLE_PORT, '8443 if it is free'),
    )
    .option(
      '--keep-jobs <days>',
      'how long to keep jobs of the orchestrator',
      parseWholeNumber(JOB_DAYS.least, JOB_DAYS.most),
      JOB_DAYS.usual,
    )
    .option(
      '--access-allow-list <file>',
      'certnames, one a line, whose certificates may do everything at the access API',
    )
    .option(
      '--enc <program>',
      'an external node classifier, asked at each check-in for nodes that neither the operator nor node groups classify: see docs/classification.md',
    )
    .option(
      '--auth-conf <file>',
      "authorization rules in the form of Puppet Server's auth.conf; they replace the default rules",
    )
    .option(
      '--trusted-oid-mapping <file>',
      "names of certificate extensions in $trusted, in the form of Puppet's trusted_oid_mapping_file",
    );
}

const PCP_PORT = 8142;
const ACCESS_PORT = 4433;
const ORCHESTRATOR_PORT = 8143;
const CONSOLE_PORT = 8443;

function readOptionalPort(text: string): number | 'off' {
  return text === 'off' ? text : parseWholeNumber(0, 65_535)(text);
}

function createRetentionOption(flags: string, description: string, name: RetentionName): Option {
  const { usual, least, most } = RETENTION[name];
  return new Option(flags, description).argParser(parseWholeNumber(least, most)).default(usual);
}

function readLoadLimit(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('It must be a positive number.');
}

function readBlockedFacts(text: string): readonly string[] {
  try {
    return readBlockList(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

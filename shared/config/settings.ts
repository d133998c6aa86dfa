import { LANGUAGE_LEVELS } from './language-level.ts';
import { USUALLY_LEFT_OUT } from './left-out.ts';
import type { SettingRow, SettingValue } from './setting-row.ts';
import { DEFAULT_STRICTNESS, STRICT_LEVELS, WARNING_KINDS } from './strictness.ts';

const PORT = { kind: 'number', of: 'number', least: 0, most: 65_535 } as const;
const DAYS = { kind: 'number', of: 'days', least: 0, most: 3650 } as const;
const AWS = { section: 'settings' } as const;
const AWS_INVENTORY = { section: 'inventory' } as const;

/** Connections of a compile worker to `--database`, at most. */
export const WORKER_CONNECTIONS = 3;

/**
 * All settings of a server, in the order of its help. `aws` marks those that a deployment in AWS
 * has, too. Everything else follows from this table: options, configuration files, environment
 * variables, the context of the CDK, docs/settings.md.
 */
export const SETTINGS = {
  user: {
    kind: 'text',
    of: 'user[:group]',
    help: 'run as this user: the server gives up the rights of root before it opens anything',
  },
  controlRepo: {
    kind: 'text',
    of: 'dir',
    help: 'deploy the environments of this control repo, and again when a file changes; without this option, deployed code stays in force',
  },
  example: {
    kind: 'flag',
    usualText: 'no',
    conflicts: 'controlRepo',
    help: 'deploy the example control repo while no other code is deployed; `npm start` in a checkout does so for a fresh data directory that only this machine reaches',
  },
  purgeEnvironments: {
    kind: 'flag',
    help: 'remove environments whose folder in the control repo is gone; without this option, they stay in force',
  },
  followLinks: {
    kind: 'flag',
    help: 'follow symbolic links that lead out of the control repo; without it, they are refused',
  },
  leaveOut: {
    kind: 'text',
    of: 'names',
    usual: USUALLY_LEFT_OUT.join(','),
    help: 'names of files and folders that a deploy leaves out, separated by commas; `none` for none. Puppet serves them',
  },
  gitUser: { kind: 'user', of: 'uid:gid', help: 'the user of git, for `understudy code sources`; requires root' },
  gitFolder: {
    kind: 'text',
    of: 'dir',
    help: 'where copies of git repositories are kept (default: git in the data directory)',
  },
  forge: { kind: 'text', of: 'url', help: "the Forge's API, for Puppetfiles" },
  data: {
    kind: 'text',
    of: 'dir',
    usual: '.understudy',
    help: 'the data directory, for nodes, catalogs, certificates and the queue',
  },
  database: {
    kind: 'text',
    of: 'url',
    help: 'keep the state of the fleet in this PostgreSQL database (postgresql://user@host:5432/name), which any number of servers share, and not in the data directory; a password belongs into UNDERSTUDY_DATABASE or the configuration file',
  },
  databaseConnections: {
    kind: 'number',
    of: 'number',
    usual: 16,
    least: 2,
    most: 200,
    help: `most connections of the server to --database; each compile worker has up to ${WORKER_CONNECTIONS} more`,
  },
  blobs: {
    kind: 'text',
    of: 'url',
    help: 'keep catalogs, code and reports in this bucket (s3://bucket?endpoint=https://host:9000&region=R) and not in --database; the same on all servers',
  },
  blobCache: {
    kind: 'number',
    of: 'megabytes',
    usual: 2048,
    least: 0,
    most: 1_000_000,
    help: 'the most space in the data directory for copies of code that was read from --database or --blobs; 0: no copies',
  },
  keyFile: {
    kind: 'text',
    of: 'file',
    help: 'the file that seals kept values, the same on all servers of a --database (default: values-key-file in the data directory)',
  },
  serverName: {
    kind: 'text',
    of: 'name',
    help: 'the name under which agents reach the server, in $servername and in its certificate (default: the host name)',
  },
  serverNames: {
    kind: 'names',
    of: 'names',
    help: 'further names and addresses of the server in its certificate, such as that of a load balancer',
  },
  serverAddress: {
    kind: 'text',
    of: 'address',
    help: 'the address in $serverip (default: that of --host); servers of one fleet need the same',
  },
  drainTime: {
    kind: 'number',
    of: 'seconds',
    usual: 0,
    least: 0,
    most: 3600,
    help: 'how long a server still takes connections after SIGTERM while its status says `stopping`, so that load balancers leave it in time',
  },
  host: { kind: 'text', of: 'address', usual: '127.0.0.1', help: 'the address to listen on' },
  port: { ...PORT, usual: 8140, help: 'the port to listen on; 0 for a free one' },
  pcpPort: {
    kind: 'port',
    usual: 8142,
    help: 'the port of the PCP broker, for PXP agents; 0 for a free one, off for no broker',
  },
  pcpPolicy: {
    kind: 'text',
    of: 'file',
    help: 'who may send which PCP messages, in the form of auth.conf (default: requests to agents need a certificate with pp_cli_auth)',
  },
  pcpHandshakesPerSecond: {
    kind: 'number',
    of: 'number',
    usual: 100,
    least: 1,
    most: 100_000,
    help: 'close further connections to the PCP broker before TLS, so that agents back off; up to four times as many begin while the server has time to spare',
  },
  puppetdbPort: {
    ...PORT,
    help: "the port of PuppetDB's query and command API, without TLS and on loopback only; 0 for a free one (default: no inventory)",
  },
  puppetdbTlsPort: {
    ...PORT,
    help: "the port of PuppetDB's API with TLS, for clients with a certificate of the CA or a token; 0 for a free one (PuppetDB's own is 8081)",
  },
  puppetdbAllowList: {
    kind: 'text',
    of: 'file',
    help: 'certnames, one a line, whose certificates may use the port with TLS (default: all, as with PuppetDB)',
  },
  puppetdb: {
    kind: 'text',
    of: 'url',
    help: 'send facts, catalogs and reports to this PuppetDB (https://HOST:8081), with our certificate or that of --tls-certificate, --tls-key and --tls-ca',
  },
  reportUrl: {
    kind: 'text',
    of: 'url',
    help: "send each report to this address (https://HOST/PATH) as Puppet's report processor http does, with our certificate or that of --tls-certificate and --tls-key",
  },
  reportUrlCa: {
    kind: 'text',
    of: 'file',
    help: 'the certificates of the CA of --report-url, PEM (default: the CA of our own certificate)',
  },
  alertUrl: {
    kind: 'text',
    of: 'url',
    aws: { section: 'settings' },
    help: 'post each failure of nodes that begins or ends to this webhook (https://HOST/PATH), as JSON with the member `text` that Slack reads; an address that is a secret belongs into UNDERSTUDY_ALERT_URL or the configuration file',
  },
  alertUrlCa: {
    kind: 'text',
    of: 'file',
    help: 'the certificates of the CA of --alert-url, PEM (default: the public CAs)',
  },
  puppetdbDatabase: {
    kind: 'text',
    of: 'url',
    help: 'keep the inventory in this PostgreSQL database (postgresql://user:password@host/name) and not in the data directory',
  },
  puppetdbNodeTtl: {
    ...DAYS,
    usual: 7,
    aws: AWS_INVENTORY,
    help: 'how long after its last news a node expires in the inventory; 0 for never',
  },
  puppetdbNodePurgeTtl: {
    ...DAYS,
    usual: 14,
    aws: AWS_INVENTORY,
    help: 'how long after a node expired or was deactivated the inventory deletes it; 0 for never',
  },
  puppetdbReportTtl: {
    ...DAYS,
    usual: 14,
    aws: AWS_INVENTORY,
    help: 'how long the inventory keeps reports; 0 for ever',
  },
  puppetdbFactInterval: {
    kind: 'number',
    of: 'seconds',
    usual: 3600,
    least: 0,
    most: 86_400,
    aws: AWS_INVENTORY,
    help: 'how often facts that change at each run (uptime, load, free memory) are stored for the inventory',
  },
  // A minute is PuppetDB's own limit; more rows are a mistake.
  puppetdbQueryTime: {
    kind: 'number',
    of: 'seconds',
    usual: 60,
    least: 1,
    most: 3600,
    // API Gateway ends a request after 30 seconds.
    aws: { ...AWS_INVENTORY, usual: 25, most: 25 },
    help: 'how long a query of the inventory may take',
  },
  puppetdbQueryRows: {
    kind: 'number',
    of: 'number',
    usual: 5_000_000,
    least: 1,
    most: 1_000_000_000,
    // More do not fit into an answer.
    aws: { ...AWS_INVENTORY, usual: 500_000, most: 500_000 },
    help: 'how many rows the answer to a query of the inventory may have',
  },
  puppetdbQueryMemory: {
    kind: 'number',
    of: 'megabytes',
    usual: 64,
    least: 4,
    most: 4096,
    aws: AWS_INVENTORY,
    help: 'memory of a query of the inventory: a quarter of it for each sort, which then goes on disk, and all of it for a row',
  },
  puppetdbBlockedFacts: {
    kind: 'facts',
    of: 'names',
    aws: AWS_INVENTORY,
    help: 'facts that the inventory does not keep: names, and regular expressions as /^docker_/, separated by commas',
  },
  workers: {
    kind: 'number',
    of: 'number',
    usual: 1,
    least: 1,
    most: 256,
    help: 'how many catalogs to compile in parallel',
  },
  maxLoad: {
    kind: 'load',
    of: 'average',
    help: 'while the load average of the last minute is higher, start only compiles that a node waits for; without this option, the load does not matter',
  },
  compileTimeLimit: {
    kind: 'number',
    of: 'seconds',
    usual: 300,
    least: 1,
    most: 3600,
    // Lambda ends a function after 15 minutes.
    aws: { ...AWS, usual: 75, most: 450 },
    help: "the time limit of one compile; a longer compile is a failure of the node's code",
  },
  language: {
    kind: 'choice',
    of: 'level',
    choices: LANGUAGE_LEVELS,
    usual: DEFAULT_STRICTNESS.language,
    aws: AWS,
    help: 'the language of code: that of Puppet 8 (8.10), OpenVox 8 or OpenVox 9; see docs/openvox.md. A change compiles all nodes again',
  },
  strict: {
    kind: 'choice',
    of: 'level',
    choices: STRICT_LEVELS,
    usual: DEFAULT_STRICTNESS.strict,
    aws: AWS,
    puppet: 'strict',
    help: "Puppet's setting: what a compile does about doubtful code; Puppet 7 has warning. A change compiles all nodes again",
  },
  strictVariables: {
    kind: 'boolean',
    of: 'boolean',
    usual: DEFAULT_STRICTNESS.strictVariables,
    aws: AWS,
    puppet: 'strict_variables',
    help: "Puppet's setting: whether an unknown variable is an error, also without --strict error; Puppet 7 has false",
  },
  disableWarnings: {
    kind: 'choices',
    of: 'kinds...',
    choices: WARNING_KINDS,
    aws: AWS,
    help: "Puppet's setting: kinds of warnings that compiles do not log; by default none",
  },
  ruby: {
    kind: 'choice',
    of: 'host',
    choices: ['wasm', 'process'],
    usual: 'wasm',
    help: 'the host of the Ruby code of modules: see docs/ruby-hosts.md',
  },
  rubyUser: { kind: 'user', of: 'uid:gid', help: 'the user of Ruby processes; requires root' },
  rubyCommand: { kind: 'names', of: 'names...', help: 'commands that Ruby processes may start; by default none' },
  rubyMemory: {
    kind: 'number',
    of: 'megabytes',
    least: 128,
    most: 3072,
    help: 'the most memory of the Ruby of each compile worker (default: 512, and 1024 for processes)',
  },
  keepHistory: {
    kind: 'number',
    of: 'states',
    usual: 50,
    least: 1,
    most: 50,
    aws: AWS,
    help: 'how many earlier states of an environment to keep',
  },
  // An agent may still have a catalog that names the code.
  keepCode: { ...DAYS, usual: 14, least: 1, aws: AWS, help: 'how long to keep code that nothing needs' },
  keepReports: { ...DAYS, usual: 30, least: 1, aws: AWS, help: 'how long to keep reports, at most twenty of a node' },
  // An agent uploads a file again if it last did so more than a month ago.
  keepBucket: { ...DAYS, usual: 365, least: 60, aws: AWS, help: 'how long to keep files that nodes backed up' },
  ringTurn: {
    kind: 'number',
    of: 'hours',
    usual: 24,
    least: 1,
    most: 720,
    aws: AWS,
    help: 'the time in which each node is verified once, also when nothing that it uses changed',
  },
  volatileRest: {
    kind: 'number',
    of: 'hours',
    usual: 6,
    least: 1,
    most: 720,
    aws: AWS,
    help: 'the age at which a volatile catalog (one that uses time() or the like) is compiled again',
  },
  // The event source of a DynamoDB stream gathers records for five minutes at most.
  exportDelay: {
    kind: 'number',
    of: 'seconds',
    usual: 15,
    least: 0,
    most: 300,
    aws: AWS,
    help: 'how long a changed export waits for more changes before the nodes that collect it are compiled',
  },
  exportInterval: {
    kind: 'number',
    of: 'seconds',
    least: 0,
    most: 21_600,
    aws: AWS,
    help: 'the least time between two compiles of a node for changed exports alone (default: five times as long as its last compile took, at least the delay)',
  },
  autosign: {
    kind: 'textOrFlag',
    of: 'file',
    help: 'sign certificate requests automatically: those that an autosign.conf lists or a policy program accepts; without a file, all of them, which is only for trials on one machine',
  },
  allowSubjectAltNames: { kind: 'flag', aws: AWS, help: 'sign requests with alternative names' },
  allowAuthorizationExtensions: {
    kind: 'flag',
    aws: AWS,
    help: 'sign requests with extensions that grant permissions, such as pp_auth_role',
  },
  allowWeakKeys: {
    kind: 'flag',
    aws: AWS,
    help: 'sign requests with RSA keys below 2048 bits, curves below 256 bits, or SHA-1',
  },
  // Anyone may send one, of at most 64 KB. A large fleet whose nodes all wait takes 20 MB.
  maxPendingRequests: {
    kind: 'number',
    of: 'number',
    usual: 10_000,
    least: 1,
    most: 1_000_000,
    aws: AWS,
    help: 'how many certificate requests may wait for a signature before no more are accepted',
  },
  renewalHours: {
    kind: 'number',
    of: 'hours',
    usual: 24,
    least: 0,
    most: 8760,
    aws: AWS,
    help: "the least time between two renewals of a node's certificate, at most a quarter of the certificate's life; 0: no bound",
  },
  caKeyType: {
    kind: 'choice',
    of: 'type',
    choices: ['rsa', 'ec'],
    usual: 'rsa',
    help: "the type of the CA's keys, when they are created",
  },
  caKeyFile: {
    kind: 'text',
    of: 'file',
    help: "the file that seals the CA's key, with a passphrase or random digits (default: ca-key-file in the data directory)",
  },
  caUpstream: {
    kind: 'text',
    of: 'url',
    help: 'the Puppet Server that is the CA; requests to the CA are forwarded to it. Requires --tls-certificate, --tls-key and --tls-ca',
  },
  compilerUpstream: {
    kind: 'text',
    of: 'url',
    help: 'the existing Puppet Server that compiles for nodes whose policy `compiler` says so: see docs/moving-over.md',
  },
  compilerUpstreamCa: { kind: 'text', of: 'file', help: "the CA of that server's certificate, PEM (default: our own)" },
  tlsCertificate: { kind: 'text', of: 'file', help: 'our certificate from that CA, PEM' },
  tlsKey: { kind: 'text', of: 'file', help: 'its key, PEM' },
  tlsCa: { kind: 'text', of: 'file', help: "that CA's certificates, PEM" },
  poolAddress: {
    kind: 'text',
    of: 'host',
    help: 'the server address for agents that install.bash installs: HOST or HOST:PORT',
  },
  // More than the 8,000 catalog requests that a front door reads, holds and answers at a time. An
  // idle connection takes 36 KB.
  maxConnections: {
    kind: 'number',
    of: 'number',
    usual: 10_000,
    least: 1,
    most: 1_000_000,
    help: 'how many connections the front door has at a time; one more closes the longest idle one',
  },
  accessLog: {
    kind: 'text',
    of: 'file',
    help: 'append one line of JSON to this file for each request, each compile and each decision about users',
  },
  accessPort: {
    kind: 'port',
    usual: 4433,
    help: 'the port of the access API, for users and tokens; 0 for a free one, off for none',
  },
  orchestratorPort: {
    kind: 'port',
    usual: 8143,
    help: 'the port of the orchestrator, which runs Puppet and tasks on nodes; 0 for a free one, off for none',
  },
  consolePort: {
    kind: 'port',
    usual: 8443,
    help: 'the port of the console, for people with browsers; 0 for a free one, off for none',
  },
  keepJobs: {
    ...DAYS,
    usual: 30,
    least: 2,
    aws: { section: 'orchestrator' },
    help: 'how long to keep jobs of the orchestrator',
  },
  accessAllowList: {
    kind: 'text',
    of: 'file',
    help: 'certnames, one a line, whose certificates may do everything at the access API',
  },
  enc: {
    kind: 'text',
    of: 'program',
    help: 'an external node classifier, asked at each check-in for nodes that neither the operator nor node groups classify: see docs/classification.md',
  },
  authConf: {
    kind: 'text',
    of: 'file',
    aws: AWS,
    help: "authorization rules in the form of Puppet Server's auth.conf; they replace the default rules",
  },
  trustedOidMapping: {
    kind: 'text',
    of: 'file',
    aws: AWS,
    puppet: 'trusted_oid_mapping_file',
    help: "names of certificate extensions in $trusted, in the form of Puppet's trusted_oid_mapping_file",
  },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof SETTINGS;

/** The values of all settings. */
export type SettingValues = { readonly [N in SettingName]: SettingValue<(typeof SETTINGS)[N]> };

/** The names of the settings that a section of the context in AWS has. */
export type NameInAws<S> = {
  [N in SettingName]: (typeof SETTINGS)[N] extends { aws: { section: S } } ? N : never;
}[SettingName];

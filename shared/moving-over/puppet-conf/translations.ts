import { basename, dirname, posix } from 'node:path';
import { optionOf } from '../../config/read-setting.ts';
import { parseSetting, type SettingRow } from '../../config/setting-row.ts';
import { SETTINGS } from '../../config/settings.ts';
import type { ConfValues } from './conf-values.ts';
import {
  because,
  IN_DATA_DIRECTORY,
  InvalidConfValue,
  ignored,
  OF_LOG,
  operatorStep,
  setting,
  type Translation,
} from './translation.ts';

export type Translate = (value: string, values: ConfValues) => Translation;

const BY_DEPLOY = 'compiles use deployed code, and a deploy is in force at once';
const OF_AGENTS = 'agents read it, not the server';

/** The settings of compiles and of code. */
const CODE: Readonly<Record<string, Translate>> = {
  disable_warnings: (value) =>
    value.trim() === ''
      ? ignored('as here: it is the default')
      : operatorStep(`start the server with --disable-warnings ${value.split(/[\s,]+/).join(' ')}`),
  environmentpath: translateEnvironmentPath,
  codedir: (_, values) => (values.find('environmentpath') ? ignored('environmentpath says it') : controlRepo(values)),
  basemodulepath: (value, values) => {
    const folder = `${dirname(firstFolder(values.read('environmentpath')))}/modules`;
    const others = value.split(':').filter((one) => one !== folder && one !== '/opt/puppetlabs/puppet/modules');
    if (others.length === 0) return ignored("as here: modules of the control repo's folder are shared");
    return operatorStep(`move the modules of ${others.join(', ')} to ${folder}, which all environments share`);
  },
  hiera_config: (value, values) => {
    const file = `${dirname(firstFolder(values.read('environmentpath')))}/hiera.yaml`;
    if (value === file) return ignored("as here: hiera.yaml of the control repo's folder is the global layer");
    return operatorStep(`copy ${value} to ${file}, the global layer of Hiera`);
  },
  default_manifest: (value) =>
    value === './manifests'
      ? ignored('as here: it is the default')
      : operatorStep(`set 'manifest = ${value}' in each environment.conf`),
  disable_per_environment_manifest: (value) =>
    readBoolean('disable_per_environment_manifest', value)
      ? operatorStep("leave 'manifest' out of each environment.conf: an environment's own manifest counts here")
      : ignored('as here: it is the default'),
  environment_timeout: because(`${BY_DEPLOY}: there is no cache to expire`),
  versioned_environment_dirs: because(BY_DEPLOY),
  config_version: because('environment.conf decides; the version of a catalog is otherwise the time of its compile'),
  static_catalogs: (value) => asHere('static_catalogs', value, true, 'catalogs are static for agents that ask for it'),
  rich_data: (value) => asHere('rich_data', value, true, 'catalogs have rich data for agents that ask for it'),
  storeconfigs: (value, values) =>
    readBoolean('storeconfigs', value) ? translatePuppetDb(values) : ignored('exported resources are always kept'),
  storeconfigs_backend: because('the store keeps exported resources'),
  catalog_terminus: because('the compiler is our own'),
  catalog_cache_terminus: because('the store keeps catalogs'),
  facts_terminus: because('the store keeps facts'),
};

/** The settings of classification, certificates and reports. */
const FLEET: Readonly<Record<string, Translate>> = {
  node_terminus: translateNodeTerminus,
  external_nodes: (_, values) =>
    values.find('node_terminus')?.value === 'exec'
      ? ignored('node_terminus says it')
      : ignored("node_terminus is not 'exec': Puppet does not ask it either"),
  trusted_external_command: () =>
    operatorStep('$trusted.external stays empty: no command runs. Move what code reads of it'),
  autosign: (value) =>
    /^(true|false)$/.test(value) ? setting({ autosign: value === 'true' }) : setting({ autosign: value }),
  dns_alt_names: () =>
    operatorStep(
      "the server's certificate has the name of the host, 'puppet' and the address of 'host': let agents use one of them",
    ),
  certname: (value) =>
    operatorStep(`the certificate has the name of the host: let it be '${value}', or agents use that name`),
  ca: (value, values) => (readBoolean('ca', value) ? ignored('as here: it is the default') : upstream(values)),
  ca_name: (value) =>
    operatorStep(`understudy ca import keeps the name; for a new CA: understudy ca setup --name '${value}'`),
  cadir: (value) => operatorStep(`understudy ca import ${value}`),
  ca_ttl: (value) =>
    /^(5y|1825d|157680000s?)$/.test(value)
      ? ignored('as here: certificates are valid for five years')
      : ignored('certificates are valid for five years'),
  reports: translateReports,
  reporturl: (value, values) =>
    reportsOf(values.find('reports')?.value ?? '').includes('http')
      ? setting({ 'report-url': value })
      : ignored("reports does not name 'http': Puppet sends nothing there either"),
  allow_duplicate_certs: because('a request for a certificate that exists waits until the former is cleaned'),
};

/** Puppet 6's names are those with `master`. */
const PROCESS: Readonly<Record<string, Translate>> = {
  serverport: translatePort,
  masterport: (value, values) => (values.find('serverport') ? ignored('serverport says it') : translatePort(value)),
  bindaddress: (value) => setting({ host: value === '*' ? '0.0.0.0' : value }),
  user: (value, values) => setting({ user: values.find('group') ? `${value}:${values.read('group')}` : value }),
  group: (_, values) => ignored(values.find('user') ? 'user says it' : "user's group counts"),
  ...Object.fromEntries(
    ['vardir', 'ssldir', 'statedir', 'reportdir', 'yamldir', 'bucketdir', 'serialization_dir'].map((name) => [
      name,
      because(IN_DATA_DIRECTORY),
    ]),
  ),
  ...Object.fromEntries(['logdir', 'masterlog', 'log_level', 'syslogfacility'].map((name) => [name, because(OF_LOG)])),
  ...Object.fromEntries(
    ['rundir', 'pidfile', 'daemonize'].map((name) => [name, because('the service manager has it')]),
  ),
  confdir: because('no further file is read from it'),
};

/** Settings of a server's `[main]` that are for its agent. */
const AGENT = [
  'server',
  'ca_server',
  'report_server',
  'environment',
  'runinterval',
  'splay',
  'noop',
  'report',
  'pluginsync',
  'certificate_revocation',
  'usecacheonfailure',
  'http_proxy_host',
  'http_proxy_port',
  'graph',
  'show_diff',
  'ordering',
  'server_list',
  'runtimeout',
] as const;

/** Puppet's settings that have the same values here, by the table of settings. */
const SAME = Object.entries(SETTINGS).flatMap(([name, row]): (readonly [string, Translate])[] =>
  'puppet' in row ? [[row.puppet, (value) => setting({ [optionOf(name)]: parseValue(row.puppet, row, value) })]] : [],
);

/** By the names of Puppet's settings. */
export const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map([
  ...SAME,
  ...AGENT.map((name) => [name, because(OF_AGENTS)] as const),
  ...Object.entries({ ...CODE, ...FLEET, ...PROCESS }),
]);

function controlRepo(values: ConfValues): Translation {
  return setting({ 'control-repo': dirname(firstFolder(values.read('environmentpath'))) });
}

function firstFolder(path: string): string {
  return posix.normalize(path.split(':')[0] ?? path);
}

function translateEnvironmentPath(value: string, values: ConfValues): Translation {
  const [first = '', ...others] = value.split(':').map((one) => posix.normalize(one));
  if (basename(first) !== 'environments') {
    return operatorStep(`move ${first} to a folder 'environments', and give its parent as control-repo`);
  }
  if (others.length > 0)
    return operatorStep(`move the environments of ${others.join(', ')} to ${first}: there is one folder`);
  return controlRepo(values);
}

function translateNodeTerminus(value: string, values: ConfValues): Translation {
  if (value === 'plain') return ignored('as here: it is the default');
  if (value === 'classifier') return operatorStep('understudy group import FILE: the node groups of the console');
  if (value !== 'exec') return operatorStep(`no '${value}' classifies nodes: see docs/classification.md`);
  const program = values.find('external_nodes') && values.read('external_nodes');
  if (program && program !== 'none') return setting({ enc: program });
  throw new InvalidConfValue("node_terminus is 'exec', but external_nodes names no program");
}

function translateReports(value: string, values: ConfValues): Translation {
  const names = reportsOf(value);
  const others = names.filter((one) => !['store', 'none', 'http', 'puppetdb'].includes(one));
  if (others.length > 0) {
    return operatorStep(
      `no report processor '${others.join("', '")}' runs: read reports at GET /understudy/v1/reports`,
    );
  }
  if (names.includes('puppetdb')) return translatePuppetDb(values);
  if (!names.includes('http')) return ignored('as here: the store keeps reports');
  if (values.find('reporturl')) return ignored('reporturl says it');
  // Puppet: the default of `reporturl`.
  return setting({ 'report-url': 'http://localhost:3000/reports/upload' });
}

function reportsOf(value: string): readonly string[] {
  return value.split(/[\s,]+/).filter((one) => one !== '');
}

function translatePuppetDb(values: ConfValues): Translation {
  const names = ['storeconfigs', 'reports'].filter((name) => values.find(name)?.value.includes('puppetdb'));
  if (names.length === 0 && values.find('storeconfigs_backend')?.value !== 'puppetdb') {
    return ignored('as here: the store keeps exported resources');
  }
  return operatorStep('give puppetdb: https://HOST:8081 (server_urls of puppetdb.conf) to keep feeding PuppetDB');
}

/** Another server is the CA. */
function upstream(values: ConfValues): Translation {
  return setting({
    'ca-upstream': `https://${values.read('ca_server')}:${values.read('ca_port')}`,
    'tls-certificate': values.read('hostcert'),
    'tls-key': values.read('hostprivkey'),
    'tls-ca': values.read('localcacert'),
  });
}

function translatePort(value: string): Translation {
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return setting({ port });
  throw new InvalidConfValue(`'${value}' is no port`);
}

function asHere(name: string, value: string, usual: boolean, reason: string): Translation {
  return ignored(readBoolean(name, value) === usual ? `as here: ${reason}` : reason);
}

function parseValue(name: string, row: SettingRow, value: string): string | boolean {
  try {
    const parsed = parseSetting(row, row.kind === 'text' ? value : value.toLowerCase());
    return typeof parsed === 'boolean' ? parsed : String(parsed);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidConfValue(`${name} ${error.message}, not '${value}'`);
  }
}

function readBoolean(name: string, value: string): boolean {
  return readChoice(name, value.toLowerCase(), ['true', 'false']) === 'true';
}

function readChoice<const T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new InvalidConfValue(`${name} must be one of ${known.join(', ')}, not '${value}'`);
}

/** The kinds of values that a profile replaces, or leaves as they are. */
export type ValueKind =
  | 'node'
  | 'type'
  | 'title'
  | 'parameter-name'
  | 'parameter-value'
  | 'input-type'
  | 'input-value'
  | 'file'
  | 'line'
  | 'message'
  | 'log-message'
  | 'transaction'
  | 'fact-name'
  | 'fact-value'
  | 'environment';

/** The place of a value: the type of its resource, and the name of its parameter or fact. */
export interface ValuePlace {
  readonly type?: string;
  readonly name?: string;
}

/** Whether a value of a kind is replaced. */
export type AnonymizationProfile = (kind: ValueKind, place: ValuePlace) => boolean;

type Rule = boolean | ((place: ValuePlace) => boolean);
type Rules = Partial<Record<ValueKind, Rule>>;

const SECRET = /password|pwd|secret|key|private/i;
const isSecret = ({ name = '' }: ValuePlace) => isSecretName(name);

/** Whether a name says that its value is secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** Types of Puppet, of its modules for platforms, and of modules that most fleets have. */
const KNOWN_TYPES = new Set([
  ...['Augeas', 'Computer', 'Cron', 'Exec', 'File', 'Filebucket', 'Group', 'Host', 'Interface', 'K5login'],
  ...['Macauthorization', 'Mailalias', 'Mcx', 'Mount', 'Notify', 'Package', 'Resources', 'Router', 'Schedule'],
  ...['Schedule_task', 'Selboolean', 'Selmodule', 'Service', 'Ssh_authorized_key', 'Sshkey', 'Stage', 'Tidy'],
  ...['User', 'Vlan', 'Yumrepo', 'Zfs', 'Zone', 'Zpool', 'Class', 'Anchor', 'File_line', 'Firewall', 'A2mod'],
  ...['Vcsrepo', 'Filesystem', 'Logical_volume', 'Physical_volume', 'Volume_group', 'Java_ks'],
]);
const KNOWN_FAMILIES = /^(?:Nagios_|Pe_|Mysql|Postgresql|Rabbitmq|Puppetdb|Apache|Mrepo|F5|Apt|Registry|Concat)/;
const TYPES_WITH_TITLES = new Set(['Filebucket', 'Package', 'Stage', 'Service']);
const PLAIN_PARAMETERS = new Set(['provider', 'ensure', 'noop', 'loglevel', 'audit', 'schedule']);

/** Facts whose names and values are of hardware, systems and versions. */
const SYSTEM_FACTS = new RegExp(
  `^(?:${[
    ...['architecture', 'augeasversion.*', 'bios_.*', 'blockdevice.*', 'board.*', 'facterversion', 'hardwareisa'],
    ...['hardwaremodel', 'id', 'interfaces', 'ip6?tables.*', 'is_pe', 'is_virtual', 'kernel.*', 'lsb.*', 'macosx.*'],
    ...['memoryfree.*', 'memorysize.*', 'memorytotal', 'mtu_.*', 'netmask.*', 'operatingsystem.*', 'osfamily'],
    ...['postgres_.*', 'processor.*', 'physicalprocessorcount.*', 'productname', 'ps', 'puppetversion'],
    ...['rubysitedir', 'rubyversion', 'selinux.*', 'swapencrypted', 'swapfree.*', 'swapsize.*', 'timezone'],
    ...['uptime.*', 'virtual'],
  ].join('|')})$`,
);
/** Facts whose names say nothing, and whose values do. */
const PLACE_FACTS = /^(?:domain|fqdn|hostname|ipaddress.*|macaddress.*|network.*|path|sp_.*|ssh.*|uuid)$/;
const isSystemFact = ({ name = '' }: ValuePlace) => SYSTEM_FACTS.test(name);

const NOTHING: Rules = {};

const LOW: Rules = {
  ...{ node: true, 'log-message': true },
  ...{ message: isSecret, 'parameter-value': isSecret, 'fact-value': isSecret },
};

const MODERATE: Rules = {
  ...{ node: true, environment: true, file: true, message: true, 'log-message': true, 'input-value': true },
  type: ({ type = '' }) => !KNOWN_TYPES.has(type) && !KNOWN_FAMILIES.test(type),
  title: ({ type = '' }) => !TYPES_WITH_TITLES.has(type),
  'parameter-value': ({ name = '' }) => !PLAIN_PARAMETERS.has(name),
  'fact-name': (place) => !isSystemFact(place) && !PLACE_FACTS.test(place.name ?? ''),
  'fact-value': (place) => isSecret(place) || !isSystemFact(place),
};

const PROFILES: Readonly<Record<string, Rules | 'all'>> = { full: 'all', moderate: MODERATE, low: LOW, none: NOTHING };

/** The names of the profiles, the strictest first. */
export const PROFILE_NAMES = Object.keys(PROFILES);

/**
 * The profile of a name; null without one. Its rules are those of PuppetDB's documentation.
 */
// Differs from Puppet: there, names of parameters are never compared, so that `low` replaces the
// values of all parameters, and `none` the messages of logs. puppetlabs/puppetdb/anonymizer.clj
export function findProfile(name: string): AnonymizationProfile | null {
  const rules = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
  if (rules === undefined) return null;
  if (rules === 'all') return () => true;
  return (kind, place) => {
    const rule = rules[kind] ?? false;
    return typeof rule === 'function' ? rule(place) : rule;
  };
}

import { PuppetObject } from './objects/puppet-object.ts';
import { PType } from './ptype.ts';
import { Uri } from './uri/uri.ts';
import { kindOf, VALUE_KINDS } from './values/value-kinds.ts';
import { RichValue, type Value } from './values/values.ts';

const TYPE_CLASS_NAMES: Readonly<Record<string, string>> = {
  SemVer: 'PSemVer',
  SemVerRange: 'PSemVerRange',
  URI: 'PURI',
};

/**
 * The Ruby class of a value as some of Puppet's messages name it: `Integer`, `Symbol`,
 * `Puppet::Pops::Types::PStringType`.
 */
export function rubyClassName(value: Value): string {
  return VALUE_KINDS[kindOf(value)].rubyClass ?? ownClassName(value);
}

/** The class of one of those whose class depends on more than their kind. */
function ownClassName(value: Value): string {
  if (typeof value === 'boolean') return value ? 'TrueClass' : 'FalseClass';
  if (value instanceof PType) return typeClassName(value);
  if (value instanceof Uri) return uriClassName(value);
  if (value instanceof PuppetObject && value.shape.name === 'Error') return 'Puppet::DataTypes::Error';
  const isNamed = value instanceof RichValue && 'rubyClass' in value && typeof value.rubyClass === 'string';
  return isNamed ? String(value.rubyClass) : 'Object';
}

function typeClassName({ kind }: PType): string {
  if (kind === 'ObjectExtension') return 'Puppet::Pops::Types::PObjectTypeExtension';
  return `Puppet::Pops::Types::${TYPE_CLASS_NAMES[kind] ?? `P${kind}`}Type`;
}

const URI_CLASSES: Readonly<Record<string, string>> = {
  file: 'File',
  ftp: 'FTP',
  http: 'HTTP',
  https: 'HTTPS',
  ldap: 'LDAP',
  ldaps: 'LDAPS',
  mailto: 'MailTo',
  ws: 'WS',
  wss: 'WSS',
};

function uriClassName(uri: Uri): string {
  return `URI::${URI_CLASSES[String(uri.get('scheme') ?? '').toLowerCase()] ?? 'Generic'}`;
}

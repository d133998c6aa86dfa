import { PuppetObject } from './objects/puppet-object.ts';
import { PType } from './ptype.ts';
import { Timespan } from './time/timespan.ts';
import { Timestamp } from './time/timestamp.ts';
import { Uri } from './uri/uri.ts';
import { Binary } from './values/binary.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from './values/values.ts';
import { SemVer } from './versions/sem-ver.ts';
import { SemVerRange } from './versions/sem-ver-range.ts';

const TYPE_CLASS_NAMES: Readonly<Record<string, string>> = {
  SemVer: 'PSemVer',
  SemVerRange: 'PSemVerRange',
  URI: 'PURI',
};

/**
 * The Ruby class of a value, which some of Puppet's messages name: `Integer`, `Symbol`,
 * `Puppet::Pops::Types::PStringType`.
 */
export function rubyClassName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'bigint':
      return 'Integer';
    case 'number':
      return 'Float';
    case 'boolean':
      return value ? 'TrueClass' : 'FalseClass';
    default:
      return objectClassName(value);
  }
}

function objectClassName(value: Exclude<Value, string | number | bigint | boolean>): string {
  if (value === null) return 'NilClass';
  if (value === DEFAULT) return 'Symbol';
  if (Array.isArray(value)) return 'Array';
  if (value instanceof PuppetHash) return 'Hash';
  if (value instanceof PuppetRegexp) return 'Regexp';
  if (value instanceof PType && value.kind === 'ObjectExtension') return 'Puppet::Pops::Types::PObjectTypeExtension';
  if (value instanceof PType) return `Puppet::Pops::Types::${TYPE_CLASS_NAMES[value.kind] ?? `P${value.kind}`}Type`;
  if (value instanceof Sensitive) return 'Puppet::Pops::Types::PSensitiveType::Sensitive';
  if (value instanceof Binary) return 'Puppet::Pops::Types::PBinaryType::Binary';
  if (value instanceof Timespan) return 'Puppet::Pops::Time::Timespan';
  if (value instanceof Timestamp) return 'Puppet::Pops::Time::Timestamp';
  if (value instanceof SemVer) return 'SemanticPuppet::Version';
  if (value instanceof SemVerRange) return 'SemanticPuppet::VersionRange';
  if (value instanceof Uri) return uriClassName(value);
  if (value instanceof PuppetObject && value.shape.name === 'Error') return 'Puppet::DataTypes::Error';
  return 'rubyClass' in value && typeof value.rubyClass === 'string' ? value.rubyClass : 'Object';
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

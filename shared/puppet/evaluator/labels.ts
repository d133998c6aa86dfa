/** What errors call AST nodes and values. Puppet: lib/puppet/pops/model/model_label_provider.rb. */
import { nodeLabel } from '../language/labels.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { PType } from '../types/ptype.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { Binary } from '../types/values/binary.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { SemVerRange } from '../types/versions/sem-ver-range.ts';

export { nodeLabel };

/** The label of a value: `Integer`, `Undef Value`, `File['/x'] Resource-Reference`. */
export function valueLabel(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'bigint':
      return 'Integer';
    case 'number':
      return 'Float';
    case 'boolean':
      return 'Boolean';
    default:
      return objectLabel(value);
  }
}

function objectLabel(value: Exclude<Value, string | number | bigint | boolean>): string {
  if (value === null) return 'Undef Value';
  // Puppet: `default` is a Ruby Symbol, which has no label of its own.
  if (value === DEFAULT) return 'Object';
  if (Array.isArray(value)) return 'Array';
  if (value instanceof PuppetHash) return 'Hash';
  if (value instanceof PType) return typeLabel(value);
  if (value instanceof PuppetRegexp) return 'Regexp';
  if (value instanceof Sensitive) return 'Sensitive';
  if (value instanceof Binary) return 'Binary';
  if (value instanceof Timestamp) return 'Timestamp';
  if (value instanceof Timespan) return 'Timespan';
  if (value instanceof SemVer) return 'Semver';
  if (value instanceof SemVerRange) return 'SemverRange';
  return value instanceof PuppetObject ? 'Object' : collectorLabel(String(value));
}

function typeLabel(type: PType): string {
  if (type.kind === 'Resource' && 'title' in type && type.title !== null) return `${type} Resource-Reference`;
  return `${type}-Type`;
}

// A collector is a value only as an operand of a relationship; its text is
// `Catalog-Collector[File]`.
function collectorLabel(text: string): string {
  return /^(Catalog|Exported)-Collector/.exec(text)?.[0] ?? 'Object';
}

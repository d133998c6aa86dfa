import { describe, expect, it } from 'vitest';
import { valueLabel } from '../../../../../shared/puppet/evaluator/labels.ts';
import { toRichData } from '../../../../../shared/puppet/serialization/to-data.ts';
import { rubyClassName } from '../../../../../shared/puppet/types/ruby-class.ts';
import { SCALAR_TYPE } from '../../../../../shared/puppet/types/scalar-types.ts';
import { ANY } from '../../../../../shared/puppet/types/simple-types.ts';
import { Timespan } from '../../../../../shared/puppet/types/time/timespan.ts';
import { Timestamp } from '../../../../../shared/puppet/types/time/timestamp.ts';
import { Uri } from '../../../../../shared/puppet/types/uri/uri.ts';
import { Binary } from '../../../../../shared/puppet/types/values/binary.ts';
import { BytesText } from '../../../../../shared/puppet/types/values/bytes-text.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../../../shared/puppet/types/values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../../shared/puppet/types/values/values.ts';
import { SemVer } from '../../../../../shared/puppet/types/versions/sem-ver.ts';
import { SemVerRange } from '../../../../../shared/puppet/types/versions/sem-ver-range.ts';

/** Value; label; class in Ruby; the type that its rich data names; whether it is a Scalar. */
const KINDS: readonly [Value, string, string, string | undefined, boolean][] = [
  [null, 'Undef Value', 'NilClass', undefined, false],
  [true, 'Boolean', 'TrueClass', undefined, true],
  [false, 'Boolean', 'FalseClass', undefined, true],
  [1n, 'Integer', 'Integer', undefined, true],
  [1.5, 'Float', 'Float', undefined, true],
  ['a', 'String', 'String', undefined, true],
  [['a'], 'Array', 'Array', undefined, false],
  [new PuppetHash(), 'Hash', 'Hash', undefined, false],
  [DEFAULT, 'Object', 'Symbol', 'Default', false],
  [ANY, 'Any-Type', 'Puppet::Pops::Types::PAnyType', 'Pcore::AnyType', false],
  [new PuppetRegexp('a'), 'Regexp', 'Regexp', 'Regexp', true],
  [new Sensitive('a'), 'Sensitive', 'Puppet::Pops::Types::PSensitiveType::Sensitive', 'Sensitive', false],
  [Binary.fromText('a'), 'Binary', 'Puppet::Pops::Types::PBinaryType::Binary', 'Binary', false],
  [new Timestamp(1n), 'Timestamp', 'Puppet::Pops::Time::Timestamp', 'Timestamp', true],
  [new Timespan(1n), 'Timespan', 'Puppet::Pops::Time::Timespan', 'Timespan', true],
  [SemVer.parse('1.2.3'), 'Semver', 'SemanticPuppet::Version', 'SemVer', true],
  [SemVerRange.parse('>=1.0.0'), 'SemverRange', 'SemanticPuppet::VersionRange', 'SemVerRange', true],
  [Uri.parse('https://example.com/'), 'Object', 'URI::HTTPS', 'URI', false],
  [new BytesText('a'), 'String', 'String', 'Binary', true],
];

describe('a value', () => {
  it.each(KINDS)('%s has the label, class, rich data and scalar nature of its kind', (...row) => {
    const [value, label, rubyClass, type, isScalar] = row;
    const data = toRichData(value);
    const written = data instanceof PuppetHash ? data.get('__ptype') : undefined;
    expect([valueLabel(value), rubyClassName(value), written, SCALAR_TYPE.isInstance(value)]).toEqual([
      label,
      rubyClass,
      type,
      isScalar,
    ]);
  });
});

/** `IPAddr`: addresses and networks. Follows ipaddr.rb 1.2.5, which Ruby 3.2 has. */
import { InternalValue, type Value } from '../../../types/values/values.ts';
import { raise } from '../exceptions.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass } from '../objects.ts';
import { byName, getArgument, type MethodCall, type RubyMethod, withoutArguments } from '../runtime.ts';

const BITS = { 4: 32n, 6: 128n } as const;
const V4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$(?![\s\S])/;
const V6_FULL = /^(?:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|((?:[\da-f]{1,4}:){6})(\d+\.\d+\.\d+\.\d+))$(?![\s\S])/i;
const V6_SHORT =
  /^((?:(?:[\da-f]{1,4}:)*[\da-f]{1,4})?)::((?:((?:[\da-f]{1,4}:)*)(?:[\da-f]{1,4}|(\d+\.\d+\.\d+\.\d+)))?)$(?![\s\S])/i;

/** An IPAddr. Bits behind its mask are 0. */
export class RubyAddress extends InternalValue {
  readonly family: 4 | 6;
  readonly address: bigint;
  readonly mask: bigint;

  constructor(family: 4 | 6, address: bigint, mask: bigint) {
    super();
    this.family = family;
    this.address = address & mask;
    this.mask = mask;
  }

  equalityKey(): string {
    return fallBack('an address compared');
  }
}

function allOnes(family: 4 | 6): bigint {
  return (1n << BITS[family]) - 1n;
}

function refuseInvalid(): never {
  return raise('IPAddr::InvalidAddressError');
}

/** Implements `IPAddr.new(...)`. Raises Ruby's errors; only Ruby knows their texts. */
export function newAddress({ args }: MethodCall): RubyAddress {
  const [given = null] = args;
  if (args.length !== 1) return fallBack('arguments');
  return typeof given === 'string' ? readAddress(given) : raise('IPAddr::AddressFamilyError');
}

function readAddress(text: string): RubyAddress {
  if (text.includes('%')) return fallBack('an address with a zone');
  const slash = text.indexOf('/');
  const prefix = slash < 0 ? text : text.slice(0, slash);
  const bare = /^\[(.*)\]$(?![\s\S])/.exec(prefix)?.[1];
  const v4 = bare === undefined ? v4Value(prefix) : null;
  const family = v4 === null ? 6 : 4;
  const address = v4 ?? v6Value(bare ?? prefix);
  const mask = slash < 0 ? allOnes(family) : readMask(text.slice(slash + 1), family);
  return new RubyAddress(family, address, mask);
}

/** Parses an IPv4 address; null for other texts. */
function v4Value(text: string): bigint | null {
  const [, ...octets] = V4.exec(text) ?? [];
  if (octets.length === 0) return null;
  return octets.reduce((value, octet) => {
    if (BigInt(octet) > 255n || /^0./.test(octet)) refuseInvalid();
    return (value << 8n) | BigInt(octet);
  }, 0n);
}

function v6Value(text: string): bigint {
  const full = V6_FULL.exec(text);
  if (full) {
    const [, groups, octets] = full;
    return octets === undefined
      ? groupsValue(text.split(':'))
      : groupsValue(`${groups}0:0`.split(':')) | parseTail(octets);
  }
  const [, left = '', right = '', middle = '', octets] = V6_SHORT.exec(text) ?? refuseInvalid();
  const colons = text.split(':').length - 1;
  if (colons > (octets !== undefined ? 6 : left === '' || right === '' ? 8 : 7)) refuseInvalid();
  const before = left === '' ? [] : left.split(':');
  const rest = octets === undefined ? right : `${middle}0:0`;
  const behind = rest === '' ? [] : rest.split(':');
  const zeros = 8 - before.length - behind.length;
  if (zeros < 0) return fallBack('an address with too many groups');
  const value = groupsValue([...before, ...Array.from({ length: zeros }, () => '0'), ...behind]);
  return octets === undefined ? value : value | parseTail(octets);
}

function parseTail(octets: string): bigint {
  return v4Value(octets) ?? refuseInvalid();
}

function groupsValue(groups: readonly string[]): bigint {
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Parses a prefix length, or a mask in the form of an address. */
function readMask(text: string, family: 4 | 6): bigint {
  if (/^(?:0|[1-9]\d*)$(?![\s\S])/.test(text)) return maskOf(BigInt(text), family);
  if (/^\d+$(?![\s\S])/.test(text)) return raise('IPAddr::InvalidPrefixError');
  const given = readAddress(text);
  if (given.family !== family) return raise('IPAddr::InvalidPrefixError');
  if (given.mask !== allOnes(family)) return fallBack('a mask with a mask');
  const holes = given.address ^ allOnes(family);
  return ((holes + 1n) & holes) === 0n ? given.address : raise('IPAddr::InvalidPrefixError');
}

function maskOf(length: bigint, family: 4 | 6): bigint {
  if (length < 0n || length > BITS[family]) return raise('IPAddr::InvalidPrefixError');
  const free = BITS[family] - length;
  return (allOnes(family) >> free) << free;
}

/** Prints all groups in full. */
function printFull(family: 4 | 6, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/.{4}(?!$)/g, '$&:');
}

/** Prints an address like `IPAddr#to_s`. */
export function printRubyAddress({ family, address }: RubyAddress): string {
  const full = printFull(family, address);
  if (family === 4) return full;
  const groups = full.split(':').map((group) => group.replace(/^0{1,3}(?=.)/, ''));
  const text = withoutZeros(groups).replace(/:{3,}/, '::');
  const [, mapped = '', high, low] = /^::(ffff:)?([\da-f]{1,4}):([\da-f]{1,4})$/.exec(text) ?? [];
  if (high === undefined || low === undefined) return text;
  const octets = [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return `::${mapped}${octets.join('.')}`;
}

/** Prints an address like `IPAddr#inspect`: with its mask. */
export function inspectAddress({ family, address, mask }: RubyAddress): string {
  return `#<IPAddr: IPv${family}:${printFull(family, address)}/${printFull(family, mask)}>`;
}

/** Replaces the first of the longest runs of zero groups with `::`. */
function withoutZeros(groups: readonly string[]): string {
  const text = groups.join(':');
  if (groups.every((group) => group === '0')) return '::';
  for (let length = 7; length >= 2; length -= 1) {
    const run = new RegExp(`\\b${Array.from({ length }, () => '0').join(':')}\\b`);
    if (run.test(text)) return text.replace(run, ':');
  }
  return text;
}

function includes(self: RubyAddress, given: Value): boolean {
  const other = typeof given === 'string' ? readAddress(given) : given;
  if (!(other instanceof RubyAddress)) return fallBack('what is no address');
  if (other.family !== self.family) return false;
  const end = ({ family, address, mask }: RubyAddress): bigint => address | (allOnes(family) ^ mask);
  return self.address <= other.address && end(self) >= end(other);
}

const contains: RubyMethod<RubyAddress> = (self, call) => includes(self, getArgument(call));

export const ADDRESS_METHODS = byName<RubyMethod<RubyAddress>>({
  'ipv4?': withoutArguments(({ family }) => family === 4),
  'ipv6?': withoutArguments(({ family }) => family === 6),
  to_i: withoutArguments(({ address }) => address),
  to_s: withoutArguments(printRubyAddress),
  inspect: withoutArguments(inspectAddress),
  'include?': contains,
  '===': contains,
  'nil?': withoutArguments(() => false),
  class: withoutArguments(() => new RubyClass('IPAddr')),
});

import { isIP } from 'node:net';

/** An address with its network, as Ruby's IPAddr. */
interface IpNetwork {
  readonly family: 4 | 6;
  /** The address; bits behind the prefix are 0. */
  readonly address: bigint;
  readonly prefix: number;
}

/**
 * Parses `10.0.0.1`, `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `::1`, `[::1]` or `fe80::/10`; null for
 * any other text.
 */
export function parseNetwork(text: string): IpNetwork | null {
  const [address = '', mask, ...rest] = text.split('/');
  const bare = /^\[(.*)\]$/.exec(address)?.[1] ?? address;
  const family = isIP(bare.replace(/%.*$/, ''));
  if (rest.length > 0 || (family !== 4 && family !== 6)) return null;
  const bits = family === 4 ? 32 : 128;
  const prefix = mask === undefined ? bits : prefixOf(mask, bits);
  if (prefix === null) return null;
  const value = family === 4 ? ipv4Value(bare) : ipv6Value(bare.replace(/%.*$/, ''));
  const shift = BigInt(bits - prefix);
  return { family, address: (value >> shift) << shift, prefix };
}

function prefixOf(mask: string, bits: number): number | null {
  if (/^\d+$/.test(mask)) return Number(mask) <= bits ? Number(mask) : null;
  if (bits !== 32 || isIP(mask) !== 4) return null;
  const ones = ipv4Value(mask).toString(2).padStart(32, '0');
  return /^1*0*$/.test(ones) ? ones.lastIndexOf('1') + 1 : null;
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, octet) => value * 256n + BigInt(octet), 0n);
}

function ipv6Value(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const plain = dotted ? (dotted[1] ?? '') + hexPair(ipv4Value(dotted[2] ?? '')) : text;
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = new Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n);
}

function hexPair(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

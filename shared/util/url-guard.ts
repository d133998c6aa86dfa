import { lookup as lookUp } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { hideLogins } from './hide-logins.ts';

/** Error for a URL to a forbidden address or with a forbidden scheme; the message says why. */
export class UrlRefused extends Error {
  constructor(url: string, reason: string) {
    super(`'${hideLogins(url).slice(0, 200)}' is refused: ${reason}`);
    this.name = 'UrlRefused';
  }
}

/**
 * The purpose of a URL: `upstream` is a Puppet Server, `delivery` takes reports or commands,
 * `directory` has users.
 */
export type UrlUse = 'git' | 'download' | 'upstream' | 'delivery' | 'directory';

/** The allowed schemes of each use: those that lead to another machine. */
const SCHEMES: Readonly<Record<UrlUse, readonly string[]>> = {
  git: ['https:', 'http:', 'ssh:', 'git:'],
  download: ['https:', 'http:'],
  upstream: ['https:'],
  delivery: ['https:', 'http:'],
  directory: ['ldaps:', 'ldap:'],
};

/**
 * The addresses to which a URL may lead. `public`: a user of the API names it. `private`: also the
 * operator's network. `own`: also this machine, since the operator configures it on the server.
 */
export type Reach = 'public' | 'private' | 'own';

/** Forbidden to all URLs: link-local (with cloud metadata), multicast, reserved, unspecified. */
const LINK = createBlockList(
  ['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32'],
);
/** Addresses of this machine. */
const LOOPBACK = createBlockList(['127.0.0.0/8'], ['::1/128']);
/** Addresses of the operator's own network. */
const PRIVATE = createBlockList(
  ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
  ['fc00::/7', 'fec0::/10'],
);

function createBlockList(...lists: readonly (readonly string[])[]): BlockList {
  const blocked = new BlockList();
  for (const subnet of lists.flat()) {
    const [net = '', prefix = ''] = subnet.split('/');
    blocked.addSubnet(net, Number(prefix), isIPv6(net) ? 'ipv6' : 'ipv4');
  }
  return blocked;
}

/** Whether a list has an address; IPv4 embedded in IPv6 (mapped, NAT64, 6to4) counts as IPv4. */
function isAmong(list: BlockList, address: string): boolean {
  const plain = findInnerAddress(address);
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

function findInnerAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]/`);
  const [, mapped] = /^\[::ffff:([0-9a-f]{1,4}:[0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  const [, translated] = /^\[64:ff9b::([0-9a-f]{1,4}:[0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  const [, relayed] = /^\[2002:([0-9a-f]{1,4}:[0-9a-f]{1,4}):/.exec(hostname) ?? [];
  const words = mapped ?? translated ?? relayed;
  if (words === undefined) return hostname.slice(1, -1);
  const [high = 0, low = 0] = words.split(':').map((word) => Number.parseInt(word, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

export type Resolve = (host: string) => Promise<readonly string[]>;

async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * Bounds the addresses of URLs that others than the operator wrote. It checks the scheme, and each
 * address that the name resolves to now. Callers ask it again for each redirect.
 */
export class UrlGuard {
  readonly #reach: Reach;
  readonly #hosts: ReadonlySet<string>;
  readonly #resolve: Resolve;

  /** `hosts`: names that the operator configured; they may be private, or of this machine. */
  constructor(reach: Reach, hosts: ReadonlySet<string> = new Set(), resolve: Resolve = resolveHost) {
    this.#reach = reach;
    this.#hosts = hosts;
    this.#resolve = resolve;
  }

  /** Returns the addresses of the URL's host. Throws UrlRefused when one of them is not allowed. */
  async demand(text: string, use: UrlUse): Promise<readonly string[]> {
    const host = hostOf(readUrl(text, use));
    const addresses = isIP(host) ? [host] : await this.#find(text, host);
    const reach = this.#hosts.has(host) ? 'own' : this.#reach;
    for (const address of addresses) {
      const fault = describeAddress(address, reach);
      if (fault !== null) throw new UrlRefused(text, fault);
    }
    return addresses;
  }

  async #find(text: string, host: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw new UrlRefused(text, `the name has no address: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Returns the reason why a URL may not lead to an address; null when it may. */
function describeAddress(address: string, reach: Reach): string | null {
  if (isAmong(LINK, address)) return `${address} is an address of the machine's own link`;
  if (reach === 'own') return null;
  if (isAmong(LOOPBACK, address)) return `${address} is an address of the server itself`;
  if (reach === 'private' || !isAmong(PRIVATE, address)) return null;
  return `${address} is a private address; 'understudy code sources add' on the server adds a source there`;
}

function readUrl(text: string, use: UrlUse): URL {
  const url = parseUrl(text);
  if (url !== null && SCHEMES[use].includes(url.protocol)) return url;
  const known = SCHEMES[use].map((scheme) => `${scheme}//`).join(', ');
  throw new UrlRefused(text, `only ${known} may be written there`);
}

/**
 * Reads the URL of a server that the operator configured. Throws UrlRefused for a scheme that the
 * use does not allow, and for a link-local address. `lookupOwn` checks names at each connection.
 */
export function readOwnUrl(text: string, use: UrlUse): URL {
  const url = readUrl(text, use);
  const host = hostOf(url);
  const fault = isIP(host) ? describeAddress(host, 'own') : null;
  if (fault !== null) throw new UrlRefused(text, fault);
  return url;
}

/** Resolves names of servers that the operator configured; fails beyond the reach `own`. */
export const lookupOwn: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, found) => {
    const [first] = found ?? [];
    if (error !== null || first === undefined) return done(error ?? new UrlRefused(host, 'it has no address'), '', 0);
    const fault = found.map(({ address }) => describeAddress(address, 'own')).find((one) => one !== null) ?? null;
    if (fault !== null) return done(new UrlRefused(host, fault), '', 0);
    return options.all === true ? done(null, found) : done(null, first.address, first.family);
  });
};

/** Parses a URL, or ssh's `user@host:path`; null for any other text. */
export function parseUrl(text: string): URL | null {
  const [, user = '', host = '', path = ''] = /^([\w.-]+)@([\w.-]+):([^/].*|\/.*)$/.exec(text) ?? [];
  const whole = host === '' ? text : `ssh://${user}@${host}/${path}`;
  return URL.canParse(whole) ? new URL(whole) : null;
}

/** Returns the host in lower case, without brackets and final dot; numeric forms are expanded. */
export function hostOf({ hostname }: URL): string {
  // URLs of schemes that browsers do not know keep numbers such as 127.1 as they are.
  const plain = new URL(`http://${hostname === '' ? 'localhost' : hostname}/`).hostname;
  return plain.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

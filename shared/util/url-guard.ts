import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** A URL leads where it must not; the message names it and says why. */
export class UrlRefused extends Error {
  constructor(url: string, reason: string) {
    super(`'${url.replace(/\/\/[^/@]*@/, '//…@').slice(0, 200)}' is not asked: ${reason}`);
    this.name = 'UrlRefused';
  }
}

/** The purpose of a URL. */
export type UrlUse = 'git' | 'download';

/** The schemes of each use that lead to another machine. */
const SCHEMES: Readonly<Record<UrlUse, readonly string[]>> = {
  git: ['https:', 'http:', 'ssh:', 'git:'],
  download: ['https:', 'http:'],
};

/** Addresses that no URL leads to: this machine, its link (with the metadata of clouds), none. */
const LOCAL = createBlockList(
  ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ['::/127', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32'],
);
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

/** An address and what it is, with IPv4 inside of IPv6 (mapped, NAT64, 6to4) taken out. */
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
 * Bounds where URLs lead that somebody other than the operator wrote. Each hop asks it: the scheme,
 * and each address that the name has now.
 */
export class UrlGuard {
  readonly #isPrivateAllowed: boolean;
  readonly #hosts: ReadonlySet<string>;
  readonly #resolve: Resolve;

  /** `hosts`: names that the operator chose himself, whatever their addresses. */
  constructor(isPrivateAllowed: boolean, hosts: ReadonlySet<string>, resolve: Resolve = resolveHost) {
    this.#isPrivateAllowed = isPrivateAllowed;
    this.#hosts = hosts;
    this.#resolve = resolve;
  }

  /** The addresses of the URL's host. Throws UrlRefused when one of them is not allowed. */
  async demand(text: string, use: UrlUse): Promise<readonly string[]> {
    const url = parseUrl(text);
    if (url === null || !SCHEMES[use].includes(url.protocol)) {
      const known = SCHEMES[use].map((scheme) => `${scheme}//`).join(', ');
      throw new UrlRefused(text, `only ${known} may be written there`);
    }
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : await this.#find(text, host);
    if (this.#hosts.has(host)) return addresses;
    for (const address of addresses) {
      if (isAmong(LOCAL, address)) throw new UrlRefused(text, `${address} is an address of the server itself`);
      if (this.#isPrivateAllowed || !isAmong(PRIVATE, address)) continue;
      const way = "'understudy code sources add' on the server adds a source there";
      throw new UrlRefused(text, `${address} is a private address; ${way}`);
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

/** A URL, or `user@host:path` as ssh has it; null for another text. */
export function parseUrl(text: string): URL | null {
  const [, user = '', host = '', path = ''] = /^([\w.-]+)@([\w.-]+):([^/].*|\/.*)$/.exec(text) ?? [];
  const whole = host === '' ? text : `ssh://${user}@${host}/${path}`;
  return URL.canParse(whole) ? new URL(whole) : null;
}

/** The host without brackets, in small letters. */
export function hostOf({ hostname }: URL): string {
  // URLs of schemes that browsers do not know keep numbers such as 127.1 as they are.
  const plain = new URL(`http://${hostname === '' ? 'localhost' : hostname}/`).hostname;
  return plain.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

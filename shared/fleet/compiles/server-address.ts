import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseNetwork } from '../../puppet/ruby-core/ip-address.ts';

/** Resolves a host's IPv4 addresses, in any order. Rejects when DNS fails or has none. */
type FindAddresses = (host: string) => Promise<readonly string[]>;

/**
 * The address by which agents reach the service, for `$server_facts['serverip']`. It is configured
 * as an address or a host name. A name is resolved once and the lowest address is used, because
 * catalogs must not depend on the order of DNS answers.
 */
export class ServerAddress {
  readonly #given: string | undefined;
  readonly #findAddresses: FindAddresses;
  #found: Promise<string> | null = null;

  constructor(given: string | undefined, findAddresses: FindAddresses = findInDns) {
    this.#given = given;
    this.#findAddresses = findAddresses;
  }

  /**
   * Null when no address is configured. Rejects when the name does not resolve; the next call
   * retries.
   */
  async find(): Promise<string | null> {
    if (this.#given === undefined || isIP(this.#given) !== 0) return this.#given ?? null;
    this.#found ??= this.#resolve(this.#given);
    try {
      return await this.#found;
    } catch (error) {
      this.#found = null;
      throw error;
    }
  }

  async #resolve(host: string): Promise<string> {
    const failed = (cause?: unknown) => new Error(`The server's address ${host} cannot be resolved`, { cause });
    const addresses = await this.#findAddresses(host).catch((error: unknown) => Promise.reject(failed(error)));
    const [lowest] = addresses.toSorted(compareAddresses);
    if (lowest === undefined) throw failed();
    return lowest;
  }
}

function compareAddresses(one: string, other: string): number {
  const [a = 0n, b = 0n] = [parseNetwork(one)?.address, parseNetwork(other)?.address];
  return a < b ? -1 : Number(a > b);
}

async function findInDns(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, family: 4 });
  return found.map(({ address }) => address);
}

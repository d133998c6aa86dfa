import { isIP } from 'node:net';
import { hostOf, parseUrl, type Resolve, UrlGuard, UrlRefused } from '../../util/url-guard.ts';
import { type GitSource, GitSourceStore, type SourceStores } from './code-source-store.ts';
import { type AskUrl, InvalidSource } from './git-url.ts';

const MOST_HOPS = 5;

/** The bounds of a source's URLs; null: the operator vouches for them. */
interface SourceGuards {
  /** The guard of its own URL. */
  readonly own: UrlGuard | null;
  /** The guard of URLs in its Puppetfiles, which everybody who may push writes. */
  readonly modules: UrlGuard | null;
}

/**
 * Makes the guards of a source's URLs. A command on the server may name everything, and a folder or
 * the machine itself then holds modules, too; from elsewhere, modules come from public and private
 * addresses. A URL of an API user is public, or at a host that a command named.
 */
export async function guardSource(
  { url, author }: GitSource,
  stores: SourceStores,
  resolve?: Resolve,
): Promise<SourceGuards> {
  if (author !== null) {
    const guard = new UrlGuard('public', await listHosts(stores), resolve);
    return { own: guard, modules: guard };
  }
  const parsed = parseUrl(url);
  if (parsed === null || parsed.protocol === 'file:' || isLoopback(hostOf(parsed))) return { own: null, modules: null };
  return { own: null, modules: new UrlGuard('private', new Set([hostOf(parsed)]), resolve) };
}

/** The hosts of the sources that commands named. */
async function listHosts(stores: SourceStores): Promise<ReadonlySet<string>> {
  const named = (await new GitSourceStore(stores).list()).filter(({ author }) => author === null);
  const urls = named.map(({ url }) => parseUrl(url)).filter((url) => url !== null && url.protocol !== 'file:');
  return new Set(urls.map((url) => (url === null ? '' : hostOf(url))));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}

/**
 * Fetches a URL, asking at each hop the guard that `guardOf` gives for it. Throws InvalidSource for
 * a hop that is refused, and for too many.
 */
export async function fetchGuarded(
  first: string,
  guardOf: (url: string) => UrlGuard | null,
  ask: AskUrl,
  init: RequestInit,
): Promise<Response> {
  let url = first;
  for (let hop = 0; hop <= MOST_HOPS; hop += 1) {
    const guard = guardOf(url);
    const addresses = guard === null ? undefined : await demandUrl(guard, url, 'download');
    const response = await ask(url, init, addresses);
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('Location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    url = new URL(location, url).href;
  }
  throw new InvalidSource(`${first} leads on more than ${MOST_HOPS} times`);
}

/** The addresses of a URL. Throws InvalidSource when the guard refuses it. */
export async function demandUrl(guard: UrlGuard, url: string, use: 'git' | 'download'): Promise<readonly string[]> {
  try {
    return await guard.demand(url, use);
  } catch (error) {
    throw error instanceof UrlRefused ? new InvalidSource(error.message) : error;
  }
}

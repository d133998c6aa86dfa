/** The URIs of connections, `pcp://CERTNAME/TYPE`, and the patterns that name several of them. */

/** The broker itself. */
export const SERVER_URI = 'pcp:///server';

/** A URI or pattern in its two parts. */
interface PcpAddress {
  readonly certname: string;
  readonly type: string;
}

const URI = /^pcp:\/\/([^/]*)\/([^/]+)$/;

/** Whether `text` may stand as a sender, target or query of a message. */
export function isPcpUri(text: string): boolean {
  return URI.test(text);
}

/**
 * The parts of a URI. The path of a connection may have further slashes; its type ends at the
 * first of them.
 */
export function splitPcpUri(uri: string): PcpAddress {
  const [certname = '', type = ''] = uri.slice('pcp://'.length).split('/', 2);
  return { certname, type };
}

/** Whether a target names more than one connection: a whole part of it is `*`. */
export function isWildcardUri(uri: string): boolean {
  const { certname, type } = splitPcpUri(uri);
  return certname === '*' || type === '*';
}

/** Returns whether connections match: those named, or of which each part is equal or `*`. */
export function compilePcpPatterns(patterns: readonly string[]): (uri: string) => boolean {
  const named = new Set(patterns.filter((pattern) => !isWildcardUri(pattern)));
  const wildcards = patterns.filter(isWildcardUri).map(splitPcpUri);
  return (uri) => {
    if (named.has(uri)) return true;
    if (wildcards.length === 0) return false;
    const { certname, type } = splitPcpUri(uri);
    return wildcards.some((one) => covers(one.certname, certname) && covers(one.type, type));
  };
}

function covers(pattern: string, text: string): boolean {
  return pattern === '*' || pattern === text;
}

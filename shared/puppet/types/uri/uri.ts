import { PuppetError } from '../../errors/puppet-error.ts';
import { dumpString } from '../../ruby-core/ruby-inspect.ts';
import { inspectText } from '../text/text.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue } from '../values/values.ts';

const URI_PARTS = ['scheme', 'userinfo', 'host', 'port', 'path', 'query', 'fragment', 'opaque'] as const;

export type UriPart = (typeof URI_PARTS)[number];

export function isUriPart(name: string): name is UriPart {
  return URI_PARTS.some((part) => part === name);
}

export type UriParts = Readonly<Partial<Record<UriPart, string>>>;

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  ftp: '21',
  ldap: '389',
  ldaps: '636',
  ws: '80',
  wss: '443',
};

const NOT_ASCII = /[^\0-\x7f]/;

const ENCODED = '%[0-9A-Fa-f]{2}';
const IN_SEGMENT = `(?:${ENCODED}|[!$&-.0-;=@-Z_a-z~])`;
const IN_NAME = `(?:${ENCODED}|[!$&-.0-9;=A-Z_a-z~])`;
const HOST = `(?:\\[(?:[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\\.[!$&-.0-;=A-Z_a-z~]+)\\]|${IN_NAME}*)`;
const AUTHORITY = `//(?:(?:${ENCODED}|[!$&-.0-;=A-Z_a-z~])*@)?${HOST}(?::\\d*)?(?:/${IN_SEGMENT}*)*`;
const ABSOLUTE = `/(?:${IN_SEGMENT}+(?:/${IN_SEGMENT}*)*)?`;
const AFTER_SCHEME = `${AUTHORITY}|${ABSOLUTE}|(?:${IN_SEGMENT}+(?:/${IN_SEGMENT}*)*)?`;
const WITHOUT_SCHEME = `${AUTHORITY}|${ABSOLUTE}|(?:(?:${IN_NAME}|@)+(?:/${IN_SEGMENT}*)*)?`;
/** The URIs that lib/uri/rfc3986_parser.rb accepts. The content of a query is not checked. */
const VALID = new RegExp(
  `^(?:[A-Za-z][+\\-.0-9A-Za-z]*:(?:${AFTER_SCHEME})|(?:${WITHOUT_SCHEME}))(?:\\?[^#]*)?(?:#(?:${IN_SEGMENT}|[/?])*)?$`,
);

const SHAPE = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/**
 * A URI, split into its parts. Follows Ruby's URI as lib/puppet/pops/types/p_uri_type.rb uses it.
 */
export class Uri extends RichValue {
  readonly parts: UriParts;
  readonly #typecode: string | null;

  /** `typecode`: the transfer type of an FTP URI. */
  constructor(parts: UriParts, typecode: string | null = null) {
    super();
    this.parts = parts.scheme === undefined ? parts : { ...parts, scheme: parts.scheme.toLowerCase() };
    this.#typecode = typecode;
  }

  get valueKind(): RichKind {
    return 'URI';
  }

  /** Throws Ruby's error when the text is no URI. */
  static parse(text: string): Uri {
    // Ruby: URI.parse
    if (NOT_ASCII.test(text)) throw new PuppetError(`URI must be ascii only ${dumpString(text)}`);
    // Ruby: URI.parse
    if (!VALID.test(text)) throw new PuppetError(`bad URI(is not URI?): ${inspectText(text)}`);
    const parts = splitUri(text);
    return parts.scheme?.toLowerCase() === 'ftp' ? ftpUri(parts) : new Uri(parts);
  }

  /** A part as a Puppet value. The port is a number and defaults to that of the scheme. */
  get(part: UriPart): string | bigint | null {
    if (part !== 'port') return this.parts[part] ?? null;
    const port = this.parts.port ?? DEFAULT_PORTS[this.parts.scheme?.toLowerCase() ?? ''];
    return port === undefined ? null : BigInt(port);
  }

  /** The parts as parameters of a URI type: scheme and host in lower case, no default port. */
  toParameters(): PuppetHash {
    const { scheme, userinfo, host, path, query, fragment, opaque } = this.parts;
    const port = this.get('port');
    const known = scheme?.toLowerCase();
    const isDefault = (known === 'http' && port === 80n) || (known === 'https' && port === 443n);
    const shown: readonly (readonly [UriPart, string | undefined])[] = [
      ['scheme', known],
      ['userinfo', userinfo],
      ['host', host?.toLowerCase() || undefined],
      ['port', port === null || isDefault ? undefined : port.toString()],
      ['path', path || undefined],
      ['query', query],
      ['fragment', fragment],
      ['opaque', opaque],
    ];
    const hash = new PuppetHash();
    for (const [name, value] of shown) if (value !== undefined) hash.set(name, value);
    return hash;
  }

  // Ruby: URI::Generic#== compares what #normalize makes, lib/uri/generic.rb.
  equalityKey(): string {
    const { host, path } = this.parts;
    return this.#keyOf({ ...this.parts, host: host?.toLowerCase(), path: path === '' ? '/' : path });
  }

  override eqlKey(): string {
    return this.#keyOf(this.parts);
  }

  #keyOf(parts: Partial<Record<UriPart, string | undefined>>): string {
    const withPort = { ...parts, port: this.get('port')?.toString() };
    return `uri:${JSON.stringify([...Object.entries(withPort).sort(), this.#typecode])}`;
  }

  override toString(): string {
    const { scheme, userinfo, host, port, path, query, fragment, opaque } = this.parts;
    const start = scheme === undefined ? '' : `${scheme}:`;
    if (opaque !== undefined) return `${start}${opaque}${fragment === undefined ? '' : `#${fragment}`}`;
    const shownPort = port !== undefined && port !== DEFAULT_PORTS[scheme ?? ''] ? `:${port}` : '';
    const mark = host !== undefined || scheme === 'file' ? '//' : '';
    const authority = `${mark}${userinfo === undefined ? '' : `${userinfo}@`}${host ?? ''}${shownPort}`;
    const tail = `${query === undefined ? '' : `?${query}`}${fragment === undefined ? '' : `#${fragment}`}`;
    const slash = host && path && !path.startsWith('/') ? '/' : '';
    const typecode = this.#typecode === null ? '' : TYPECODE + this.#typecode;
    return `${start}${authority}${slash}${path ?? ''}${typecode}${tail}`;
  }
}

const TYPECODE = ';type=';

/**
 * Removes the slash before the path of an FTP URI, which is not part of the path. Ruby:
 * lib/uri/ftp.rb
 */
function ftpUri(parts: UriParts): Uri {
  const [path = '', typecode = null] = (parts.path ?? '').split(TYPECODE, 2);
  return new Uri({ ...parts, path: path.replace(/^\//, '').replace(/^%2F/, '/') }, typecode);
}

function splitUri(text: string): UriParts {
  const [, givenScheme, authority, path = '', query, fragment] = SHAPE.exec(text) ?? [];
  const scheme = givenScheme?.toLowerCase();
  if (scheme !== undefined && authority === undefined && !path.startsWith('/')) {
    const opaque = query === undefined ? path : `${path}?${query}`;
    return compact({ scheme, opaque, fragment });
  }
  const [, userinfo, host, port] = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority ?? '') ?? [];
  return compact({
    scheme,
    userinfo,
    host: authority === undefined ? undefined : host,
    port: port || undefined,
    path,
    query,
    fragment,
  });
}

function compact(parts: Partial<Record<UriPart, string | undefined>>): UriParts {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

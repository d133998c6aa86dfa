import type { Context } from 'hono';
import type { Permission } from '../access/accounts/access-control.ts';
import type { Author } from '../access/accounts/account.ts';
import type { SubjectAlternativeName } from '../access/ca/trusted-extensions.ts';
import { badRequestError, noHandler, Refusal } from './exchange/answers.ts';
import type { Route } from './route.ts';
import type { HttpServices } from './services.ts';

/** The identity in a verified client certificate. */
export interface Peer {
  readonly certname: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** `$trusted['extensions']`. */
  readonly extensions: ReadonlyMap<string, string>;
  /** All other extensions by OID, for authorization rules. */
  readonly extensionsOutsideTrusted?: ReadonlyMap<string, string>;
  readonly alternativeNames?: readonly SubjectAlternativeName[];
  /** The name of the issuing CA. */
  readonly issuer: string;
  /** DER. */
  readonly certificate: Uint8Array;
}

/** Values an entry point passes with a request. */
export interface Bindings {
  /** Null without a certificate, or with one of a foreign CA. Never taken from a header. */
  readonly peer: Peer | null;
  /**
   * Sends the client an interim answer that its request is in progress; absent where the transport
   * cannot.
   */
  readonly reportProgress?: () => void;
  /**
   * The rest of the request's body is not read, and the connection ends after the answer; absent
   * where bodies are there as a whole.
   */
  readonly abandonBody?: () => void;
  /**
   * Who gets a share of the server's work: a certificate, or an address without one. Absent where
   * the transport serves one client at a time.
   */
  readonly client?: string;
  /** The transport's limit of a response body in bytes; absent without one. */
  readonly largestAnswer?: number;
  /** The login of the user whose token the request has; absent without one. */
  readonly user?: string;
  /** The same user, for what runs later; absent without one. */
  readonly author?: Author;
  /** Whether that user has a further permission; absent where a rule permits the whole request. */
  readonly permits?: (permission: Permission) => Promise<boolean>;
  /** Whether another front door forwarded the request, and asserts who sent it. */
  readonly isForwarded?: boolean;
}

export type HttpContext = Context<{ Bindings: Bindings }>;

/**
 * One path. The rules in `authorization/` decide who may use it; a path without a rule is denied.
 */
export interface Endpoint<in Services = HttpServices> extends Route<Services> {
  /**
   * The result depends on the certificate of the node named in `:certname`: no rule can allow other
   * clients.
   */
  readonly onlyNodeItself?: boolean;
  /**
   * A node's request that needs the CA's key: a front door without it forwards the request. A front
   * door with the key accepts nothing else that is forwarded.
   */
  readonly needsKey?: boolean;
  /** Whether the answer belongs to the node's catalog: the server that compiles it answers. */
  readonly isOfCatalog?: boolean;
}

/** The client's certname, for an endpoint that demands a certificate. */
export function certnameOf(context: HttpContext): string {
  const { peer } = context.env;
  if (peer === null) throw new Error('invariant: the endpoint is open to clients without a certificate');
  return peer.certname;
}

/** The certname in the request path. Refuses an invalid one. */
export function certnameIn(context: HttpContext): string {
  const certname = context.req.param('certname') ?? '';
  if (!/^[\w.-]{1,255}$/.test(certname)) throw badRequestError(`'${certname}' is not a certname`);
  return certname;
}

/** The path after `prefix`, decoded, with repeated slashes merged. Refuses an empty one. */
export function pathBehind(context: HttpContext, prefix: string): string {
  const { pathname } = new URL(context.req.url);
  if (!pathname.startsWith(prefix)) {
    const { method } = context.req;
    throw new Refusal(`No ${pathname}`, () => noHandler(method, pathname, context.req.header('Accept')));
  }
  const key = decodeURIComponent(pathname.slice(prefix.length))
    .replace(/\/{2,}/g, '/')
    .replace(/^\//, '');
  if (key === '') throw badRequestError(`No request key specified in ${prefix}`);
  return key;
}

/** The node named in the path; by default only that node may send the request. */
export function getCertname(context: HttpContext): string {
  return context.req.param('certname') ?? certnameOf(context);
}

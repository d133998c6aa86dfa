import type { Context } from 'hono';
import type { SubjectAlternativeName } from '../access/ca/trusted-extensions.ts';
import { badRequestError, noHandler, Refusal } from './exchange/answers.ts';
import type { HttpServices } from './services.ts';

/** Who a verified client certificate says the client is. */
export interface Peer {
  readonly certname: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** `$trusted['extensions']`. */
  readonly extensions: ReadonlyMap<string, string>;
  /** What rules of authorization may be about, too. */
  readonly otherExtensions?: ReadonlyMap<string, string>;
  readonly alternativeNames?: readonly SubjectAlternativeName[];
  /** The name of the CA that signed it. */
  readonly issuer: string;
  /** DER. */
  readonly certificate: Uint8Array;
}

/** What an entry point hands over with a request. */
export interface Bindings {
  /**
   * Null without a certificate, or with one that our CA did not sign. Never taken from a header.
   */
  readonly peer: Peer | null;
  /**
   * Tells the client that its request is still worked on, without an answer; absent where the
   * transport cannot.
   */
  readonly reportProgress?: () => void;
  /** How many bytes of body the transport carries at most; absent where there is no bound. */
  readonly largestAnswer?: number;
}

export type HttpContext = Context<{ Bindings: Bindings }>;

/** One path. Who may use it say the rules of `authorization/`; what they do not name is denied. */
export interface Endpoint {
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  readonly path: string;
  /**
   * What is answered or stored depends on the certificate of the node that `:certname` names: no
   * rule opens it to others.
   */
  readonly onlyNodeItself?: boolean;
  handle(context: HttpContext, services: HttpServices): Promise<Response>;
}

/** The certname of a request whose endpoint demands a certificate. */
export function certnameOf(context: HttpContext): string {
  const { peer } = context.env;
  if (peer === null) throw new Error('invariant: the endpoint is open to clients without a certificate');
  return peer.certname;
}

/** The certname in the path of a request. Refuses what can be none. */
export function certnameIn(context: HttpContext): string {
  const certname = context.req.param('certname') ?? '';
  if (!/^[\w.-]{1,255}$/.test(certname)) throw badRequestError(`'${certname}' is no certname`);
  return certname;
}

/**
 * What stands in the path behind `prefix`, decoded, several slashes as one. Refuses when nothing
 * does.
 */
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

/** The node that the path names; by default only that node itself may ask. */
export function getCertname(context: HttpContext): string {
  return context.req.param('certname') ?? certnameOf(context);
}

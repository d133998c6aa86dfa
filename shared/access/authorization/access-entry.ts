import type { SubjectAlternativeName } from '../ca/trusted-extensions.ts';
import { InvalidAuthorization } from './place.ts';

/**
 * Access control entries: whom an authorization rule allows or denies. Follows
 * trapperkeeper-authorization (acl.clj).
 */

/** The identity of a client with a certificate of our CA. */
export interface Identity {
  readonly certname: string;
  /** Puppet's extensions, by short name, else by OID. */
  readonly extensions: ReadonlyMap<string, string>;
  /** All other extensions, by OID. */
  readonly extensionsOutsideTrusted?: ReadonlyMap<string, string>;
  /** The certificate's subject alternative names. */
  readonly alternativeNames?: readonly SubjectAlternativeName[];
}

/** Whether the entry names `identity`; `captures` are the captured groups of the rule's path. */
export type AccessRule = (identity: Identity, captures: readonly string[]) => boolean;

const EXACT = /^(\w[-\w]*\.)+[-\w]+$|^\w[-.@\w]*$/;
const WILDCARD = /^\*(\.\w[-\w]*)+$/;
const BACKREFERENCE = /\$(\d+)/g;

/**
 * A certname, `*.example.com`, `*`, `$1`, or `/regular expression/`. Throws InvalidAuthorization.
 */
export function certnameEntry(pattern: string): AccessRule {
  if (pattern === '*') return () => true;
  if (WILDCARD.test(pattern)) {
    const suffix = pattern.slice(1).toLowerCase();
    // Puppet: `*.example.com` matches `example.com` too, acl.clj.
    return matchName((name) => `.${name.toLowerCase()}`.endsWith(suffix));
  }
  if (/\$\d+/.test(pattern)) return backreferenceEntry(pattern);
  if (EXACT.test(pattern)) return matchName((name) => name.toLowerCase() === pattern.toLowerCase());
  const expression = /^\/(.*)\/$/s.exec(pattern)?.[1];
  if (expression === undefined) throw new InvalidAuthorization(`invalid domain value: ${pattern}`);
  const compiled = compileExpression(expression);
  return matchName((name) => compiled.test(name));
}

/** Puppet: DNS names in the certificate count like its certname, acl.clj (match?). */
function matchName(matches: (name: string) => boolean): AccessRule {
  return ({ certname, alternativeNames = [] }) =>
    matches(certname) || alternativeNames.some(({ kind, name }) => kind === 'dns-name' && matches(name));
}

// Differs from Puppet: a name captured from the path matches the certname only, never as a pattern
// or an alternative name. There, a path with `*` in it allows everyone.
function backreferenceEntry(pattern: string): AccessRule {
  return ({ certname }, captures) =>
    certname === pattern.replace(BACKREFERENCE, (_, index) => captures[Number(index) - 1] ?? '');
}

/** A required extension: the names it may have, and the values that match. */
export interface WantedExtension {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** Matches when every extension is present with one of its values. */
export function extensionsEntry(wanted: readonly WantedExtension[]): AccessRule {
  return ({ extensions, extensionsOutsideTrusted }) =>
    wanted.every(({ keys, values }) =>
      keys.some((key) => values.includes(extensions.get(key) ?? extensionsOutsideTrusted?.get(key) ?? NONE)),
    );
}

/** Matches when one of the alternative names is present. */
export function alternativeNamesEntry(wanted: readonly SubjectAlternativeName[]): AccessRule {
  return ({ alternativeNames = [] }) =>
    alternativeNames.some(({ kind, name }) => wanted.some((one) => one.kind === kind && one.name === name));
}

/** Matches no extension's value: certificates hold no NUL. */
const NONE = '\0';

/** The largest capture group that an entry refers to. */
export function largestBackreference(pattern: string): number {
  return Math.max(0, ...[...pattern.matchAll(BACKREFERENCE)].map(([, index]) => Number(index)));
}

/**
 * Converts a Java regular expression to JavaScript; leading flags like `(?i)` apply to all of it.
 * Throws InvalidAuthorization.
 */
export function compileExpression(text: string): RegExp {
  const [, flags = '', rest = text] = /^\(\?([ims]+)\)(.*)$/s.exec(text) ?? [];
  try {
    return new RegExp(rest, flags);
  } catch (error) {
    throw new InvalidAuthorization(`'${text}' is not a regular expression that can be used here: ${String(error)}`);
  }
}

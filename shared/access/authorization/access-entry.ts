import type { SubjectAlternativeName } from '../ca/trusted-extensions.ts';
import { InvalidAuthorization } from './place.ts';

/**
 * Who an authorization rule lets in or keeps out: trapperkeeper-authorization's access control
 * entries (acl.clj).
 */

/** What is known of a client that showed a certificate of ours. */
export interface Identity {
  readonly certname: string;
  /** Those of Puppet, by its short names, else by number. */
  readonly extensions: ReadonlyMap<string, string>;
  /** All others, by number. */
  readonly otherExtensions?: ReadonlyMap<string, string>;
  /** What else the certificate calls its owner. */
  readonly alternativeNames?: readonly SubjectAlternativeName[];
}

/**
 * Whether the entry names `identity`; `captures` are what the groups of the rule's path matched.
 */
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
    // Puppet: `*.example.com` is `example.com` too, acl.clj.
    return matchName((name) => `.${name.toLowerCase()}`.endsWith(suffix));
  }
  if (/\$\d+/.test(pattern)) return backreferenceEntry(pattern);
  if (EXACT.test(pattern)) return matchName((name) => name.toLowerCase() === pattern.toLowerCase());
  const expression = /^\/(.*)\/$/s.exec(pattern)?.[1];
  if (expression === undefined) throw new InvalidAuthorization(`invalid domain value: ${pattern}`);
  const compiled = compileExpression(expression);
  return matchName((name) => compiled.test(name));
}

/**
 * Puppet: the DNS names that the CA put into a certificate count as its certname does, acl.clj
 * (match?).
 */
function matchName(matches: (name: string) => boolean): AccessRule {
  return ({ certname, alternativeNames = [] }) =>
    matches(certname) || alternativeNames.some(({ kind, name }) => kind === 'dns-name' && matches(name));
}

// Differs from Puppet: what the path holds is a certname, never a pattern, nor one of its owner's
// other names; there a path with `*` in it lets everyone in.
function backreferenceEntry(pattern: string): AccessRule {
  return ({ certname }, captures) =>
    certname === pattern.replace(BACKREFERENCE, (_, index) => captures[Number(index) - 1] ?? '');
}

/** A wanted extension: the keys that it may stand under, and the values that it may have. */
export interface WantedExtension {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** All of the extensions must be there, each with one of its values. */
export function extensionsEntry(wanted: readonly WantedExtension[]): AccessRule {
  return ({ extensions, otherExtensions }) =>
    wanted.every(({ keys, values }) =>
      keys.some((key) => values.includes(extensions.get(key) ?? otherExtensions?.get(key) ?? NONE)),
    );
}

/** One of the alternative names must be there. */
export function alternativeNamesEntry(wanted: readonly SubjectAlternativeName[]): AccessRule {
  return ({ alternativeNames = [] }) =>
    alternativeNames.some(({ kind, name }) => wanted.some((one) => one.kind === kind && one.name === name));
}

/** No extension's value: certificates hold texts without NUL. */
const NONE = '\0';

/** How many capture groups an entry refers to at most. */
export function largestBackreference(pattern: string): number {
  return Math.max(0, ...[...pattern.matchAll(BACKREFERENCE)].map(([, index]) => Number(index)));
}

/**
 * A Java expression as JavaScript reads it: leading flags like `(?i)` apply to all of it. Throws
 * InvalidAuthorization.
 */
export function compileExpression(text: string): RegExp {
  const [, flags = '', rest = text] = /^\(\?([ims]+)\)(.*)$/s.exec(text) ?? [];
  try {
    return new RegExp(rest, flags);
  } catch (error) {
    throw new InvalidAuthorization(`'${text}' is not a regular expression that can be used here: ${String(error)}`);
  }
}

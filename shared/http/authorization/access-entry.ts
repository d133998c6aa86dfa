import { extensionOid } from '../../ca/oids.ts';

/** Who an authorization rule lets in or keeps out: trapperkeeper-authorization's access control entries (acl.clj). */

/** What is known of a client that showed a certificate of ours. */
export interface Identity {
  readonly certname: string;
  /** By Puppet's short names, else by number. */
  readonly extensions: ReadonlyMap<string, string>;
}

/** Whether the entry names `identity`; `captures` are what the groups of the rule's path matched. */
export type AccessEntry = (identity: Identity, captures: readonly string[]) => boolean;

/** A rule, or the file of rules, cannot be understood; the message says where and why. */
export class InvalidAuthorization extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidAuthorization';
  }
}

const EXACT = /^(\w[-\w]*\.)+[-\w]+$|^\w[-.@\w]*$/;
const WILDCARD = /^\*(\.\w[-\w]*)+$/;
const BACKREFERENCE = /\$(\d+)/g;

/** A certname, `*.example.com`, `*`, `$1`, or `/regular expression/`. */
export function certnameEntry(pattern: string): AccessEntry {
  if (pattern === '*') return () => true;
  if (WILDCARD.test(pattern)) {
    const suffix = pattern.slice(1).toLowerCase();
    // Puppet: `*.example.com` is `example.com` too, acl.clj.
    return ({ certname }) => `.${certname.toLowerCase()}`.endsWith(suffix);
  }
  if (/\$\d+/.test(pattern)) return backreferenceEntry(pattern);
  if (EXACT.test(pattern)) return ({ certname }) => certname.toLowerCase() === pattern.toLowerCase();
  const expression = /^\/(.*)\/$/s.exec(pattern)?.[1];
  if (expression === undefined) throw new InvalidAuthorization(`invalid domain value: ${pattern}`);
  const compiled = compileExpression(expression);
  return ({ certname }) => compiled.test(certname);
}

// Differs from Puppet: what the path holds is a name, never a pattern; there a path with `*` in it lets everyone in.
function backreferenceEntry(pattern: string): AccessEntry {
  return ({ certname }, captures) =>
    certname === pattern.replace(BACKREFERENCE, (_, index) => captures[Number(index) - 1] ?? '');
}

/** All of the extensions must be there, each with one of its values. `names` translates numbers into names. */
export function extensionsEntry(
  wanted: Readonly<Record<string, readonly string[]>>,
  names: (oid: string) => string,
): AccessEntry {
  const all = Object.entries(wanted).map(([key, values]) => ({ keys: [names(key), extensionOid(key)], values }));
  return ({ extensions }) =>
    all.every(({ keys, values }) => keys.some((key) => values.includes(extensions.get(key) ?? NONE)));
}

/** No extension's value: certificates hold texts without NUL. */
const NONE = '\0';

/** How many capture groups an entry refers to at most. */
export function largestBackreference(pattern: string): number {
  return Math.max(0, ...[...pattern.matchAll(BACKREFERENCE)].map(([, index]) => Number(index)));
}

/** A Java expression as JavaScript reads it: leading flags like `(?i)` apply to all of it. Throws InvalidAuthorization. */
export function compileExpression(text: string): RegExp {
  const [, flags = '', rest = text] = /^\(\?([ims]+)\)(.*)$/s.exec(text) ?? [];
  try {
    return new RegExp(rest, flags);
  } catch (error) {
    throw new InvalidAuthorization(`'${text}' is not a regular expression that can be used here: ${String(error)}`);
  }
}

import { extensionName } from '../../ca/oids.ts';
import { parseHocon } from '../../hiera/hocon.ts';
import { PuppetHash } from '../../types/puppet-hash.ts';
import type { Value } from '../../types/values.ts';
import { type Identity, InvalidAuthorization } from './access-entry.ts';
import { DEFAULT_RULES } from './default-rules.ts';
import { type Rule, readRule } from './rule.ts';

export interface AuthorizedRequest {
  readonly method: string;
  /** Decoded, without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Null: nobody. */
  readonly identity: Identity | null;
}

export interface Verdict {
  readonly allowed: boolean;
  /** The rule that decided; null when none matched, which denies. */
  readonly rule: string | null;
}

/** Who may do what. The first rule that matches a request decides; what no rule matches is denied. Immutable. */
export class Authorization {
  readonly #rules: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    this.#rules = [...rules].sort((a, b) => a.sortOrder - b.sortOrder || compare(a.name, b.name));
  }

  /** The rules that Puppet Server ships with, and those of our own endpoints. */
  static readonly standard = new Authorization(DEFAULT_RULES.map((rule) => readRule(rule)));

  /**
   * Reads an `auth.conf` (HOCON, so JSON too), which replaces the standard rules. Throws InvalidAuthorization.
   * `extensionNames` gives the names of extensions that the site has names for.
   */
  static read(text: string, extensionNames: (oid: string) => string = extensionName): Authorization {
    const { authorization } = asRecord(parsed(text), 'The authorization file is not a map.');
    const section = asRecord(authorization, "The authorization file has no section 'authorization'.");
    if (section.version !== 1)
      throw new InvalidAuthorization('Unsupported version in the authorization file; it must be 1.');
    // Differs from Puppet: who a client is says its certificate, not a header that anyone can send.
    if (section['allow-header-cert-info'] === true) {
      throw new InvalidAuthorization(
        'allow-header-cert-info is not supported: identity is taken from certificates only.',
      );
    }
    if (!Array.isArray(section.rules)) throw new InvalidAuthorization("'authorization.rules' is not a list.");
    return new Authorization(section.rules.map((rule) => readRule(rule, extensionNames)));
  }

  judge(request: AuthorizedRequest): Verdict {
    const method = request.method.toLowerCase();
    for (const rule of this.#rules) {
      const captures = matched(rule, method, request);
      if (captures !== null) return { allowed: isAllowed(rule, request.identity, captures), rule: rule.name };
    }
    return { allowed: false, rule: null };
  }
}

/** The captured groups of the path when the rule is about this request, else null. */
function matched(rule: Rule, method: string, { path, query }: AuthorizedRequest): readonly string[] | null {
  if (rule.methods !== null && !covers(rule.methods, method)) return null;
  const hasParameters = rule.queryParameters.every(([name, values]) =>
    query.getAll(name).some((one) => values.has(one)),
  );
  if (!hasParameters) return null;
  const found = rule.path.exec(path);
  return found === null ? null : found.slice(1);
}

/** A rule about GET is about HEAD, too: that tells less. */
// Differs from Puppet: it answers HEAD for the file bucket alone, and rules of its operators have no reason to name it.
function covers(methods: ReadonlySet<string>, method: string): boolean {
  return methods.has(method) || (method === 'head' && methods.has('get'));
}

function isAllowed(rule: Rule, identity: Identity | null, captures: readonly string[]): boolean {
  if (rule.allowUnauthenticated) return true;
  if (identity === null || rule.deny.some((entry) => entry(identity, captures))) return false;
  return rule.allow.some((entry) => entry(identity, captures));
}

function parsed(text: string): unknown {
  try {
    return plain(parseHocon(text));
  } catch (error) {
    throw new InvalidAuthorization(`The authorization file cannot be read: ${String(error)}`);
  }
}

function plain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof PuppetHash)) return typeof value === 'bigint' ? Number(value) : value;
  return Object.fromEntries([...value].map(([key, member]) => [String(key), plain(member)]));
}

function asRecord(value: unknown, message: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidAuthorization(message);
  return { ...value };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

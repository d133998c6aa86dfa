/** Decides whether a valid request is signed without an operator. */
export type Autosign = (certname: string, requestPem: string) => Promise<boolean>;

/**
 * Rules for certificate requests: Puppet's `autosign`, which signs some at once, and the settings
 * of its ca.conf, which permit some.
 */
export interface SigningPolicy {
  readonly autosign: Autosign;
  /** Whether a certificate may have alternative names: they let a node impersonate another one. */
  readonly allowSubjectAltNames: boolean;
  /** Whether it may have extensions that authorization rules use (`pp_auth_role` …). */
  readonly allowAuthorizationExtensions: boolean;
  /** Whether keys may be weak: RSA below 2048 bits, curves below 256 bits, requests with SHA-1. */
  readonly allowWeakKeys: boolean;
}

export const SIGN_NOTHING: SigningPolicy = {
  autosign: async () => false,
  allowSubjectAltNames: false,
  allowAuthorizationExtensions: false,
  allowWeakKeys: false,
};

/**
 * Whether a line of an autosign.conf matches `certname`: a certname, `*.example.com`, or `*` for
 * all.
 */
export function isListed(autosignList: string, certname: string): boolean {
  return autosignList.split(/\r?\n/).some((line) => matchesLine(line, certname));
}

// Puppet: a line with a blank or a `#` inside is not a pattern and matches nothing,
// certificate_authority.clj.
function matchesLine(line: string, certname: string): boolean {
  if (line.trim() === '' || /[# ]/.test(line)) return false;
  // Differs from Puppet: `*foo` is not a pattern; there it matches every name.
  if (!line.startsWith('*')) return line === certname;
  if (line === '*') return true;
  const wanted = line.toLowerCase().split('.').slice(1);
  return certname.split('.').slice(-wanted.length).join('.') === wanted.join('.');
}

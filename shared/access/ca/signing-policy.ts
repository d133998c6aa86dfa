/** Says of a request that could be signed whether it is, without anyone looking at it. */
export type Autosign = (certname: string, requestPem: string) => Promise<boolean>;

/**
 * What may be signed, and what is signed at once: Puppet's `autosign` and the settings of its
 * ca.conf.
 */
export interface SigningPolicy {
  readonly autosign: Autosign;
  /**
   * Whether a certificate may have names beside its own: those let a node stand in for another one.
   */
  readonly allowSubjectAltNames: boolean;
  /** Whether it may have extensions that authorization rules look at (`pp_auth_role` …). */
  readonly allowAuthorizationExtensions: boolean;
}

export const SIGN_NOTHING: SigningPolicy = {
  autosign: async () => false,
  allowSubjectAltNames: false,
  allowAuthorizationExtensions: false,
};

/**
 * Whether a line of an autosign.conf names `certname`; lines are certnames, `*.example.com`, or `*`
 * for all.
 */
export function isListed(autosignList: string, certname: string): boolean {
  return autosignList.split(/\r?\n/).some((line) => matchesLine(line, certname));
}

// Puppet: a line with a blank or a `#` inside is no pattern and matches nothing,
// certificate_authority.clj.
function matchesLine(line: string, certname: string): boolean {
  if (line.trim() === '' || /[# ]/.test(line)) return false;
  // Differs from Puppet: `*foo` is no pattern; there it matches every name.
  if (!line.startsWith('*')) return line === certname;
  if (line === '*') return true;
  const wanted = line.toLowerCase().split('.').slice(1);
  return certname.split('.').slice(-wanted.length).join('.') === wanted.join('.');
}

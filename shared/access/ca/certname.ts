/**
 * Names under which a node may have a certificate, and so under which anything is stored for it.
 */

const PRINTABLE = /^[ -.0-~]+$/;
const FORMAT = /^(?=[a-z\d_])[\w-]*\w(\.[\w-]*\w)*$/;
const MAXIMUM_LENGTH = 240;

/** Why `certname` cannot be one, in Puppet Server's words; null when it can. */
export function certnameFault(certname: string): string | null {
  if (!PRINTABLE.test(certname)) return 'Subject contains unprintable or non-ASCII characters';
  if (certname !== certname.toLowerCase()) return 'Certificate names must be lower case.';
  if (certname.includes('*')) return `Subject contains a wildcard, which is not allowed: ${certname}`;
  if (certname === 'ca') return "'ca' is the name of the certificate authority, not of a node";
  if (/^\.+$/.test(certname)) return `'${certname}' is not a name`;
  // Puppet: validate-subject! of certificate_authority.clj.
  if (!FORMAT.test(certname)) return 'Subject hostname format is invalid';
  if (certname.length > MAXIMUM_LENGTH) return `Certificate names have at most ${MAXIMUM_LENGTH} characters.`;
  return null;
}

/** Valid certnames: the names under which certificates and other data of a node are stored. */

const PRINTABLE = /^[ -.0-~]+$/;
const FORMAT = /^(?=[a-z\d_])[\w-]*\w(\.[\w-]*\w)*$/;
const MAXIMUM_LENGTH = 240;

/** Why `certname` is invalid, in Puppet Server's words; null when it is valid. */
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

import { X509Certificate } from 'node:crypto';
import { DirectoryRefused } from '../directory/ldap-settings.ts';

/** The connection to an identity provider, with the keys of Puppet Enterprise's API. */
export interface SamlSettings {
  readonly display_name: string;
  readonly idp_entity_id: string;
  readonly idp_sso_url: string;
  /** The address for log-outs; null: users stay logged in there. */
  readonly idp_slo_url: string | null;
  readonly idp_slo_response_url: string | null;
  /** Its certificates, PEM; each of them may have signed. */
  readonly idp_certificate: readonly string[];
  /** Attributes of assertions: the login, the name, the address, the groups. */
  readonly user_lookup_attr: string;
  readonly user_display_name_attr: string;
  readonly user_email_attr: string;
  readonly group_lookup_attr: string;
  readonly want_messages_signed: boolean;
  readonly want_assertions_signed: boolean;
  readonly want_assertions_encrypted: boolean;
  readonly want_name_id_encrypted: boolean;
  readonly name_id_encrypted: boolean;
  readonly sign_metadata: boolean;
  readonly want_xml_validation: boolean;
  readonly allow_duplicated_attribute_name: boolean;
  /** Signs our requests. */
  readonly signature_algorithm: 'rsa-sha256' | 'rsa-sha512';
  /** A class of log-ins, which users must use; null: the provider decides. */
  readonly requested_auth_context: string | null;
  readonly requested_authn_context_comparison: 'exact' | 'minimum' | 'maximum' | 'better';
  /** The origin of the console, as browsers name it. Ours. */
  readonly console_url: string;
  /** Whether users may begin at the provider. Ours. */
  readonly allow_idp_initiated: boolean;
}

type Row = {
  readonly usual?: unknown;
  /** Returns the value as it is stored, or a fault. */
  readonly read: (value: unknown) => { readonly value: unknown } | { readonly fault: string };
};

const LONGEST = 1000;
const MOST_CERTIFICATES = 5;
const LONGEST_PEM = 20_000;
const LEAST_KEY_BITS = 2048;

const accept = (isRight: (value: unknown) => boolean, fault: string): Row => ({
  read: (value) => (isRight(value) ? { value } : { fault }),
});
const isText = (value: unknown): value is string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is not allowed
  typeof value === 'string' && value !== '' && value.length <= LONGEST && !/[\u0000-\u001f\u007f]/.test(value);
const text = accept(isText, `a text of 1 to ${LONGEST} characters`);
const flag = accept((value) => typeof value === 'boolean', 'true or false');
const oneOf = (...values: readonly string[]) =>
  accept((value) => values.some((one) => one === value), `one of ${values.join(', ')}`);
const url = accept(isPageAddress, 'an address that begins with https://');
const orNull = (row: Row): Row => ({
  usual: null,
  read: (value) => (value === null || value === '' ? { value: null } : row.read(value)),
});
const never = (fault: string): Row => ({ usual: false, ...accept((value) => value === false, fault) });

const ROWS: Readonly<Record<keyof SamlSettings, Row>> = {
  display_name: text,
  idp_entity_id: text,
  idp_sso_url: url,
  idp_slo_url: orNull(url),
  idp_slo_response_url: orNull(url),
  idp_certificate: { read: readCertificates },
  user_lookup_attr: text,
  user_display_name_attr: { usual: 'displayName', ...text },
  user_email_attr: { usual: 'mail', ...text },
  group_lookup_attr: { usual: 'groups', ...text },
  want_messages_signed: { usual: false, ...flag },
  want_assertions_signed: { usual: true, ...flag },
  want_assertions_encrypted: never('false: assertions come by TLS, and are not encrypted in addition'),
  want_name_id_encrypted: never('false: names come by TLS, and are not encrypted in addition'),
  name_id_encrypted: never('false: names go by TLS, and are not encrypted in addition'),
  sign_metadata: { usual: false, ...flag },
  want_xml_validation: { usual: true, ...accept((value) => value === true, 'true: XML is always validated') },
  allow_duplicated_attribute_name: { usual: true, ...flag },
  signature_algorithm: { usual: 'rsa-sha256', ...oneOf('rsa-sha256', 'rsa-sha512') },
  requested_auth_context: orNull(text),
  requested_authn_context_comparison: { usual: 'exact', ...oneOf('exact', 'minimum', 'maximum', 'better') },
  console_url: { read: readOrigin },
  allow_idp_initiated: { usual: false, ...flag },
};
/** Keys of Puppet Enterprise that describe the organization: nothing here reads them. */
const IGNORED = /^(?:organi[sz]ation\w*|(?:technical_)?support_\w+)$/;

/**
 * Reads the settings of the connection to an identity provider. Throws DirectoryRefused
 * (`schema-violation`) that names the key.
 */
export function readSamlSettings(given: Readonly<Record<string, unknown>>): SamlSettings {
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(ROWS, key) && !IGNORED.test(key));
  if (unknown.length > 0) throw refuse(`Unknown keys: ${unknown.join(', ').slice(0, LONGEST)}`);
  const read = Object.entries(ROWS).map(([key, { usual, read }]) => {
    const value = given[key] ?? usual;
    if (value === undefined) throw refuse(`The key '${key}' is missing`);
    const found = read(value);
    if ('fault' in found) throw refuse(`The key '${key}' must be ${found.fault}`);
    return [key, found.value] as const;
  });
  const settings = Object.fromEntries(read) as unknown as SamlSettings;
  if (settings.want_messages_signed || settings.want_assertions_signed) return settings;
  throw refuse("One of 'want_messages_signed' and 'want_assertions_signed' must be true");
}

function refuse(message: string): DirectoryRefused {
  return new DirectoryRefused('schema-violation', message);
}

/** Whether a browser may be sent there; over clear text only on this machine, for tests. */
function isPageAddress(value: unknown): boolean {
  if (!isText(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || isLocal) && username === '' && password === '';
}

function readOrigin(value: unknown): ReturnType<Row['read']> {
  const fault = { fault: 'the origin of the console, such as https://puppet.example.com:8443' };
  if (!isText(value) || !URL.canParse(value)) return fault;
  const { protocol, origin, pathname, search, hash, username } = new URL(value);
  const isOrigin = protocol === 'https:' && pathname === '/' && `${search}${hash}${username}` === '';
  return isOrigin ? { value: origin } : fault;
}

/** Certificates as PEM, or as the Base64 in it; one or a list. */
function readCertificates(value: unknown): ReturnType<Row['read']> {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const fault = { fault: `1 to ${MOST_CERTIFICATES} certificates of RSA keys of at least ${LEAST_KEY_BITS} bits` };
  if (given.length === 0 || given.length > MOST_CERTIFICATES) return fault;
  const read = given.map(readCertificate);
  return read.includes(null) ? fault : { value: read };
}

function readCertificate(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_PEM) return null;
  try {
    const base64 = value.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, '');
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    const isStrong = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_KEY_BITS;
    return isStrong ? certificate.toString() : null;
  } catch {
    return null;
  }
}

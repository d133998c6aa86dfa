/** A connection to a directory that cannot be made, is not there, or does not work. */
export class DirectoryRefused extends Error {
  readonly kind: 'schema-violation' | 'not-found' | 'conflict' | 'directory-unavailable';

  constructor(kind: DirectoryRefused['kind'], message: string) {
    super(message);
    this.name = 'DirectoryRefused';
    this.kind = kind;
  }
}

/** A connection to a directory, with the keys of Puppet Enterprise's API. */
export interface LdapSettings {
  readonly display_name: string;
  readonly help_link: string;
  readonly hostname: string;
  readonly port: number;
  /** The DN under which the directory is searched; null: anybody may search it. */
  readonly login: string | null;
  /** Seconds. */
  readonly connect_timeout: number;
  /** TLS from the first byte. */
  readonly ssl: boolean;
  /** TLS after a request for it. */
  readonly start_tls: boolean;
  readonly ssl_hostname_validation: boolean;
  /** Certificates of the directory's CAs, PEM; null: those of the system. Ours. */
  readonly certificates: string | null;
  readonly base_dn: string;
  /** Below the base; null: users are anywhere in it. */
  readonly user_rdn: string | null;
  readonly user_lookup_attr: string;
  readonly user_display_name_attr: string;
  readonly user_email_attr: string;
  readonly group_rdn: string | null;
  readonly group_object_class: string;
  readonly group_member_attr: string;
  readonly group_name_attr: string;
  /** The attribute that the login of an imported group is compared with. */
  readonly group_lookup_attr: string;
  readonly search_nested_groups: boolean;
}

type Row = { readonly usual?: unknown; readonly isFault: (value: unknown) => string | null };

const LONGEST = 1000;
const LONGEST_PEM = 100_000;
const text = (most = LONGEST) => ({
  isFault: (value: unknown) => (typeof value === 'string' && value.length <= most ? null : 'a text'),
});
const word = {
  isFault: (value: unknown) => (typeof value === 'string' && /^[\w.;-]{1,100}$/.test(value) ? null : 'an attribute'),
};
const flag = { isFault: (value: unknown) => (typeof value === 'boolean' ? null : 'true or false') };
const orNull = (row: Row): Row => ({ usual: null, isFault: (value) => (value === null ? null : row.isFault(value)) });
const number = (least: number, most: number): Row => ({
  isFault: (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `a whole number from ${least} to ${most}`,
});

const ROWS: Readonly<Record<keyof LdapSettings, Row>> = {
  display_name: text(),
  help_link: { usual: '', ...text() },
  hostname: {
    isFault: (value) => (typeof value === 'string' && /^[\w.:-]{1,255}$/.test(value) ? null : 'a name or an address'),
  },
  port: number(1, 65_535),
  login: orNull(text()),
  connect_timeout: { usual: 10, ...number(1, 60) },
  ssl: { usual: true, ...flag },
  start_tls: { usual: false, ...flag },
  ssl_hostname_validation: { usual: true, ...flag },
  certificates: orNull(text(LONGEST_PEM)),
  base_dn: text(),
  user_rdn: orNull(text()),
  user_lookup_attr: word,
  user_display_name_attr: { usual: 'cn', ...word },
  user_email_attr: { usual: 'mail', ...word },
  group_rdn: orNull(text()),
  group_object_class: { usual: 'groupOfUniqueNames', ...word },
  group_member_attr: { usual: 'uniqueMember', ...word },
  group_name_attr: { usual: 'cn', ...word },
  group_lookup_attr: { usual: 'cn', ...word },
  search_nested_groups: { usual: false, ...flag },
};
/** Keys of Puppet Enterprise that change nothing here: levels of groups are asked one by one. */
const IGNORED = ['disable_ldap_matching_rule_in_chain', 'ssl_wildcard_validation', 'type'];

/**
 * Reads the settings of a connection, but for `id` and `password`. Throws DirectoryRefused
 * (`schema-violation`) that names the key.
 */
export function readLdapSettings(given: Readonly<Record<string, unknown>>): LdapSettings {
  const unknown = Object.keys(given).filter(
    (key) => !Object.hasOwn(ROWS, key) && ![...IGNORED, 'id', 'password'].includes(key),
  );
  if (unknown.length > 0) throw new DirectoryRefused('schema-violation', `Unknown keys: ${unknown.join(', ')}`);
  const read = Object.entries(ROWS).map(([key, { usual, isFault }]) => {
    const value = given[key] ?? usual;
    if (value === undefined) throw new DirectoryRefused('schema-violation', `The key '${key}' is missing`);
    const fault = isFault(value);
    if (fault !== null) throw new DirectoryRefused('schema-violation', `The key '${key}' must be ${fault}`);
    return [key, value] as const;
  });
  const settings = Object.fromEntries(read) as unknown as LdapSettings;
  if (settings.ssl && settings.start_tls) {
    throw new DirectoryRefused('schema-violation', "Only one of 'ssl' and 'start_tls' can be true");
  }
  return settings;
}

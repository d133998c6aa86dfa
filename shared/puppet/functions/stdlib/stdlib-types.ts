/** puppetlabs-stdlib's type aliases that its functions use. */

const IPV4_OCTET = '([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])';

export const ADDRESS_TYPES: Readonly<Record<string, string>> = {
  'Stdlib::IP::Address::V4::Nosubnet': `Pattern[/\\A${IPV4_OCTET}(\\.${IPV4_OCTET}){3}\\z/]`,
};

const LABEL = '([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]*[a-zA-Z0-9])';
const ZONE_LABEL = '([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';

export const DOMAIN_TYPES: Readonly<Record<string, string>> = {
  'Stdlib::Fqdn': `Pattern[/\\A(${LABEL}\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9])\\z/]`,
  'Stdlib::Dns::Zone': `Pattern[/\\A((${ZONE_LABEL}\\.)+|\\.)\\z/]`,
  'Stdlib::Email':
    "Pattern[/\\A[a-zA-Z0-9.!#$%&'*+\\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?" +
    '(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\\z/]',
};

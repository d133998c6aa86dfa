/**
 * The certificate extensions of `$trusted['extensions']` with Puppet's names
 * (lib/puppet/ssl/oids.rb).
 */

export const REGISTERED_EXTENSIONS = '1.3.6.1.4.1.34380.1.1';
export const PRIVATE_EXTENSIONS = '1.3.6.1.4.1.34380.1.2';
export const AUTHORIZATION_EXTENSIONS = '1.3.6.1.4.1.34380.1.3';

const REGISTERED_NAMES = [
  'pp_uuid',
  'pp_instance_id',
  'pp_image_name',
  'pp_preshared_key',
  'pp_cost_center',
  'pp_product',
  'pp_project',
  'pp_application',
  'pp_service',
  'pp_employee',
  'pp_created_by',
  'pp_environment',
  'pp_role',
  'pp_software_version',
  'pp_department',
  'pp_cluster',
  'pp_provisioner',
  'pp_region',
  'pp_datacenter',
  'pp_zone',
  'pp_network',
  'pp_securitypolicy',
  'pp_cloudplatform',
  'pp_apptier',
  'pp_hostname',
  'pp_owner',
];

const NAMES: ReadonlyMap<string, string> = new Map([
  ...REGISTERED_NAMES.map((name, index) => [`${REGISTERED_EXTENSIONS}.${index + 1}`, name] as const),
  [`${AUTHORIZATION_EXTENSIONS}.1`, 'pp_authorization'],
  [`${AUTHORIZATION_EXTENSIONS}.13`, 'pp_auth_role'],
]);

/**
 * The name of an extension, such as `pp_role` for `1.3.6.1.4.1.34380.1.1.13`; the OID itself when
 * Puppet has no name for it.
 */
export function getExtensionName(oid: string): string {
  return NAMES.get(oid) ?? oid;
}

/** Whether `oid` is below one of the arcs; an arc itself is not. */
export function isInArc(oid: string, ...arcs: readonly string[]): boolean {
  return arcs.some((arc) => oid.startsWith(`${arc}.`));
}

/** Puppet Server's extension for CA administrators; `puppet` itself has no name for it. */
export const CLI_AUTHORIZATION = `${AUTHORIZATION_EXTENSIONS}.39`;

const OIDS: ReadonlyMap<string, string> = new Map([
  ...[...NAMES].map(([oid, name]) => [name, oid] as const),
  ['pp_cli_auth', CLI_AUTHORIZATION],
]);

/** The OID of an extension by Puppet's name; any other text is returned unchanged. */
export function extensionOid(name: string): string {
  return OIDS.get(name) ?? name;
}

import type { ResourceTypeInfo } from '../../evaluator/ports.ts';
import type { Language } from '../../levels/language.ts';
import { type TypeSketch, typeFromSketch } from './builtin-types.ts';

/**
 * Resource types of the modules in Puppet's packages (augeas_core, cron_core, host_core,
 * mount_core, scheduled_task, selinux_core, sshkeys_core, yumrepo_core, zfs_core, zone_core). Code
 * may use them without deploying these modules. Puppet: setting vendormoduledir,
 * lib/puppet/util/autoload.rb
 */
const SKETCHES: Readonly<Record<string, TypeSketch>> = {
  augeas: {
    properties: 'returns',
    parameters: 'name context onlyif changes root load_path force type_check lens incl show_diff provider',
  },
  cron: {
    properties: 'ensure command special minute hour weekday month monthday environment user target',
    parameters: 'name provider',
  },
  host: {
    properties: 'ensure ip host_aliases comment target',
    parameters: 'name provider',
  },
  mount: {
    properties: 'ensure device blockdevice fstype options pass atboot dump target',
    parameters: 'name remounts provider',
  },
  scheduled_task: {
    properties: 'ensure enabled command working_dir arguments description user compatibility trigger',
    parameters: 'name password provider',
  },
  selboolean: {
    properties: 'value',
    parameters: 'name persistent provider',
  },
  selmodule: {
    properties: 'ensure syncversion',
    parameters: 'name selmoduledir selmodulepath provider',
  },
  ssh_authorized_key: {
    properties: 'ensure type key user target options',
    parameters: 'name drop_privileges provider',
  },
  sshkey: {
    namevars: ['type', 'name'],
    titlePatterns: [
      { pattern: '^(.*?)@(.*)$', groups: ['name', 'type'] },
      { pattern: '^([^@]+)$', groups: ['name'] },
    ],
    properties: 'ensure key host_aliases target',
    parameters: 'type name provider',
  },
  yumrepo: {
    properties:
      'ensure descr mirrorlist baseurl enabled gpgcheck payload_gpgcheck repo_gpgcheck gpgkey mirrorlist_expire ' +
      'include exclude gpgcakey includepkgs enablegroups module_hotfixes failovermethod keepalive retries ' +
      'http_caching timeout metadata_expire protect priority minrate throttle bandwidth cost proxy ' +
      'proxy_username proxy_password s3_enabled sslcacert sslverify sslclientcert sslclientkey metalink ' +
      'skip_if_unavailable assumeyes deltarpm_percentage deltarpm_metadata_percentage username password',
    parameters: 'name target provider',
  },
  zfs: {
    properties:
      'ensure aclinherit aclmode acltype atime canmount checksum compression copies dedup defaultuserquota ' +
      'devices exec logbias mountpoint nbmand overlay primarycache quota readonly recordsize refquota ' +
      'refreservation relatime reservation secondarycache setuid shareiscsi sharenfs sharesmb snapdir sync ' +
      'version volsize vscan xattr zoned',
    parameters: 'name provider',
  },
  zone: {
    properties: 'ensure ip iptype autoboot path pool shares dataset inherit',
    parameters: 'name id clone sysidcfg create_args install_args realhostname provider',
  },
  zpool: {
    namevars: ['pool'],
    properties: 'ensure disk mirror raidz spare log cache ashift autoexpand failmode',
    parameters: 'pool raid_parity provider',
  },
};

const TYPES: ReadonlyMap<string, ResourceTypeInfo> = new Map(
  Object.entries(SKETCHES).map(([name, sketch]) => [name, typeFromSketch(name, sketch)]),
);

/** Finds a type by its name in lower case. A module's type of the same name takes precedence. */
export function findVendoredType(name: string, { vendoredZone }: Language): ResourceTypeInfo | null {
  return name === 'zone' && !vendoredZone ? null : (TYPES.get(name) ?? null);
}

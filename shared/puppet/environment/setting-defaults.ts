import type { Value } from '../types/values/values.ts';

/** Directories and names of a Puppet Server installed from packages. */
const BASE = {
  certname: 'puppet',
  server: 'puppet',
  confdir: '/etc/puppetlabs/puppet',
  vardir: '/opt/puppetlabs/server/data/puppetserver',
  logdir: '/var/log/puppetlabs/puppetserver',
  rundir: '/var/run/puppetlabs/puppetserver',
  publicdir: '/opt/puppetlabs/puppet/public',
  cadir: '/etc/puppetlabs/puppetserver/ca',
  ssldir: '$confdir/ssl',
  statedir: '$vardir/state',
  libdir: '$vardir/lib',
};

/** Settings with a text default; `$name` in it refers to the setting of that name. */
const TEXTS = {
  ...BASE,
  agent_catalog_run_lockfile: '$statedir/agent_catalog_run.lock',
  agent_disabled_lockfile: '$statedir/agent_disabled.lock',
  autosign: '$confdir/autosign.conf',
  bucketdir: '$vardir/bucket',
  ca_name: 'Puppet CA: $certname',
  ca_server: '$server',
  cacert: '$cadir/ca_crt.pem',
  cacrl: '$cadir/ca_crl.pem',
  cakey: '$cadir/ca_key.pem',
  capub: '$cadir/ca_pub.pem',
  catalog_terminus: 'compiler',
  cert_inventory: '$cadir/inventory.txt',
  certdir: '$ssldir/certs',
  certificate_revocation: 'chain',
  ciphers: [
    'ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-RSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305 ECDHE-RSA-CHACHA20-POLY1305 DHE-RSA-AES128-GCM-SHA256 DHE-RSA-AES256-GCM-SHA384',
    'DHE-RSA-CHACHA20-POLY1305 ECDHE-ECDSA-AES128-SHA256 ECDHE-RSA-AES128-SHA256 ECDHE-ECDSA-AES128-SHA',
    'ECDHE-RSA-AES128-SHA ECDHE-ECDSA-AES256-SHA384 ECDHE-RSA-AES256-SHA384 ECDHE-ECDSA-AES256-SHA ECDHE-RSA-AES256-SHA',
    'DHE-RSA-AES128-SHA256 DHE-RSA-AES256-SHA256 AES128-GCM-SHA256 AES256-GCM-SHA384 AES128-SHA256 AES256-SHA256',
  ]
    .join(' ')
    .replaceAll(' ', ':'),
  classfile: '$statedir/classes.txt',
  client_datadir: '$vardir/client_data',
  clientbucketdir: '$vardir/clientbucket',
  clientyamldir: '$vardir/client_yaml',
  code: '',
  color: 'ansi',
  config: '$confdir/$config_file_name',
  config_file_name: 'puppet.conf',
  config_version: '',
  configprint: '',
  csr_attributes: '$confdir/csr_attributes.yaml',
  csrdir: '$cadir/requests',
  data_binding_terminus: 'hiera',
  default_file_terminus: 'rest',
  default_manifest: './manifests',
  deviceconfdir: '$confdir/devices',
  deviceconfig: '$confdir/device.conf',
  devicedir: '$vardir/devices',
  diff: 'diff',
  diff_args: '-u',
  digest_algorithm: 'sha256',
  dns_alt_names: '',
  external_nodes: 'none',
  factpath: '$vardir/lib/facter:$vardir/facts',
  facts_terminus: 'facter',
  fileserverconfig: '$confdir/fileserver.conf',
  graphdir: '$statedir/graphs',
  group: 'puppet',
  hiera_config: '$confdir/hiera.yaml',
  hostcert: '$certdir/$certname.pem',
  hostcrl: '$ssldir/crl.pem',
  hostcsr: '$requestdir/$certname.pem',
  hostprivkey: '$privatekeydir/$certname.pem',
  hostpubkey: '$publickeydir/$certname.pem',
  http_proxy_host: 'none',
  http_proxy_password: 'none',
  http_proxy_user: 'none',
  key_type: 'rsa',
  lastrunfile: '$publicdir/last_run_summary.yaml',
  lastrunreport: '$statedir/last_run_report.yaml',
  ldapattrs: 'all',
  ldapbase: '',
  ldapclassattrs: 'puppetclass',
  ldapparentattr: 'parentnode',
  ldappassword: '',
  ldapserver: 'ldap',
  ldapstackedattrs: 'puppetvar',
  ldapstring: '(&(objectclass=puppetClient)(cn=%s))',
  ldapuser: '',
  localcacert: '$certdir/ca.pem',
  localedest: '$vardir/locales',
  localesource: 'puppet:///locales',
  log_level: 'notice',
  module_repository: 'https://forgeapi.puppet.com',
  module_working_dir: '$vardir/puppet-module',
  named_curve: 'prime256v1',
  no_proxy: 'localhost, 127.0.0.1',
  node_name_fact: '',
  node_name_value: '$certname',
  node_terminus: 'plain',
  passfile: '$privatedir/password',
  path: 'none',
  pidfile: '$rundir/puppetserver.pid',
  plugindest: '$libdir',
  pluginfactdest: '$vardir/facts.d',
  pluginfactsource: 'puppet:///pluginfacts',
  pluginsignore: '.svn CVS .git .hg',
  pluginsource: 'puppet:///plugins',
  postrun_command: '',
  preferred_serialization_format: 'json',
  prerun_command: '',
  preview_outputdir: '$vardir/preview',
  privatedir: '$ssldir/private',
  privatekeydir: '$ssldir/private_keys',
  publickeydir: '$ssldir/public_keys',
  puppetdlog: '$logdir/puppetd.log',
  report_server: '$server',
  reportdir: '$vardir/reports',
  reports: 'store',
  reporturl: 'http://localhost:3000/reports/upload',
  requestdir: '$ssldir/certificate_requests',
  resourcefile: '$statedir/resources.txt',
  route_file: '$confdir/routes.yaml',
  serial: '$cadir/serial',
  server_datadir: '$vardir/server_data',
  signeddir: '$cadir/signed',
  skip_tags: '',
  ssl_client_header: 'HTTP_X_CLIENT_DN',
  ssl_client_verify_header: 'HTTP_X_CLIENT_VERIFY',
  ssl_lockfile: '$ssldir/ssl.lock',
  statefile: '$statedir/state.yaml',
  storeconfigs_backend: 'puppetdb',
  syslogfacility: 'daemon',
  tags: '',
  transactionstorefile: '$statedir/transactionstore.yaml',
  trusted_oid_mapping_file: '$confdir/custom_trusted_oid_mapping.yaml',
  user: 'puppet',
  vendormoduledir: '/opt/puppetlabs/puppet/vendor_modules',
  yamldir: '$vardir/yaml',
};

/** Settings with the default true; names are separated by blanks. */
const TRUE =
  'always_retry_plugins autoflush daemonize default_schedules disable_i18n exclude_unchanged_resources ' +
  'manage_internal_file_permissions pluginsync report report_configured_environmentpath rich_data settings_catalog ' +
  'static_catalogs use_last_environment usecacheonfailure write_catalog_summary';
const FALSE =
  'allow_duplicate_certs allow_pson_serialization disable_per_environment_manifest document_all evaltrace ' +
  'freeze_main genconfig genmanifest graph http_debug ignore_plugin_errors ignoremissingtypes ignoreschedules ' +
  'include_legacy_facts ldapssl ldaptls location_trusted merge_dependency_warnings mkusers noop onetime ' +
  'preprocess_deferred profile puppet_trace report_include_system_store resubmit_facts show_diff ' +
  'skip_logging_catalog_request_destination splay strict_environment_mode summarize trace use_cached_catalog ' +
  'use_srv_records versioned_environment_dirs';
const UNDEF =
  'binder_config ca_fingerprint catalog_cache_terminus environment_data_provider forge_authorization logdest ' +
  'module_groups node_cache_terminus priority sourceaddress srv_domain ssl_trust_store trusted_external_command';
const EMPTY = 'http_extra_headers server_list';

/** Settings with an integer default; durations are in seconds. */
const INTEGERS = {
  ca_port: 8140n,
  ca_refresh_interval: 86_400n,
  ca_ttl: 157_680_000n,
  crl_refresh_interval: 86_400n,
  environment_timeout: 0n,
  fact_name_length_soft_limit: 2_560n,
  fact_value_length_soft_limit: 4_096n,
  filetimeout: 15n,
  hostcert_renewal_interval: 2_592_000n,
  http_connect_timeout: 120n,
  http_keepalive_timeout: 4n,
  http_proxy_port: 3128n,
  http_read_timeout: 600n,
  keylength: 4096n,
  ldapport: 389n,
  masterport: 8140n,
  max_deprecations: 10n,
  max_errors: 10n,
  max_warnings: 10n,
  maximum_uid: 4_294_967_290n,
  maxwaitforlock: 60n,
  number_of_facts_soft_limit: 10_240n,
  payload_soft_limit: 16_777_216n,
  report_port: 8140n,
  runinterval: 1_800n,
  runtimeout: 3_600n,
  serverport: 8140n,
  splaylimit: 1_800n,
  statettl: 2_764_800n,
  top_level_facts_soft_limit: 512n,
  waitforcert: 120n,
  waitforlock: 0n,
};

/** Puppet 8's settings with their defaults on a Puppet Server. Puppet: lib/puppet/defaults.rb */
const SETTING_DEFAULTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...expandTexts(TEXTS),
  ...namesIn(TRUE).map((name) => [name, true] as const),
  ...namesIn(FALSE).map((name) => [name, false] as const),
  ...namesIn(UNDEF).map((name) => [name, null] as const),
  ...namesIn(EMPTY).map((name) => [name, []] as const),
  ...Object.entries(INTEGERS),
  ['maxwaitforcert', Number.POSITIVE_INFINITY],
  ['supported_checksum_types', ['sha256', 'sha384', 'sha512', 'sha224', 'md5']],
]);

/** Returns the settings' defaults. `texts`: values in place of some, which others follow. */
export function settingDefaults(texts: Readonly<Record<string, string>> = {}): ReadonlyMap<string, Value> {
  if (Object.keys(texts).length === 0) return SETTING_DEFAULTS;
  return new Map([...SETTING_DEFAULTS, ...expandTexts({ ...TEXTS, ...texts })]);
}

function namesIn(list: string): string[] {
  return list.split(' ');
}

function expandTexts(texts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const expand = (name: string): string =>
    (texts[name] ?? '').replace(/\$(\w+)/g, (_all, other: string) => expand(other));
  return Object.keys(texts).map((name) => [name, expand(name)] as const);
}

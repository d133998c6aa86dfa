import { posix } from 'node:path';
import type { CompileContext } from '../evaluator/ports.ts';
import type { Value } from '../types/values.ts';

/** Settings of a compile master as `$settings::name` shows them: Puppet's defaults, and what this compile is told. */
export function settingsOf({ settings, environment, node }: CompileContext): ReadonlyMap<string, Value> {
  const code = posix.dirname(posix.dirname(environment.root));
  return new Map<string, Value>([
    ...Object.entries(DEFAULTS),
    ['environment', environment.name],
    ['environmentpath', posix.dirname(environment.root)],
    ['codedir', code],
    ['basemodulepath', posix.join(code, 'modules')],
    ['modulepath', environment.modulepath.join(':')],
    ['manifest', environment.manifest ?? ''],
    ['strict', settings.strict],
    ['strict_variables', settings.strictVariables],
    ['storeconfigs', settings.storeconfigs],
    ['tasks', settings.tasks],
    ['node_name_value', node.certname],
  ]);
}

const DEFAULTS: Readonly<Record<string, Value>> = {
  autosign: '/etc/puppetlabs/puppet/autosign.conf',
  ca_name: 'Puppet CA: puppet',
  ca_port: 8140n,
  ca_server: 'puppet',
  cadir: '/etc/puppetlabs/puppetserver/ca',
  certname: 'puppet',
  classfile: '/opt/puppetlabs/puppet/cache/state/classes.txt',
  confdir: '/etc/puppetlabs/puppet',
  config: '/etc/puppetlabs/puppet/puppet.conf',
  digest_algorithm: 'sha256',
  environment_timeout: 0n,
  freeze_main: false,
  group: 'puppet',
  hiera_config: '/etc/puppetlabs/puppet/hiera.yaml',
  hostcert: '/etc/puppetlabs/puppet/ssl/certs/puppet.pem',
  hostprivkey: '/etc/puppetlabs/puppet/ssl/private_keys/puppet.pem',
  http_proxy_host: 'none',
  http_proxy_port: 3128n,
  ignoreschedules: false,
  localcacert: '/etc/puppetlabs/puppet/ssl/certs/ca.pem',
  logdir: '/var/log/puppetlabs/puppet',
  masterport: 8140n,
  node_name: 'cert',
  node_name_fact: '',
  node_terminus: 'plain',
  noop: false,
  ordering: 'manifest',
  priority: null,
  report_server: 'puppet',
  reports: 'store',
  rich_data: true,
  rundir: '/var/run/puppetlabs',
  runinterval: 1800n,
  server: 'puppet',
  serverport: 8140n,
  ssldir: '/etc/puppetlabs/puppet/ssl',
  static_catalogs: true,
  storeconfigs_backend: 'puppetdb',
  summarize: false,
  trusted_oid_mapping_file: '/etc/puppetlabs/puppet/custom_trusted_oid_mapping.yaml',
  user: 'puppet',
  vardir: '/opt/puppetlabs/puppet/cache',
};

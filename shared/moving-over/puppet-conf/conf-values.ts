import { dirname, resolve } from 'node:path';
import { type ConfSetting, InvalidPuppetConf } from './read-puppet-conf.ts';

/** The values of a server's settings: those of its puppet.conf, else Puppet's defaults. */
export interface ConfValues {
  /** Null when the file does not set it. */
  readonly find: (name: string) => ConfSetting | null;
  /** With its `$names` replaced, or the default's. Throws InvalidPuppetConf. */
  readonly read: (name: string) => string;
}

/** Folders and files by default; `confdir` and what it holds follow from where the file is. */
const DEFAULTS: Readonly<Record<string, string>> = {
  codedir: '/etc/puppetlabs/code',
  vardir: '/opt/puppetlabs/server/data/puppetserver',
  logdir: '/var/log/puppetlabs/puppetserver',
  rundir: '/var/run/puppetlabs/puppetserver',
  ssldir: '$confdir/ssl',
  cadir: '/etc/puppetlabs/puppetserver/ca',
  ...filesBelow('$ssldir'),
};

/** As Debian's packages have them. */
const DEBIAN_DEFAULTS: Readonly<Record<string, string>> = {
  codedir: '/etc/puppet/code',
  vardir: '/var/lib/puppet',
  logdir: '/var/log/puppet',
  rundir: '/run/puppet',
  ssldir: '$vardir/ssl',
  cadir: '/var/lib/puppet/ssl/ca',
  ...filesBelow('$ssldir'),
};

function filesBelow(ssldir: string): Readonly<Record<string, string>> {
  return {
    certdir: `${ssldir}/certs`,
    privatekeydir: `${ssldir}/private_keys`,
    localcacert: '$certdir/ca.pem',
    hostcert: '$certdir/$certname.pem',
    hostprivkey: '$privatekeydir/$certname.pem',
    environmentpath: '$codedir/environments',
    basemodulepath: '$codedir/modules:/opt/puppetlabs/puppet/modules',
    autosign: '$confdir/autosign.conf',
    hiera_config: '$confdir/hiera.yaml',
    trusted_oid_mapping_file: '$confdir/custom_trusted_oid_mapping.yaml',
    serverport: '8140',
    ca_port: '8140',
    server: 'puppet',
    ca_server: '$server',
    run_mode: 'server',
  };
}

/** More replacements are a circle. */
const DEEPEST = 20;
const REFERENCE = /\$(\w+)|\$\{(\w+)\}/g;

/** `hostname` is the certname of a server whose file has none. */
export function createConfValues(
  settings: ReadonlyMap<string, ConfSetting>,
  file: string,
  hostname: string,
): ConfValues {
  const confdir = dirname(resolve(file));
  const defaults = { ...(confdir === '/etc/puppet' ? DEBIAN_DEFAULTS : DEFAULTS), confdir, certname: hostname };
  const expand = (name: string, asked: ConfSetting | null, depth: number): string => {
    const { value, line } = settings.get(name) ?? { value: defaults[name as keyof typeof defaults], line: 0 };
    if (value === undefined) throw new InvalidPuppetConf(`'$${name}' has no value`, file, asked?.line ?? line);
    if (depth > DEEPEST) throw new InvalidPuppetConf(`'$${name}' refers to itself`, file, asked?.line ?? line);
    return value.replaceAll(REFERENCE, (whole, bare: string | undefined, braced: string | undefined) => {
      const other = bare ?? braced ?? '';
      return other === 'environment' ? whole : expand(other, asked ?? settings.get(name) ?? null, depth + 1);
    });
  };
  return { find: (name) => settings.get(name) ?? null, read: (name) => expand(name, settings.get(name) ?? null, 0) };
}

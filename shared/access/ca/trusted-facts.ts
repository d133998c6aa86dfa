import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from './trusted-oid-mapping.ts';

/**
 * `$trusted` of a node with a certificate; `names` are for extensions without a Puppet name:
 * lib/puppet/context/trusted_information.rb.
 */
export function trustedFacts(
  certname: string,
  extensions: ReadonlyMap<string, string>,
  names: TrustedNames = NO_TRUSTED_NAMES,
): PuppetHash {
  const [hostname = certname, ...domain] = certname.split('.');
  return PuppetHash.of([
    ['authenticated', 'remote'],
    ['certname', certname],
    ['extensions', PuppetHash.of([...extensions].map(([key, value]) => [names.get(key) ?? key, value] as const))],
    ['hostname', hostname],
    ['domain', domain.length > 0 ? domain.join('.') : null],
    ['external', new PuppetHash()],
  ]);
}

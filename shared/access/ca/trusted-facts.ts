import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from './trusted-oid-mapping.ts';

/**
 * Returns `$trusted` of a node with a certificate. `extensions` has texts by name or OID; `names`
 * are the operator's names of OIDs (trusted_oid_mapping).
 * Puppet: lib/puppet/context/trusted_information.rb
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

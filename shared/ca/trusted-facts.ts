import { PuppetHash } from '../types/puppet-hash.ts';

/** `$trusted` of a node that showed a certificate: lib/puppet/context/trusted_information.rb. */
export function trustedFacts(certname: string, extensions: ReadonlyMap<string, string>): PuppetHash {
  const [hostname = certname, ...domain] = certname.split('.');
  return PuppetHash.of([
    ['authenticated', 'remote'],
    ['certname', certname],
    ['extensions', PuppetHash.of(extensions)],
    ['hostname', hostname],
    ['domain', domain.length > 0 ? domain.join('.') : null],
    ['external', new PuppetHash()],
  ]);
}

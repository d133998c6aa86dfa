import { expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { compileSource } from '../../../helpers/compile-source.ts';
import { fakeRuby } from '../../../helpers/fake-ruby.ts';

/** The volatile calls of a compile that calls a Ruby function with this text twice. */
function volatileCalls(text: string): readonly string[] {
  const inputs = new Inputs();
  const dispatches = [{ method: 'ask', parameters: [] }];
  const ruby = fakeRuby({ functions: { dns_lookup: { dispatches, body: () => '127.0.0.1' } } });
  const files = { 'modules/dns/lib/puppet/functions/dns_lookup.rb': text };
  const result = compileSource('notice(dns_lookup())\nnotice(dns_lookup())', { files, inputs, ruby });
  expect(result.status === 'needs' ? [] : result.log.map(({ message }) => message)).toEqual(['127.0.0.1', '127.0.0.1']);
  return inputs.getResult().volatile;
}

const BOTH = ['dns_lookup (line: 1)', 'dns_lookup (line: 2)'];

it.each<[string, readonly string[]]>([
  ['Resolv::DNS.new.getaddresses(name)', BOTH],
  ['Socket.getaddrinfo(name, nil)', BOTH],
  ['TCPSocket.gethostbyname(name)', BOTH],
  ["require 'open-uri'", BOTH],
  ['Net::HTTP.get(URI(url))', BOTH],
  ['Puppet::Util::Execution.execute(%w[host a])', BOTH],
  ['# Unlike Resolv, it asks nobody.\nname.downcase', []],
  ['name.upcase', []],
])('names a function of a module volatile that has %j', (text, expected) => {
  expect(volatileCalls(text)).toEqual(expected);
});

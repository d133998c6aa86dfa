/**
 * puppetlabs-stdlib's functions for networks. Follows its lib/puppet/parser/functions and
 * lib/puppet/functions.
 */

import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { type IpNetwork, includesNetwork, parseNetwork, printNetworkAddress } from '../../ruby-core/ip-address.ts';
import { rubyEquals, uniqueBy } from '../../types/equality.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { digInto } from '../collections/dig.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';
import { ADDRESS_TYPES } from './stdlib-types.ts';

function parseRequiredNetwork(text: string): IpNetwork {
  // Ruby's IPAddr clears the text before it builds the message.
  return parseNetwork(text) ?? refuse('invalid address: ');
}

export const ipInRange = defineFunction('stdlib::ip_in_range', {
  dispatches: [
    {
      params: ['String ipaddress', 'Variant[String, Array] range'],
      returns: 'Boolean',
      body: (_, [address, ranges]) => {
        const ip = parseRequiredNetwork(String(address));
        const all = (Array.isArray(ranges) ? ranges : [ranges]).map((range) => parseRequiredNetwork(String(range)));
        return all.some((range) => includesNetwork(range, ip));
      },
    },
  ],
});

export const encloseIpv6 = defineValueFunction('enclose_ipv6', (args) => {
  checkCount('enclose_ipv6', args, 1, 1, `enclose_ipv6(): Wrong number of arguments given ${args.length} for 1`);
  const [given = null] = args;
  if (typeof given !== 'string' && !Array.isArray(given)) {
    return refuse(`enclose_ipv6(): Wrong argument type given ${rubyClassName(given)} expected String or Array`);
  }
  const addresses = (Array.isArray(given) ? given : [given]).filter((value: Value) => value !== null);
  return uniqueBy(addresses.map((value: Value) => encloseAddress(rubyToS(value))));
});

function encloseAddress(text: string): string {
  if (text === '*') return text;
  const ip = parseNetwork(text) ?? refuse(`enclose_ipv6(): Wrong argument given ${text} is not an ip address.`);
  const [zone = ''] = /%.*$/.exec(text) ?? [];
  return ip.family === 6 ? `[${printNetworkAddress(ip)}${zone}]` : text;
}

/** `has_interface_with` of stdlib 8, which reads legacy facts. */
export const hasInterfaceWith = defineValueFunction('has_interface_with', (args, site) => {
  const message = `has_interface_with(): Wrong number of arguments given (${args.length} for 1 or 2)`;
  checkCount('has_interface_with', args, 1, 2, message);
  const [kind = null, value] = args;
  return hasLegacyInterface(site, rubyToS(kind), value);
});

function hasLegacyInterface(site: CallSite, kind: string, value: Value | undefined): boolean {
  const interfaces = site.scope.getVariable('interfaces');
  if (interfaces === null) return false;
  if (typeof interfaces !== 'string') return leaveToRuby('has_interface_with');
  const names = interfaces.split(',');
  if (value === undefined) return names.includes(kind);
  const variables = [kind, ...names.map((name) => `${kind}_${name.toLowerCase()}`)];
  return variables.some((variable) => rubyEquals(legacyFact(site, variable), value));
}

/** Returns a variable; a missing one is undef: stdlib looks for it within `catch`. */
function legacyFact({ scope }: CallSite, name: string): Value {
  return scope.lookupVariable(name) ?? null;
}

function legacyAddressTest(name: string, kind: string) {
  return defineValueFunction(name, (args, site) => {
    checkCount(name, args, 1, 1);
    warnOfAutoloader(site);
    return hasLegacyInterface(site, kind, args[0]);
  });
}

/** Puppet warns about the way in which the module calls the autoloader for `has_interface_with`. */
function warnOfAutoloader({ context: { log, settings } }: CallSite): void {
  if (settings.strict === 'off') return;
  const asked = 'Puppet::Parser::Functions.autoloader#loaded?("has_interface_with")';
  const message = `The method '${asked}' is deprecated in favor of using 'Scope#call_function'.`;
  log.addOnce("Puppet::Parser::Functions.loaded?('has_interface_with')", {
    level: 'warning',
    message: `${message}\n   (file & line not available)`,
  });
}

export const hasIpAddress = legacyAddressTest('has_ip_address', 'ipaddress');
export const hasIpNetwork = legacyAddressTest('has_ip_network', 'network');

/** Returns the interfaces in the fact `networking`. */
function interfacesOf(site: CallSite): PuppetHash {
  const facts = site.scope.lookupVariable('facts') ?? null;
  const interfaces = digInto(facts, ['networking', 'interfaces']);
  return interfaces instanceof PuppetHash ? interfaces : new PuppetHash();
}

function hasInterface(site: CallSite, kind: string, value: Value): boolean {
  const field = kind === 'macaddress' ? 'mac' : kind === 'ipaddress' ? 'ip' : kind;
  return [...interfacesOf(site).values()].some((one) => one instanceof PuppetHash && one.get(field) === value);
}

export const hasInterfaceWithNamespaced = defineFunction('stdlib::has_interface_with', {
  dispatches: [
    {
      params: ['String[1] interface'],
      returns: 'Boolean',
      body: (site, [name = null]) => interfacesOf(site).has(name),
    },
    {
      params: ["Enum['macaddress','netmask','ipaddress','network','ip','mac'] kind", 'String[1] value'],
      returns: 'Boolean',
      body: (site, [kind, value = null]) => hasInterface(site, String(kind), value),
    },
  ],
});

export const hasIpAddressNamespaced = defineFunction('stdlib::has_ip_address', {
  localTypes: ADDRESS_TYPES,
  dispatches: [
    {
      params: ['Stdlib::IP::Address::V4::Nosubnet ip_address'],
      returns: 'Boolean',
      body: (site, [address = null]) => hasInterface(site, 'ip', address),
    },
  ],
});

export const hasIpNetworkNamespaced = defineFunction('stdlib::has_ip_network', {
  localTypes: ADDRESS_TYPES,
  dispatches: [
    {
      params: ['Stdlib::IP::Address::V4::Nosubnet ip_network'],
      returns: 'Boolean',
      body: (site, [address = null]) => hasInterface(site, 'network', address),
    },
  ],
});

import { createHash } from 'node:crypto';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { toI } from '../../ruby-core/ruby-integer.ts';
import { RubyRandom } from '../../ruby-core/ruby-random.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy, undefinedMethodError } from '../support/conversion.ts';

/** Returns a number below a maximum. It is the same in every compile for a node's name and seed. */
export const fqdnRand = defineLegacyFunction('fqdn_rand', {
  arity: -2,
  rvalue: true,
  body: (site, [limit = null, seed = null, downcase = null]) => {
    const maximum = toInteger(limit);
    const name = getFqdn(site.scope.lookupVariable('facts') ?? null);
    const base = [isTruthy(downcase) ? name.toLowerCase() : name, String(maximum), joinDeep(seed)].join(':');
    const random = new RubyRandom(BigInt(`0x${createHash('md5').update(base).digest('hex')}`)).drawInteger(maximum);
    // Ruby: Random.rand
    if (random === null) throw new PuppetError(`invalid argument - ${maximum}`);
    return random;
  },
});

function getFqdn(facts: Value): string {
  const networking = facts instanceof PuppetHash ? facts.get('networking') : undefined;
  return rubyToS(networking instanceof PuppetHash ? (networking.get('fqdn') ?? null) : null);
}

// Ruby's Array#join flattens nested arrays with the same separator.
function joinDeep(value: Value): string {
  return Array.isArray(value) ? value.map(joinDeep).join(':') : rubyToS(value);
}

function toInteger(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  if (typeof value === 'string') return toI(value);
  if (value === null) return 0n;
  throw undefinedMethodError('to_i', value, inspectRuby(value));
}

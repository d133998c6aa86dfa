/** puppetlabs-stdlib's pseudo-random functions: their results depend only on their arguments. */
import { createHash } from 'node:crypto';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { toI } from '../../ruby-core/ruby-number.ts';
import { RubyRandom } from '../../ruby-core/ruby-random.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep } from '../support/conversion.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Longer results are left to the module's Ruby, which has limits of time and memory. */
const LONGEST = 100_000n;

/** Ruby's `to_i` of a 3.x argument. */
function integerOf(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  return toI(rubyToS(value));
}

/** Returns a number below `limit`, derived from `text`. */
function randomBelow(text: string, limit: bigint): bigint {
  const seed = BigInt(`0x${createHash('md5').update(text).digest('hex')}`);
  return new RubyRandom(seed).drawInteger(limit) ?? 0n;
}

function isPositiveInteger(value: Value): boolean {
  return (
    (typeof value === 'bigint' || (typeof value === 'string' && /(?<![^\n])-?(?:[1-9]\d*|0)(?![^\n])/.test(value))) &&
    integerOf(value) > 0n
  );
}

/** `seeded_rand` of stdlib 8. */
export const seededRand = defineValueFunction(
  'seeded_rand',
  ([limit = null, seed = null]) => {
    if (!isPositiveInteger(limit)) return refuse('seeded_rand(): first argument must be a positive integer');
    if (typeof seed !== 'string') return refuse('seeded_rand(): second argument must be a string');
    return randomBelow(seed, integerOf(limit));
  },
  2,
);

export const seededRandNamespaced = defineFunction('stdlib::seeded_rand', {
  params: ['Integer[1] max', 'String seed'],
  body: (_, [limit = null, seed]) => randomBelow(String(seed), integerOf(limit)),
});

function fqdnOf(site: CallSite): string {
  const facts = site.scope.lookupVariable('facts');
  const networking = facts instanceof PuppetHash ? facts.get('networking') : undefined;
  return rubyToS(networking instanceof PuppetHash ? (networking.get('fqdn') ?? null) : null);
}

/** Moves the first `count` elements of an array, or characters of a text, to its end. */
function rotate(value: readonly Value[] | string, countFor: (length: bigint) => bigint): Value {
  const elements = typeof value === 'string' ? splitCharacters(value) : value;
  if (elements.length <= 1) return value;
  const count = Number(countFor(BigInt(elements.length)));
  const rotated = [...elements.slice(count), ...elements.slice(0, count)];
  return typeof value === 'string' ? rotated.join('') : rotated;
}

/** Ruby's `[fqdn, seeds].join(':')`: the colon is there even without seeds. */
function rotationSeed(fqdn: string, seeds: readonly Value[]): string {
  return `${fqdn}:${flattenDeep(seeds).map(rubyToS).join(':')}`;
}

/** `fqdn_rotate` of stdlib 8. */
export const fqdnRotate = defineValueFunction('fqdn_rotate', (args, site) => {
  checkCount('fqdn_rotate', args, 1, Number.POSITIVE_INFINITY);
  const [value, ...seeds] = args;
  if (typeof value !== 'string' && !Array.isArray(value)) {
    return refuse('fqdn_rotate(): Requires either array or string to work with');
  }
  const fqdn = rubyToS(site.scope.lookupVariable('::fqdn') ?? null);
  return rotate(value, (length) => randomBelow(rotationSeed(fqdn, seeds), length));
});

export const fqdnRotateNamespaced = defineFunction(
  'stdlib::fqdn_rotate',
  ['String', 'Array'].map((type) => ({
    params: [`${type} input`, '*Variant[Integer, String] seeds'],
    returns: type,
    body: (site, [value, ...seeds]) => {
      if (typeof value !== 'string' && !Array.isArray(value)) return null;
      return rotate(value, (length) => randomBelow(rotationSeed(fqdnOf(site), seeds), length));
    },
  })),
);

function randomText(site: CallSite, length: bigint, charset: string, seeds: readonly Value[]): string {
  if (length > LONGEST) return leaveToRuby('fqdn_rand_string');
  const letters = splitCharacters(charset === '' ? ALPHANUMERIC : charset);
  const limit = BigInt(letters.length);
  return Array.from({ length: Number(length) }, (_, index) => {
    const seed = [...seeds.map(rubyToS), String(index + 1)].join(':');
    return letters[Number(randomBelow([fqdnOf(site), String(limit), seed].join(':'), limit))] ?? '';
  }).join('');
}

/** `fqdn_rand_string` of stdlib 8. */
export const fqdnRandString = defineValueFunction(
  'fqdn_rand_string',
  ([length = null, charset = null, ...seeds], site) => {
    if (!isPositiveInteger(length)) return refuse('fqdn_rand_string(): first argument must be a positive integer');
    if (charset !== null && typeof charset !== 'string') {
      return refuse('fqdn_rand_string(): second argument must be undef or a string');
    }
    return randomText(site, integerOf(length), rubyToS(charset), seeds);
  },
  -2,
);

export const fqdnRandStringNamespaced = defineFunction('stdlib::fqdn_rand_string', {
  params: ['Integer[1] length', '?Optional[String] charset', '*Any seed'],
  returns: 'String',
  body: (site, [length = null, charset = null, ...seeds]) =>
    randomText(site, integerOf(length), rubyToS(charset), seeds),
});

/** Seconds since 1970, which a compile may compare; a time zone does not change them. */
export const time = defineValueFunction('time', (args, site) => {
  checkCount('time', args, 0, 1, `time(): Wrong number of arguments given ${args.length} for 0 or 1`);
  return site.context.clock.read('time', site.node) / 1_000_000_000n;
});

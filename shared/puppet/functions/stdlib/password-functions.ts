/** puppetlabs-stdlib's `pw_hash`, and its functions for the current time. */

import type { PuppetFunction } from '../../evaluator/ports.ts';
import { shaCrypt } from '../../ruby-core/sha-crypt.ts';
import { BytesText } from '../../types/values/bytes-text.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

const NANOSECONDS = 1_000_000_000n;
const PLAIN_SALT = /^[a-zA-Z0-9./]+$/;

const METHODS: Readonly<Record<string, { readonly bits: 256 | 512 | null; readonly bcrypt: boolean }>> = {
  md5: { bits: null, bcrypt: false },
  'sha-256': { bits: 256, bcrypt: false },
  'sha-512': { bits: 512, bcrypt: false },
  bcrypt: { bits: null, bcrypt: true },
  'bcrypt-a': { bits: null, bcrypt: true },
  'bcrypt-x': { bits: null, bcrypt: true },
  'bcrypt-y': { bits: null, bcrypt: true },
};

/**
 * Hashes a password for `/etc/shadow`: `pw_hash(password, 'sha-512', salt)`. Undef without a
 * password. `strength` is the pattern, in Ruby, of the number that starts a salt of bcrypt.
 */
export function definePwHash(strength: string): PuppetFunction {
  const bcryptSalt = new RegExp(`^${strength}\\$[./A-Za-z0-9]{22}`);
  function call(args: readonly Value[]): Value {
    const [password = null, method, salt] = args.map((arg) => (arg instanceof Sensitive ? arg.unwrap() : arg));
    if (typeof password !== 'string' && password !== null) return refuse('pw_hash(): first argument must be a string');
    if (typeof method !== 'string') return refuse('pw_hash(): second argument must be a string');
    const known = METHODS[method.toLowerCase()] ?? refuse(`pw_hash(): ${method} is not a valid hash type`);
    const checked = assertSalt(salt, known.bcrypt ? bcryptSalt : null);
    if (password === null || password === '') return null;
    if (known.bits === null) return leaveToRuby('pw_hash');
    // Ruby: String#crypt
    return new BytesText(shaCrypt(password, checked, known.bits));
  }
  return defineValueFunction('pw_hash', call, 3);
}

/** The `pw_hash` of stdlib 8. */
export const pwHash = definePwHash('[0-9]{2}');

function assertSalt(salt: Value | undefined, bcryptSalt: RegExp | null): string {
  if (typeof salt !== 'string') return refuse('pw_hash(): third argument must be a string');
  if (salt === '') return refuse('pw_hash(): third argument must not be empty');
  if ((bcryptSalt ?? PLAIN_SALT).test(salt)) return salt;
  const wanted = bcryptSalt ? `match (?-mix:${inspectPattern(bcryptSalt)})` : 'be in the set [a-zA-Z0-9./]';
  return refuse(`pw_hash(): characters in salt must ${wanted}`);
}

/** Returns a pattern as Ruby shows it: with each `/` escaped. */
function inspectPattern(pattern: RegExp): string {
  return pattern.source.replaceAll(/\\?\//g, '\\/');
}

/** Returns seconds since 1970; a time zone does not change them. */
export const time = defineValueFunction('time', (args, site) => {
  checkCount('time', args, 0, 1, `time(): Wrong number of arguments given ${args.length} for 0 or 1`);
  return site.context.clock.read('time', site.node) / NANOSECONDS;
});

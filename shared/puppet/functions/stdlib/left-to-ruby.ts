import { PuppetError } from '../../errors/puppet-error.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { isDeprecatedAlias } from './deprecated-alias.ts';
import { isExactFor } from './exact-arguments.ts';

/**
 * Thrown by a stdlib function, before any side effect, for a call that only the module's own Ruby
 * can answer.
 */
export class LeftToRuby extends PuppetError {}

/** Leaves a call to the module's own Ruby by throwing LeftToRuby. */
export function leaveToRuby(name: string): never {
  throw new LeftToRuby(`${name}(): this call needs the Ruby of puppetlabs-stdlib`);
}

/**
 * Returns `written` with a fallback: calls that it leaves to Ruby, and calls for which it is not
 * exact, go to the function that `inRuby` finds. Without that function, the calls left to Ruby
 * fail.
 */
export function fallBackToRuby(written: PuppetFunction, inRuby: () => PuppetFunction | null): PuppetFunction {
  return {
    name: written.name,
    getSignatures: () => written.getSignatures(),
    call: (site, args, block) => {
      const first = isDeprecatedAlias(written) || isExactFor(written.name, args) ? null : inRuby();
      if (first) return first.call(site, args, block);
      try {
        return written.call(site, args, block);
      } catch (error) {
        const other = error instanceof LeftToRuby ? inRuby() : null;
        if (!other) throw error;
        return other.call(site, args, block);
      }
    },
  };
}

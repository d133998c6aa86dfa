import { PuppetError } from '../../errors/puppet-error.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { isDeprecatedAlias } from './deprecated-alias.ts';
import { isExactFor } from './exact-arguments.ts';

/**
 * Thrown by a function of stdlib, before it did anything, for a call that only the module's own
 * Ruby can answer.
 */
export class LeftToRuby extends PuppetError {}

/** Ends a call that only the module's own Ruby can answer. */
export function leaveToRuby(name: string): never {
  throw new LeftToRuby(`${name}(): this call needs the Ruby of puppetlabs-stdlib`);
}

/**
 * `written`, which lets the function that `inRuby` finds answer the calls left to it, and those for
 * which it is not exact. Where there is none, the first fail.
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

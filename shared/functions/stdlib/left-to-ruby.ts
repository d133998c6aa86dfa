import { PuppetError } from '../../errors/puppet-error.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';

/** Thrown by a function of stdlib, before it did anything, for a call that only the module's own Ruby can answer. */
export class LeftToRuby extends PuppetError {}

/** `written`, which lets the function that `inRuby` finds answer the calls left to it. Where there is none such a call fails. */
export function leavingToRuby(written: PuppetFunction, inRuby: () => PuppetFunction | null): PuppetFunction {
  return {
    name: written.name,
    signatures: () => written.signatures(),
    call: (site, args, block) => {
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

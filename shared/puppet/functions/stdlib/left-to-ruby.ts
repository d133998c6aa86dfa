import { PuppetError } from '../../errors/puppet-error.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { BytesText, findKey } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { isArray } from '../../types/values/value-kinds.ts';
import type { Value } from '../../types/values/values.ts';
import { isExactFor } from './exact-arguments.ts';

/**
 * Thrown by a stdlib function, before any side effect, for a call that only the module's own Ruby
 * can answer.
 */
class LeftToRuby extends PuppetError {}

/** Leaves a call to the module's own Ruby by throwing LeftToRuby. */
export function leaveToRuby(name: string): never {
  throw new LeftToRuby(`${name}(): this call needs the Ruby of puppetlabs-stdlib`);
}

/** Functions that pass values on without reading texts. */
const HANDING_ON: ReadonlySet<string> = new Set(['deep_merge', 'ensure_resource', 'ensure_resources', 'merge']);

/** Functions that read a text of any encoding. Their results are texts of their own. */
const PARSING: ReadonlySet<string> = new Set(['parsehocon', 'parsejson', 'parseyaml']);

function readsBytes(name: string, args: readonly Value[]): boolean {
  return !HANDING_ON.has(name.replace(/^stdlib::/, '')) && args.some(containsBytes);
}

/** Looks into hashes, too, but not into facts, whose reads are recorded. */
function containsBytes(value: Value): boolean {
  if (value instanceof PuppetHash) return value.constructor === PuppetHash && [...value.values()].some(containsBytes);
  return isArray(value) ? value.some(containsBytes) : value instanceof BytesText;
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
    call: (site, given, block) => {
      const args = PARSING.has(written.name.replace(/^stdlib::/, '')) ? given.map(findKey) : given;
      const isExact = isExactFor(written.name, args) && !readsBytes(written.name, args);
      const first = isExact ? null : inRuby();
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

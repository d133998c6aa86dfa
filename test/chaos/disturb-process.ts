/**
 * `node --import …/disturb-process.ts functions/local.ts`: gives every thread of the server the
 * stores of disturbed-stores.ts and the clock of shifted-clock.ts in place of its own. Nothing in
 * the server knows of this.
 */
import { registerHooks } from 'node:module';

const REPLACED = new Map(
  [
    ['../../shared/store/embedded/threaded-stores.ts', './disturbed-stores.ts'],
    ['../../shared/store/system-clock.ts', './shifted-clock.ts'],
  ].map(([from = '', to = '']) => [new URL(from, import.meta.url).href, new URL(to, import.meta.url).href]),
);

registerHooks({
  resolve: (specifier, context, resolveNext) => {
    const resolved = resolveNext(specifier, context);
    const replacement = REPLACED.get(resolved.url);
    // The replacements themselves import the originals.
    if (replacement === undefined || [...REPLACED.values()].includes(context.parentURL ?? '')) return resolved;
    return { ...resolved, url: replacement };
  },
});

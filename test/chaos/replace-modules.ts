import { registerHooks } from 'node:module';

/** A module of the server, and what takes its place; both relative to this folder. */
export type Replacement = readonly [module: string, by: string];

/**
 * Gives this process, and its threads where it is called in a module that they preload, other
 * modules. The replacements themselves import the originals.
 */
export function replaceModules(replacements: readonly Replacement[]): void {
  const place = (path: string) => new URL(path, import.meta.url).href;
  const replaced = new Map(replacements.map(([module, by]) => [place(module), place(by)]));
  const own = new Set(replaced.values());
  registerHooks({
    resolve: (specifier, context, resolveNext) => {
      const resolved = resolveNext(specifier, context);
      const replacement = replaced.get(resolved.url);
      if (replacement === undefined || own.has(context.parentURL ?? '')) return resolved;
      return { ...resolved, url: replacement };
    },
  });
}

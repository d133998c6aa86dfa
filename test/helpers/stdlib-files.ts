import type { TreeFile } from '../../shared/puppet/environment/memory-tree.ts';
import { EDITIONS, type Edition } from '../../shared/puppet/functions/stdlib/known-function.ts';
import { KNOWN_TEXTS, KNOWN_TOML_DUMPERS } from '../../shared/puppet/functions/stdlib/known-texts.ts';
import { functionsOfEdition } from '../../shared/puppet/functions/stdlib/pack.ts';

/**
 * Files of a module stdlib, relative to the environment's folder, with the digests of known texts
 * and no content: an environment with them has the built-in functions of that edition.
 */
export function stdlibFiles(edition: Edition): Record<string, TreeFile> {
  const until = EDITIONS.slice(0, EDITIONS.indexOf(edition) + 1).reverse();
  const files = [...functionsOfEdition(edition).keys()].flatMap((name) => {
    const known = KNOWN_TEXTS.get(name);
    const digests = until.flatMap((one) => known?.[one]?.split(' ') ?? []);
    return digests.slice(0, 1).map((digest) => [pathOf(name), emptyFile(digest)] as const);
  });
  const dumper = emptyFile(KNOWN_TOML_DUMPERS.split(' ')[0] ?? '');
  return { ...Object.fromEntries(files), 'modules/stdlib/lib/puppet_x/stdlib/toml_dumper.rb': dumper };
}

function pathOf(name: string): string {
  return `modules/stdlib/lib/puppet/functions/${name.replaceAll('::', '/')}.rb`;
}

function emptyFile(digest: string): TreeFile {
  return { digest: () => digest.padEnd(64, '0'), readBytes: () => new Uint8Array() };
}

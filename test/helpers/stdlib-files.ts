import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeFile } from '../../shared/puppet/environment/memory-tree.ts';
import {
  EDITIONS,
  type Edition,
  KNOWN_TEXTS,
  KNOWN_TOML_DUMPERS,
} from '../../shared/puppet/functions/stdlib/known-function.ts';
import { functionsOfEdition } from '../../shared/puppet/functions/stdlib/pack.ts';

const FOLDERS = ['lib/puppet/functions', 'lib/puppet/parser/functions'] as const;
const TOML_DUMPER = 'lib/puppet_x/stdlib/toml_dumper.rb';

/**
 * Files of a module stdlib by path within the module, with the digests of known texts: an
 * environment with them has the built-in functions of that edition. The content is that of
 * `installed`, the folder of a stdlib of any release, or nothing.
 */
export function stdlibFiles(edition: Edition, installed: string | null = null): Readonly<Record<string, TreeFile>> {
  const until = EDITIONS.slice(0, EDITIONS.indexOf(edition) + 1).reverse();
  const files = [...functionsOfEdition(edition).keys()].flatMap((name) => {
    const known = KNOWN_TEXTS.get(name);
    const [digest] = until.flatMap((one) => known?.[one] ?? []);
    if (digest === undefined) return [];
    const paths = FOLDERS.map((folder) => `${folder}/${name.replaceAll('::', '/')}.rb`);
    const path = paths.find((one) => installed !== null && existsSync(join(installed, one))) ?? paths[0] ?? '';
    return [[path, fileOf(digest, installed, path)] as const];
  });
  const [dumper = ''] = KNOWN_TOML_DUMPERS;
  return { ...Object.fromEntries(files), [TOML_DUMPER]: fileOf(dumper, installed, TOML_DUMPER) };
}

function fileOf(digest: string, installed: string | null, path: string): TreeFile {
  const source = installed === null ? null : join(installed, path);
  return {
    digest: () => digest.padEnd(64, '0'),
    readBytes: () => (source !== null && existsSync(source) ? readFileSync(source) : new Uint8Array()),
  };
}

import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Environment, ModuleInfo } from '../../puppet/environment/environment.ts';
import { packFolders } from './tar-folder.ts';

/**
 * Packs what nodes need of modules: their plugins and external facts, and the files of those that
 * catalogs name. Returns a compressed archive in Base64. Bolt: lib/bolt/applicator.rb
 */
export function packPlugins(environment: Environment, catalogs = ''): string {
  const folders = environment.listModules().flatMap((module) => foldersOf(environment, module, catalogs));
  return Buffer.from(gzipSync(packFolders(environment, folders))).toString('base64');
}

function foldersOf(
  environment: Environment,
  { name, root }: ModuleInfo,
  catalogs: string,
): readonly (readonly [name: string, path: string])[] {
  const wanted = ['lib', 'facts.d', ...(catalogs.includes(`puppet:///modules/${name}/`) ? ['files'] : [])];
  return wanted
    .map((folder) => [posix.join(name, folder), posix.join(root, folder)] as const)
    .filter(([, path]) => environment.kindOf(path) === 'directory');
}

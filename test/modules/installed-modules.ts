import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's puppet-module-* packages lie. */
const AVAILABLE = '/usr/share/puppet/modules.available';

/** Whether the packages of packages.txt are installed. Where CI says so, they must be. */
export function hasModules(): boolean {
  return process.env.CI === 'true' || existsSync(join(AVAILABLE, 'puppetlabs-stdlib'));
}

/** The packages that the tests compile and parse. */
export function packages(): readonly string[] {
  return readFileSync(join(import.meta.dirname, 'packages.txt'), 'utf8')
    .trim()
    .split('\n');
}

/** Folders of all installed modules: their names and where they are. */
export function installedModules(): ReadonlyMap<string, string> {
  const folders = readdirSync(AVAILABLE).sort();
  return new Map(folders.map((folder) => [moduleName(folder), join(AVAILABLE, folder)]));
}

/** `author-name` -> name as modules are called; a plain name stays. */
function moduleName(folder: string): string {
  return folder.slice(folder.indexOf('-') + 1).replaceAll('-', '_');
}

/**
 * A control repo in `directory` with all installed modules, and one node definition for each entry
 * of `nodes`.
 */
export function writeControlRepo(directory: string, nodes: ReadonlyMap<string, string>): void {
  const environment = join(directory, 'environments', 'production');
  mkdirSync(join(environment, 'modules'), { recursive: true });
  mkdirSync(join(environment, 'manifests'));
  for (const [name, folder] of installedModules()) symlinkSync(folder, join(environment, 'modules', name));
  const site = [...nodes].map(([certname, body]) => `node '${certname}' {\n${body}}\n`);
  writeFileSync(join(environment, 'manifests', 'site.pp'), site.join('\n'));
}

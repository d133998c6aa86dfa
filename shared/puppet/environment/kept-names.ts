/**
 * Folders with files of servers that are no code: Puppet's own data, and those of other programs.
 */
const ROOTS = ['/opt', '/var/lib/puppet', '/var/cache/puppet', '/var/simp'];

/**
 * The name of the value that a file of the server holds: its path, below `vardir` without that.
 * Null for a path elsewhere, and for one of the deployed code (`codeFolders`).
 */
export function keptNameOf(path: string, vardir: string, codeFolders: readonly string[]): string | null {
  const isBelow = (folder: string) => path.startsWith(`${folder}/`) || path === folder;
  if (codeFolders.some(isBelow)) return null;
  if (isBelow(vardir)) return path.slice(vardir.length + 1);
  return ROOTS.some(isBelow) ? path : null;
}

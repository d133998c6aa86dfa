import type { Snapshot } from './snapshot.ts';

/**
 * The same code as that of another environment: what is below `environments/<its name>` is below
 * `environments/<name>`. Targets of links stay as written.
 */
export function renameSnapshot(snapshot: Snapshot, name: string): Snapshot {
  const { environment, files, links, folders, times } = snapshot;
  if (environment === name) return snapshot;
  const [own, other] = [`environments/${environment}`, `environments/${name}`];
  const rename = (path: string) => (path === own || path.startsWith(`${own}/`) ? other + path.slice(own.length) : path);
  const renameAll = <T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(entries).map(([path, entry]) => [rename(path), entry]));
  return {
    environment: name,
    files: renameAll(files),
    ...(links === undefined ? {} : { links: renameAll(links) }),
    ...(folders === undefined ? {} : { folders: renameAll(folders) }),
    ...(times === undefined ? {} : { times: renameAll(times) }),
  };
}

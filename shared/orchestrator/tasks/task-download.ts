import type { TaskSnapshot } from './deployed-code.ts';
import type { TaskFile } from './task-files.ts';
import type { TaskDownload } from './task-library.ts';

/** Describes the download of a file of a task: its place below a mount of the file server. */
export function describeDownload(
  files: TaskSnapshot,
  { filename, path }: TaskFile,
  params: Readonly<Record<string, string>>,
): TaskDownload {
  const served = files.findServed(path, 'follow');
  if (served?.kind !== 'file') throw new Error(`invariant: ${path} was found, and is no file`);
  return {
    filename,
    sha256: served.file.sha256,
    size_bytes: served.file.size,
    uri: { path: `/puppet/v3/file_content/${encodePath(mountPath(files, path))}`, params },
  };
}

/** Agents put the path into a URL as it is. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The file server path of a module file: `modules/…`, `plugins/…`, `tasks/…` or `scripts/…`. */
function mountPath({ environment }: TaskSnapshot, path: string): string {
  const module = environment.listModules().find(({ root }) => path.startsWith(`${root}/`));
  if (!module) throw new Error(`invariant: ${path} is in no module`);
  const [folder = '', ...rest] = path.slice(module.root.length + 1).split('/');
  if (folder === 'lib') return `plugins/${rest.join('/')}`;
  return `${folder === 'files' ? 'modules' : folder}/${module.name}/${rest.join('/')}`;
}

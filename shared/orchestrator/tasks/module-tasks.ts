import { posix } from 'node:path';
import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import type { TaskCode, TaskSnapshot } from './deployed-code.ts';
import { findImplementations, findSupportingFiles, type TaskFile } from './task-files.ts';
import { UnusableTask } from './task-library.ts';

export interface Task {
  /** `apache` for `init`, else `apache::reload`. */
  readonly name: string;
  /** `init`, `reload` */
  readonly shortName: string;
  readonly module: ModuleInfo;
}

export interface TaskDetails {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly files: readonly TaskFile[];
}

const FORBIDDEN_EXTENSIONS = ['.conf', '.md'];

/** The tasks of a module, from its file names: lib/puppet/module/task.rb. */
export function tasksOf(files: TaskSnapshot, module: ModuleInfo): readonly Task[] {
  const names = new Set(taskFileNames(files, module).map(baseName));
  return [...names].map((shortName) => ({ name: taskName(module, shortName), shortName, module }));
}

/** Reads a task's metadata and finds its files. Rejects with UnusableTask for an invalid task. */
export async function taskDetails(
  code: Pick<TaskCode, 'readText'>,
  files: TaskSnapshot,
  task: Task,
): Promise<TaskDetails> {
  const { module, shortName, name } = task;
  const folder = posix.join(module.root, 'tasks');
  const names = taskFileNames(files, module);
  const metadata = await readMetadata(code, files, posix.join(folder, `${shortName}.json`));
  const executables = names.filter((file) => !file.endsWith('.json'));
  const implementations = findImplementations({ name, shortName, folder, metadata, executables });
  return { metadata, files: [...implementations, ...findSupportingFiles(files, metadata)] };
}

/** Whether a task is left out of lists. One whose metadata cannot be read is not. */
export async function isPrivateTask(
  code: Pick<TaskCode, 'readText'>,
  files: TaskSnapshot,
  { module, shortName }: Task,
): Promise<boolean> {
  try {
    const metadata = await readMetadata(code, files, posix.join(module.root, 'tasks', `${shortName}.json`));
    return metadata.private === true;
  } catch (error) {
    if (error instanceof UnusableTask) return false;
    throw error;
  }
}

function taskFileNames(files: TaskSnapshot, { root }: ModuleInfo): readonly string[] {
  const folder = posix.join(root, 'tasks');
  const names = files.listNames(folder) ?? [];
  return names.filter(
    (name) => isTaskFile(name) && files.findServed(posix.join(folder, name), 'follow')?.kind === 'file',
  );
}

function isTaskFile(name: string): boolean {
  return (
    /^[a-z][a-z0-9_]*$/.test(baseName(name)) && !FORBIDDEN_EXTENSIONS.some((extension) => name.endsWith(extension))
  );
}

function baseName(file: string): string {
  return file.slice(0, file.length - posix.extname(file).length);
}

function taskName({ name }: ModuleInfo, shortName: string): string {
  return shortName === 'init' ? name : `${name}::${shortName}`;
}

async function readMetadata(
  code: Pick<TaskCode, 'readText'>,
  files: TaskSnapshot,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const served = files.findServed(path, 'follow');
  if (served?.kind !== 'file') return {};
  const text = await code.readText(served.file);
  if (text === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    throw new UnusableTask('puppet.tasks/unparseable-metadata', `unexpected token at '${text}'`);
  }
}

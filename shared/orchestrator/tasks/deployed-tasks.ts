import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { TaskCode, TaskSnapshot } from './deployed-code.ts';
import { isPrivateTask, type Task, taskDetails, tasksOf } from './module-tasks.ts';
import type { TaskFile } from './task-files.ts';
import {
  type CheckedParameters,
  type LibraryTask,
  type TaskDownload,
  type TaskLibrary,
  type TaskOutcome,
  type TaskOutput,
  UnusableTask,
} from './task-library.ts';
import { checkTaskParameters, readParameters } from './task-parameters.ts';
import { readTaskOutput } from './task-result.ts';
import { findTypeAliases } from './type-aliases.ts';

const READS_AT_ONCE = 16;

/** The tasks in the modules of deployed environments. */
export class DeployedTasks implements TaskLibrary {
  readonly #code: TaskCode;

  constructor(code: TaskCode) {
    this.#code = code;
  }

  async list(environment: string): Promise<readonly string[] | null> {
    const files = await this.#open(environment);
    if (files === null) return null;
    const tasks = files.environment.listModules().flatMap((module) => tasksOf(files, module));
    const isHidden = await inParallel(READS_AT_ONCE, tasks, (task) => isPrivateTask(this.#code, files, task));
    return tasks.filter((_, index) => isHidden[index] === false).map(({ name }) => name);
  }

  async find(environment: string, name: string): Promise<LibraryTask | null> {
    const files = await this.#open(environment);
    const task = files && findTask(files, name);
    if (files === null || task === null) return null;
    const { metadata } = await taskDetails(this.#code, files, task);
    const parameters = readParameters(name, metadata, {}) ?? [];
    const types = parameters.map(({ typeText }) => typeText);
    return {
      name,
      environment,
      codeId: files.codeId,
      metadata,
      supportsNoop: metadata.supports_noop === true,
      aliases: await findTypeAliases(this.#code, files, types),
      sensitive: parameters.filter(({ isSensitive }) => isSensitive).map((parameter) => parameter.name),
    };
  }

  checkParameters(
    { name, metadata, aliases }: LibraryTask,
    given: Readonly<Record<string, unknown>>,
  ): CheckedParameters {
    return checkTaskParameters(readParameters(name, metadata, aliases), given);
  }

  /** The addresses name the snapshot, so that a later deploy does not change what agents get. */
  async filesFor({ name, environment, codeId }: LibraryTask): Promise<readonly TaskDownload[]> {
    if (codeId === null) return [];
    const files = await this.#code.openSnapshot(codeId);
    const task = files && findTask(files, name);
    if (files === null || task === null) {
      throw new UnusableTask('puppet.tasks/invalid-task', `The code ${codeId} with the task ${name} is gone`);
    }
    const details = await taskDetails(this.#code, files, task);
    return details.files.map((file) => describeDownload(files, file, { environment, code_id: codeId }));
  }

  readResult(output: TaskOutput): TaskOutcome {
    return readTaskOutput(output);
  }

  async #open(environment: string): Promise<TaskSnapshot | null> {
    return isEnvironmentName(environment) ? ((await this.#code.open(environment))?.files ?? null) : null;
  }
}

/** `apache` is the task `init` of that module; a name has no more than two parts. */
function findTask(files: TaskSnapshot, name: string): Task | null {
  const module = files.environment.findModule(name.split('::')[0] ?? '');
  return module && (tasksOf(files, module).find((task) => task.name === name) ?? null);
}

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

import type { Endpoint } from '../../endpoint.ts';
import { JSON_TYPE } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { ServedEnvironment } from '../../files/served-environment.ts';
import { type TaskDetails, taskDetails, tasksOf } from '../../information/module-tasks.ts';
import { TaskError } from '../../information/task-error.ts';
import type { TaskFile } from '../../information/task-files.ts';
import { type NamedEnvironment, plainEnvironment, plainNotFoundError } from '../../plain-environment.ts';
import type { HttpServices } from '../../services.ts';

/** `GET tasks?environment=`: all valid tasks. */
export const getTasks: Endpoint = {
  methods: ['GET'],
  path: '/puppet/v3/tasks',
  async handle(context, services) {
    const environment = await plainEnvironment(context, services);
    const listed = environment.files.environment.listModules().flatMap((module) => tasksOf(environment.files, module));
    const described: unknown[] = [];
    for (const task of listed) {
      const details = await detailsOrError(services, environment, task);
      if (details instanceof TaskError) continue;
      const { private: isPrivate = false, description = '' } = details.metadata;
      const where = [{ name: environment.name, code_id: environment.files.codeId }];
      described.push({ name: task.name, private: isPrivate, description, environment: where });
    }
    return sendJson(context, described);
  },
};

/** `GET tasks/<module>/<task>?environment=`: a task's metadata and files. */
export const getTask: Endpoint = {
  methods: ['GET'],
  path: '/puppet/v3/tasks/:module/:task',
  async handle(context, services) {
    const environment = await plainEnvironment(context, services);
    const module = environment.files.environment.findModule(context.req.param('module') ?? '');
    if (module === null) throw plainNotFoundError(`Could not find module '${context.req.param('module')}'`);
    const found = tasksOf(environment.files, module).find(({ shortName }) => shortName === context.req.param('task'));
    if (!found) throw plainNotFoundError(`Could not find task '${context.req.param('task')}'`);
    const details = await detailsOrError(services, environment, found);
    if (details instanceof TaskError) return toFailureResponse(details);
    const files = details.files.map((file) => describeFile(environment, file));
    return sendJson(context, { metadata: details.metadata, name: found.name, files });
  },
};

async function detailsOrError(
  services: HttpServices,
  { files }: NamedEnvironment,
  found: Parameters<typeof taskDetails>[2],
): Promise<TaskDetails | TaskError> {
  try {
    return await taskDetails(services.files, files, found);
  } catch (error) {
    if (error instanceof TaskError) return error;
    throw error;
  }
}

function toFailureResponse({ kind, message, details }: TaskError): Response {
  const body = JSON.stringify({ kind, msg: message, details });
  return new Response(body, { status: 500, headers: { 'Content-Type': JSON_TYPE } });
}

function describeFile({ files, name }: NamedEnvironment, { filename, path }: TaskFile) {
  const served = files.findServed(path, 'follow');
  if (served?.kind !== 'file') throw new Error(`invariant: ${path} was found, and is no file`);
  return {
    filename,
    sha256: served.file.sha256,
    size_bytes: served.file.size,
    uri: { path: `/puppet/v3/file_content/${mountPath(files, path)}`, params: { environment: name } },
  };
}

/** The file server path of a module file: `modules/…`, `plugins/…`, `tasks/…` or `scripts/…`. */
function mountPath({ environment }: ServedEnvironment, path: string): string {
  const module = environment.listModules().find(({ root }) => path.startsWith(`${root}/`));
  if (!module) throw new Error(`invariant: ${path} is in no module`);
  const [folder = '', ...rest] = path.slice(module.root.length + 1).split('/');
  if (folder === 'lib') return `plugins/${rest.join('/')}`;
  return `${folder === 'files' ? 'modules' : folder}/${module.name}/${rest.join('/')}`;
}

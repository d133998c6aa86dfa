import { certnameOf, type HttpContext, pathBehind } from '../endpoint.ts';
import { environmentParameter, missingEnvironmentError } from '../environment-parameter.ts';
import { internalServerError, plainRefusal } from '../exchange/answers.ts';
import { QueryParameters } from '../exchange/ruby-parameters.ts';
import type { HttpServices } from '../services.ts';
import type { OpenedEnvironment } from './file-server.ts';

/** A file server request: the environment's files, the mount, and the path in it. */
export interface FileRequest extends OpenedEnvironment {
  /** `modules/ntp/ntp.conf` */
  readonly key: string;
  readonly mount: string;
  readonly path: string;
  readonly certname: string;
  readonly parameters: QueryParameters;
}

/**
 * Reads a request with its key after `prefix`. Refuses unknown environments and mounts, and
 * incomplete paths, in Puppet's words: lib/puppet/file_serving/configuration.rb. `openFiles` opens
 * the environment; by default its files in force for the node that asks.
 */
export async function readFileRequest(
  context: HttpContext,
  services: Pick<HttpServices, 'files' | 'environments'>,
  prefix: string,
  openFiles: (environment: string) => Promise<OpenedEnvironment | null> = (name) =>
    services.files.open(name, certnameOf(context)),
): Promise<FileRequest> {
  const environment = environmentParameter(context);
  const opened = await openFiles(environment);
  if (opened === null) throw await missingEnvironmentError(services, environment);
  const key = pathBehind(context, prefix);
  const parameters = new QueryParameters(new URL(context.req.url).searchParams);
  const [mount = '', ...rest] = key.split('/');
  if (!/^[-\w]+$/.test(mount)) throw internalServerError(`Cannot find file: Invalid mount '${mount}'`);
  if (!opened.files.hasMount(mount)) throw unknownMount(prefix, key, parameters);
  const path = rest.join('/');
  if (path === '' && NEEDED[mount] !== undefined) throw internalServerError(NEEDED[mount]);
  return { ...opened, key, mount, path, certname: certnameOf(context), parameters };
}

/**
 * Refuses `file_content` without an environment, like Puppet Server before Ruby sees the request.
 */
export function demandContentEnvironment(context: HttpContext): void {
  if (context.req.query('environment') !== undefined) return;
  const message = 'A file_content request must include an `environment` or `versioned_project` query parameter.';
  throw plainRefusal(400, message, 'text/plain');
}

/** Errors of mounts that cannot be listed as a whole. */
const NEEDED: Readonly<Record<string, string>> = {
  modules: 'No module specified',
  scripts: 'No module specified',
  tasks: 'No task specified',
};

function unknownMount(prefix: string, key: string, parameters: QueryParameters) {
  const endpoint = prefix.split('/').at(-2) ?? '';
  const isSearch = endpoint === 'file_metadatas';
  const indirection = isSearch ? 'file_metadata' : endpoint;
  return internalServerError(
    `Not authorized to call ${isSearch ? 'search' : 'find'} on /${indirection}/${key} with ${parameters.inspect(key)}`,
  );
}

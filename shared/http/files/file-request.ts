import { environmentNotFound, serverError } from '../answers.ts';
import { type HttpContext, pathBehind } from '../endpoint.ts';
import { environmentParameter } from '../environment-parameter.ts';
import type { HttpServices } from '../services.ts';
import type { OpenedEnvironment } from './file-server.ts';
import { isMount } from './served-environment.ts';

/** A request to the file server: whose files, which mount, which path in it. */
export interface FileRequest extends OpenedEnvironment {
  /** `modules/ntp/ntp.conf` */
  readonly key: string;
  readonly mount: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Reads a request whose key stands behind `prefix`. Refuses unknown environments, and unknown mounts in Puppet's words. */
export async function readFileRequest(
  context: HttpContext,
  services: HttpServices,
  prefix: string,
): Promise<FileRequest> {
  const environment = environmentParameter(context);
  const opened = await services.files.open(environment);
  if (opened === null) throw environmentNotFound(environment);
  const key = pathBehind(context, prefix);
  const query = new URL(context.req.url).searchParams;
  const [mount = '', ...rest] = key.split('/');
  if (!isMount(mount)) throw unknownMount(prefix, key, query);
  return { ...opened, key, mount, path: rest.join('/'), query };
}

function unknownMount(prefix: string, key: string, query: URLSearchParams) {
  const endpoint = prefix.split('/').at(-2) ?? '';
  const isSearch = endpoint === 'file_metadatas';
  const indirection = isSearch ? 'file_metadata' : endpoint;
  return serverError(
    `Not authorized to call ${isSearch ? 'search' : 'find'} on /${indirection}/${key} with ${parametersAsRuby(key, query)}`,
  );
}

/** The request's parameters as Ruby prints the hash that Puppet passes on: `{:rest=>"a/b", :links=>"manage"}`. */
function parametersAsRuby(key: string, query: URLSearchParams): string {
  const pairs = [...query].filter(([name]) => name !== 'environment');
  const printed = [['rest', key], ...pairs].map(([name, value]) => `:${name}=>${JSON.stringify(value)}`);
  return `{${printed.join(', ')}}`;
}

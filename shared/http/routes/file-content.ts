import { environmentNotFound, resourceNotFound } from '../answers.ts';
import { type Endpoint, pathBehind } from '../endpoint.ts';
import { environmentParameter } from '../environment-parameter.ts';
import { parametersAsRuby, splitKey } from '../files/request-key.ts';
import { isMount, unknownMount } from '../files/served-environment.ts';

const PREFIX = '/puppet/v3/file_content/';

/** `GET file_content/<mount>/<path>`: a file's bytes. */
export const fileContent: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  access: 'certificate',
  async handle(context, services) {
    const environment = environmentParameter(context);
    const opened = await services.files.open(environment);
    if (opened === null) throw environmentNotFound(environment);
    const key = pathBehind(context, PREFIX);
    const { mount, path } = splitKey(key);
    if (!isMount(mount)) {
      const query = new URL(context.req.url).searchParams;
      throw unknownMount('find', 'file_content', key, parametersAsRuby(key, query));
    }
    const served = opened.files.find(mount, path);
    if (served?.kind !== 'file') throw resourceNotFound('file_content', key);
    const bytes = await services.files.blobs.get(`files/${served.file.sha256}`);
    if (bytes === null) throw new Error(`The file ${served.path} of ${opened.files.codeId} is not in the store`);
    return new Response(new Uint8Array(bytes), {
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes.length) },
    });
  },
};

import { resourceNotFound } from '../answers.ts';
import type { Endpoint } from '../endpoint.ts';
import { readFileRequest } from '../files/file-request.ts';

const PREFIX = '/puppet/v3/file_content/';

/** `GET file_content/<mount>/<path>`: a file's bytes. */
export const fileContent: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  access: 'certificate',
  async handle(context, services) {
    const { files, mount, path, key } = await readFileRequest(context, services, PREFIX);
    const served = files.find(mount, path);
    if (served?.kind !== 'file') throw resourceNotFound('file_content', key);
    const bytes = await services.files.blobs.get(`files/${served.file.sha256}`);
    if (bytes === null) throw new Error(`The file ${served.path} of ${files.codeId} is not in the store`);
    return new Response(new Uint8Array(bytes), {
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes.length) },
    });
  },
};

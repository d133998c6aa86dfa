import { resourceNotFound } from '../answers.ts';
import type { Endpoint } from '../endpoint.ts';
import { readFileRequest } from '../files/file-request.ts';
import { sendFile } from '../files/send-file.ts';

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
    const { sha256, size } = served.file;
    return sendFile(context, { sha256, size, open: (range) => services.files.content(sha256, range) });
  },
};

import { resourceNotFound } from '../answers.ts';
import { sendJson } from '../content-encoding.ts';
import type { Endpoint } from '../endpoint.ts';
import { fileMetadata, readMetadataOptions } from '../files/file-metadata.ts';
import { readFileRequest } from '../files/file-request.ts';

const PREFIX = '/puppet/v3/file_metadata/';

/** `GET file_metadata/<mount>/<path>`: metadata of one file or folder. */
export const fileMetadataRoute: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  access: 'certificate',
  async handle(context, services) {
    const { files, deployedAt, mount, path, key, query } = await readFileRequest(context, services, PREFIX);
    const served = files.find(mount, path);
    if (served === null) throw resourceNotFound('file_metadata', key);
    const { blobs } = services.files;
    return sendJson(context, await fileMetadata(served, { ...readMetadataOptions(query), blobs, deployedAt }));
  },
};

import type { Endpoint } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { JSON_FORMATS, negotiateFormat, sendJson } from '../../exchange/content-encoding.ts';
import { fileMetadata, readMetadataOptions } from '../../files/file-metadata.ts';
import { readFileRequest } from '../../files/file-request.ts';
import type { AgentServices } from '../../services.ts';

const PREFIX = '/puppet/v3/file_metadata/';

/** `GET file_metadata/<mount>/<path>`: metadata of one file or folder. */
export const getFileMetadata: Endpoint<AgentServices> = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  isOfCatalog: true,
  async handle(context, services) {
    const asked = await readFileRequest(context, services, PREFIX);
    const { files, deployedAt, key, parameters } = asked;
    if (files.find(asked, 'follow') === null) throw resourceNotFoundError('file_metadata', key);
    const options = readMetadataOptions(parameters, 'find', services.settings.language);
    const served = files.find(asked, options.links);
    if (served === null) throw resourceNotFoundError('file_metadata', key);
    const format = negotiateFormat(context, JSON_FORMATS);
    const { checksums } = services.files;
    return sendJson(context, await fileMetadata(served, { ...options, checksums, deployedAt }), format);
  },
};

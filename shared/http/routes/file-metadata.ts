import { environmentNotFound, resourceNotFound } from '../answers.ts';
import { sendJson } from '../content-encoding.ts';
import { type Endpoint, pathBehind } from '../endpoint.ts';
import { environmentParameter } from '../environment-parameter.ts';
import { fileMetadata, readMetadataOptions } from '../files/file-metadata.ts';
import { parametersAsRuby, splitKey } from '../files/request-key.ts';
import { isMount, unknownMount } from '../files/served-environment.ts';

const PREFIX = '/puppet/v3/file_metadata/';

/** `GET file_metadata/<mount>/<path>`: metadata of one file or folder. */
export const fileMetadataRoute: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  access: 'certificate',
  async handle(context, services) {
    const environment = environmentParameter(context);
    const opened = await services.files.open(environment);
    if (opened === null) throw environmentNotFound(environment);
    const query = new URL(context.req.url).searchParams;
    const key = pathBehind(context, PREFIX);
    const { mount, path } = splitKey(key);
    if (!isMount(mount)) throw unknownMount('find', 'file_metadata', key, parametersAsRuby(key, query));
    const served = opened.files.find(mount, path);
    if (served === null) throw resourceNotFound('file_metadata', key);
    const { deployedAt } = opened;
    const metadataContext = { ...readMetadataOptions(query), blobs: services.files.blobs, deployedAt };
    return sendJson(context, await fileMetadata(served, metadataContext));
  },
};

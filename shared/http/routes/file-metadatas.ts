import { acceptedFormat } from '../accepted-format.ts';
import { notFound } from '../answers.ts';
import { compress, JSON_FORMATS, jsonType, sendGzipped } from '../content-encoding.ts';
import type { Endpoint } from '../endpoint.ts';
import { filesetMetadata, readMetadataOptions } from '../files/file-metadata.ts';
import { type FileRequest, readFileRequest } from '../files/file-request.ts';
import type { FileServer, Listing } from '../files/file-server.ts';
import { readSearchOptions } from '../files/fileset.ts';

const PREFIX = '/puppet/v3/file_metadatas/';

/** `GET file_metadatas/<mount>/<path>`: metadata of a tree; the same listing is made once for all agents. */
export const fileMetadatas: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  async handle(context, services) {
    const asked = await readFileRequest(context, services, PREFIX);
    const { gzipped } = await list(asked, services.files);
    return sendGzipped(context, gzipped, jsonType(acceptedFormat(context, JSON_FORMATS)));
  },
};

async function list(asked: FileRequest, server: FileServer): Promise<Listing> {
  const { files, deployedAt, key, parameters } = asked;
  const searched = files.searched(asked);
  if (searched === null) {
    throw notFound(`Could not find instances in file_metadata with '${key}'`, 'RESOURCE_NOT_FOUND');
  }
  const options = readMetadataOptions(parameters, 'search');
  const search = readSearchOptions(parameters);
  // All that the answer depends on; what else a request says (who asks, its number) is of no matter.
  const name = JSON.stringify([
    files.codeId,
    deployedAt,
    searched,
    options,
    { ...search, limit: `${search.recurseLimit}` },
  ]);
  return server.listing(name, async () => {
    const found = files.list(searched, search, options.links);
    const metadata = await filesetMetadata(files, found, { ...options, checksums: server.checksums, deployedAt });
    return { gzipped: new Uint8Array(await compress(JSON.stringify(metadata))) };
  });
}

import { certnameOf, type Endpoint, type HttpContext, pathBehind } from '../../endpoint.ts';
import { environmentParameter } from '../../environment-parameter.ts';
import { notFoundError } from '../../exchange/answers.ts';
import { JSON_FORMATS, jsonType, negotiateFormat, sendGzipped } from '../../exchange/content-encoding.ts';
import { QueryParameters } from '../../exchange/ruby-parameters.ts';
import { filesetMetadata, readMetadataOptions } from '../../files/file-metadata.ts';
import { type FileRequest, readFileRequest } from '../../files/file-request.ts';
import type { FileServer, Listing } from '../../files/file-server.ts';
import { readSearchOptions } from '../../files/fileset.ts';
import { fillListing, getListingName, PREPARED_MOUNTS } from '../../files/prepared-listings.ts';
import type { AgentServices, HttpSettings } from '../../services.ts';

const PREFIX = '/puppet/v3/file_metadatas/';

/**
 * `GET file_metadatas/<mount>/<path>`: metadata of a tree. Deploys precompute the listings that
 * every agent requests; other listings are cached for all agents.
 */
export const getFileMetadatas: Endpoint<AgentServices> = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  isOfCatalog: true,
  async handle(context, services) {
    const { files, settings } = services;
    const prepared = await findPreparedListing(context, files, settings);
    const { gzipped, plain } =
      prepared ?? (await list(await readFileRequest(context, services, PREFIX), files, settings));
    return sendGzipped(context, gzipped, jsonType(negotiateFormat(context, JSON_FORMATS)), plain);
  },
};

/** The precomputed listing; null without one, or when the request must be refused. */
async function findPreparedListing(
  context: HttpContext,
  server: FileServer,
  { language }: HttpSettings,
): Promise<Listing | null> {
  const environment = environmentParameter(context);
  const mount = pathBehind(context, PREFIX);
  const inForce = PREPARED_MOUNTS.has(mount) ? await server.inForce(environment, certnameOf(context)) : null;
  if (inForce === null) return null;
  const parameters = new QueryParameters(new URL(context.req.url).searchParams);
  const [options, search] = [readMetadataOptions(parameters, 'search', language), readSearchOptions(parameters)];
  const name = getListingName({ mount, options, search });
  const { codeId, deployedAt } = inForce;
  const text = await server.findPrepared(codeId, name);
  if (text === null) return null;
  return server.getListing(JSON.stringify([codeId, deployedAt, name]), async () => fillListing(text, deployedAt));
}

async function list(asked: FileRequest, server: FileServer, { language }: HttpSettings): Promise<Listing> {
  const { files, deployedAt, key, parameters } = asked;
  const searched = files.findSearched(asked);
  if (searched === null) {
    throw notFoundError(`Could not find instances in file_metadata with '${key}'`, 'RESOURCE_NOT_FOUND');
  }
  const options = readMetadataOptions(parameters, 'search', language);
  const search = readSearchOptions(parameters);
  // Cache key: everything the answer depends on. Other parameters (client, transaction) do not
  // matter.
  const name = JSON.stringify([
    files.codeId,
    deployedAt,
    searched,
    options,
    { ...search, limit: `${search.recurseLimit}` },
  ]);
  return server.getListing(name, async () => {
    const found = files.list(searched, search, options.links);
    const metadata = await filesetMetadata(files, found, { ...options, checksums: server.checksums, deployedAt });
    return JSON.stringify(metadata);
  });
}

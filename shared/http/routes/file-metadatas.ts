import { badRequest, environmentNotFound, JSON_TYPE, notFound } from '../answers.ts';
import { compress, sendGzipped } from '../content-encoding.ts';
import { type Endpoint, type HttpContext, pathBehind } from '../endpoint.ts';
import { environmentParameter } from '../environment-parameter.ts';
import { filesetMetadata, readMetadataOptions } from '../files/file-metadata.ts';
import type { Listing, OpenedEnvironment } from '../files/file-server.ts';
import type { SearchOptions } from '../files/fileset.ts';
import { parametersAsRuby, splitKey } from '../files/request-key.ts';
import { isMount, unknownMount } from '../files/served-environment.ts';
import type { HttpServices } from '../services.ts';

const PREFIX = '/puppet/v3/file_metadatas/';

/** `GET file_metadatas/<mount>/<path>`: metadata of a tree; the same listing is made once for all agents. */
export const fileMetadatas: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  access: 'certificate',
  async handle(context, services) {
    const environment = environmentParameter(context);
    const opened = await services.files.open(environment);
    if (opened === null) throw environmentNotFound(environment);
    const name = `${opened.files.codeId} ${opened.deployedAt} ${new URL(context.req.url).search} ${context.req.path}`;
    const listing = await services.files.listing(name, () => list(context, opened, services));
    return sendGzipped(context, listing.gzipped, JSON_TYPE);
  },
};

async function list(context: HttpContext, opened: OpenedEnvironment, services: HttpServices): Promise<Listing> {
  const { files, deployedAt } = opened;
  const query = new URL(context.req.url).searchParams;
  const key = pathBehind(context, PREFIX);
  const { mount, path } = splitKey(key);
  if (!isMount(mount)) throw unknownMount('search', 'file_metadata', key, parametersAsRuby(key, query));
  const found = files.search(mount, path, readSearchOptions(query));
  if (found === null) {
    throw notFound(`Could not find instances in file_metadata with '${key}'`, 'RESOURCE_NOT_FOUND');
  }
  const metadataContext = { ...readMetadataOptions(query), blobs: services.files.blobs, deployedAt };
  const metadata = await filesetMetadata(files, found, metadataContext);
  const json = new TextEncoder().encode(JSON.stringify(metadata));
  return { gzipped: new Uint8Array(await compress(json)) };
}

function readSearchOptions(query: URLSearchParams): SearchOptions {
  return {
    recurse: query.get('recurse') === 'true',
    recurseLimit: readNumber(query, 'recurselimit') ?? Number.POSITIVE_INFINITY,
    ignore: query.getAll('ignore'),
    maxFiles: readNumber(query, 'max_files') ?? 0,
  };
}

function readNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === 'infinite') return null;
  if (!/^-?\d+$/.test(text)) throw badRequest(`The parameter ${name} must be a whole number, not '${text}'`);
  return Number(text);
}

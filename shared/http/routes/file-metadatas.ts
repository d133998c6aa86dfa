import type { BlobStore } from '../../store/ports.ts';
import { badRequest, JSON_TYPE, notFound } from '../answers.ts';
import { compress, sendGzipped } from '../content-encoding.ts';
import type { Endpoint } from '../endpoint.ts';
import { filesetMetadata, readMetadataOptions } from '../files/file-metadata.ts';
import { type FileRequest, readFileRequest } from '../files/file-request.ts';
import type { Listing } from '../files/file-server.ts';
import type { SearchOptions } from '../files/fileset.ts';

const PREFIX = '/puppet/v3/file_metadatas/';

/** `GET file_metadatas/<mount>/<path>`: metadata of a tree; the same listing is made once for all agents. */
export const fileMetadatas: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  access: 'certificate',
  async handle(context, services) {
    const asked = await readFileRequest(context, services, PREFIX);
    const name = `${asked.files.codeId} ${asked.deployedAt} ${asked.query} ${asked.key}`;
    const listing = await services.files.listing(name, () => list(asked, services.files.blobs));
    return sendGzipped(context, listing.gzipped, JSON_TYPE);
  },
};

async function list(asked: FileRequest, blobs: BlobStore): Promise<Listing> {
  const { files, deployedAt, mount, path, key, query } = asked;
  const found = files.search(mount, path, readSearchOptions(query));
  if (found === null) {
    throw notFound(`Could not find instances in file_metadata with '${key}'`, 'RESOURCE_NOT_FOUND');
  }
  const metadata = await filesetMetadata(files, found, { ...readMetadataOptions(query), blobs, deployedAt });
  return { gzipped: new Uint8Array(await compress(JSON.stringify(metadata))) };
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

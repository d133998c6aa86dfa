import { isAdministrator } from '../../../access/authorization/default-rules.ts';
import { PREFIXES } from '../../../config/deployment.ts';
import { inspectString } from '../../../puppet/ruby-core/ruby-inspect.ts';
import { listPages } from '../../../store/list-pages.ts';
import type { BlobStream } from '../../../store/ports/blob-store.ts';
import { DAY_MS } from '../../../util/day.ts';
import { printUnifiedDiff } from '../../../util/unified-diff.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { readBody } from '../../body/read-body.ts';
import { certnameOf, type HttpContext, pathBehind } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { badRequestError, internalServerError, resourceNotFoundError } from '../../exchange/answers.ts';
import { demandFormat } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

const PREFIX = '/puppet/v3/file_bucket_file/';
/** Hexadecimal digits per digest type. */
const DIGEST_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['md5', 32],
  ['sha1', 40],
  ['sha224', 56],
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);
/** Bytes. */
const LARGEST_COMPARED = 1 << 20;
const OCTETS = { 'Content-Type': 'application/octet-stream' };

/**
 * Age from which `HEAD` reports a file as missing: the agent then puts it again, which renews its
 * retention.
 */
const FRESH_MS = 30 * DAY_MS;

interface BucketKey {
  readonly kind: string;
  readonly digest: string;
  /** The key as error messages show it. */
  readonly shown: string;
}

/**
 * `GET` or `HEAD file_bucket_file/<kind>/<digest>/<path>`: a file from the node's own bucket; an
 * administrator's `GET` finds the files of all nodes. `diff_with=<digest>` returns its `diff -u`
 * with that file, for `puppet filebucket diff`.
 */
export const getBucketFile = createRoute<AgentServices>('GET', `${PREFIX}*`, async (context, services) => {
  await requireEnvironment(context, services);
  const key = readKey(context);
  const other = context.req.query('diff_with');
  if (other !== undefined) return diffBucketFiles(context, services, key, assertKey(key.kind, other, key.shown));
  if (context.req.method === 'HEAD') {
    const [entry] = (await services.blobs.list(blobKey(certnameOf(context), key))).entries;
    const isFresh = entry !== undefined && services.clock.now() - entry.putAt < FRESH_MS;
    if (!isFresh) throw resourceNotFoundError('file_bucket_file', key.shown);
    return new Response(null, { headers: { 'Content-Length': '0' } });
  }
  const stored = await openBucketFile(context, services, key);
  if (stored === null) throw resourceNotFoundError('file_bucket_file', key.shown);
  return new Response(stored.body, { headers: { ...OCTETS, 'Content-Length': String(stored.size) } });
});

/** Each node has a bucket of its own: an administrator's search walks through all of them. */
async function openBucketFile(
  context: HttpContext,
  { blobs }: AgentServices,
  { kind, digest }: BucketKey,
): Promise<BlobStream | null> {
  const own = await blobs.stream(blobKey(certnameOf(context), { kind, digest }));
  const { peer } = context.env;
  if (own !== null || peer === null || !isAdministrator(peer)) return own;
  for await (const entries of listPages(blobs, PREFIXES.bucket)) {
    const found = entries.find(({ key }) => key.endsWith(`/${kind}/${digest}`));
    if (found !== undefined) return blobs.stream(found.key);
  }
  return null;
}

/** `PUT file_bucket_file/…`: stores a file under its digest, which is verified. */
export const putBucketFile = createRoute<AgentServices>('PUT', `${PREFIX}*`, async (context, services) => {
  await requireEnvironment(context, services);
  const key = readKey(context);
  demandFormat(context, [OCTETS['Content-Type']]);
  await store(context, services, key);
  return new Response('', { headers: OCTETS });
});

async function store(context: HttpContext, services: AgentServices, key: BucketKey): Promise<void> {
  const { bytes, digest } = await readBody(context, BODIES.bucket, 'digest', key.kind);
  if (digest !== key.digest) {
    throw badRequestError(`The request body has the ${key.kind} digest ${digest}, not ${key.digest} as its path says`);
  }
  await services.blobs.put(blobKey(certnameOf(context), key), bytes);
}

/**
 * Reads the key. Refuses, like lib/puppet/indirector/file_bucket_file/file.rb, an invalid checksum
 * and unsupported operations.
 */
// Differs from Puppet: all digest types are accepted, not only the server's own; the path is not
// checked.
function readKey(context: HttpContext): BucketKey {
  const shown = pathBehind(context, PREFIX);
  if (context.req.query('list_all') === 'true') throw internalServerError('Listing remote file buckets is not allowed');
  const [kind = '', digest] = shown.split('/');
  return assertKey(kind, digest, shown);
}

function assertKey(kind: string, digest: string | undefined, shown: string): BucketKey {
  const length = DIGEST_LENGTHS.get(kind);
  if (length === undefined) throw internalServerError(`Unsupported checksum type ${inspectString(kind)}`);
  if (digest?.length !== length || !/^[0-9a-f]+$/.test(digest)) {
    throw internalServerError(`Invalid checksum ${digest === undefined ? 'nil' : inspectString(digest)}`);
  }
  return { kind, digest, shown };
}

// Differs from Puppet: headers name digests and no file times; a missing file answers 404.
async function diffBucketFiles(
  context: HttpContext,
  services: AgentServices,
  before: BucketKey,
  after: BucketKey,
): Promise<Response> {
  const texts: string[] = [];
  for (const key of [before, after]) {
    const stored = await openBucketFile(context, services, key);
    if (stored === null) throw resourceNotFoundError('file_bucket_file', `${key.kind}/${key.digest}`);
    if (stored.size > LARGEST_COMPARED) {
      await stored.body.cancel();
      throw internalServerError(`Files of more than ${LARGEST_COMPARED} bytes are not compared`);
    }
    texts.push(Buffer.from(await new Response(stored.body).arrayBuffer()).toString('latin1'));
  }
  return new Response(Buffer.from(printDifference(before, after, texts), 'latin1'), { headers: OCTETS });
}

function printDifference(before: BucketKey, after: BucketKey, [old = '', young = '']: readonly string[]): string {
  const [from, to] = [before, after].map(({ kind, digest }) => `${kind}/${digest}`);
  if (old === young) return '';
  if (`${old}${young}`.includes('\0')) return `Binary files ${from} and ${to} differ\n`;
  return `--- ${from}\n+++ ${to}\n${printUnifiedDiff(old, young)}`;
}

function blobKey(certname: string, { kind, digest }: Pick<BucketKey, 'kind' | 'digest'>): string {
  return `${PREFIXES.bucket}${certname}/${kind}/${digest}`;
}

import { createHash } from 'node:crypto';
import { badRequest, resourceNotFound } from '../answers.ts';
import { certnameOf, type Endpoint, type HttpContext, pathBehind } from '../endpoint.ts';
import { existingEnvironment } from '../environment-parameter.ts';
import { readBody } from '../request-body.ts';
import { BODY_LIMITS } from '../services.ts';

const PREFIX = '/puppet/v3/file_bucket_file/';
const DIGEST_KINDS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
const OCTETS = { 'Content-Type': 'application/octet-stream' };

interface BucketKey {
  readonly kind: string;
  readonly digest: string;
  /** As errors show it. */
  readonly shown: string;
}

/** `GET` or `HEAD file_bucket_file/<kind>/<digest>/<path>`: a file that this node put there; a node sees its own only. */
export const bucketFile: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  async handle(context, services) {
    await existingEnvironment(context, services);
    const key = readKey(context);
    const blob = blobKey(certnameOf(context), key);
    if (context.req.method === 'HEAD') {
      if (!(await services.blobs.has(blob))) throw resourceNotFound('file_bucket_file', key.shown);
      return new Response(null, { headers: { 'Content-Length': '0' } });
    }
    const stored = await services.blobs.stream(blob);
    if (stored === null) throw resourceNotFound('file_bucket_file', key.shown);
    return new Response(stored.body, { headers: { ...OCTETS, 'Content-Length': String(stored.size) } });
  },
};

/** `PUT file_bucket_file/…`: keeps a file under its digest, which it must have. */
export const storeBucketFile: Endpoint = {
  methods: ['PUT'],
  path: `${PREFIX}*`,
  async handle(context, services) {
    await existingEnvironment(context, services);
    const key = readKey(context);
    const bytes = await readBody(context, BODY_LIMITS.bucket);
    const digest = createHash(key.kind).update(bytes).digest('hex');
    if (digest !== key.digest) {
      throw badRequest(`The request body has the ${key.kind} digest ${digest}, not ${key.digest} as its path says`);
    }
    await services.blobs.putIfAbsent(blobKey(certnameOf(context), key), bytes);
    return new Response('', { headers: OCTETS });
  },
};

function readKey(context: HttpContext): BucketKey {
  const shown = pathBehind(context, PREFIX);
  const [kind = '', digest = ''] = shown.split('/');
  if (!DIGEST_KINDS.includes(kind) || !/^[0-9a-f]+$/.test(digest)) {
    throw badRequest(`Invalid checksum type or checksum in '${shown}'`);
  }
  return { kind, digest, shown };
}

function blobKey(certname: string, { kind, digest }: BucketKey): string {
  return `bucket/${certname}/${kind}/${digest}`;
}

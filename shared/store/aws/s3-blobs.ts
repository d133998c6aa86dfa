import { S3Client } from '@aws-sdk/client-s3';
import type { BlobStore } from '../ports/blob-store.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { AwsBlobStore } from './blob-store.ts';

const PARAMETERS = ['endpoint', 'region'];
const USUAL_REGION = 'us-east-1';

/** An address of blobs: a bucket, and where it is if it is not AWS's. */
interface BucketPlace {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint: string | null;
}

/**
 * Opens the blobs of `s3://bucket?endpoint=https://host:9000&region=R`, in any store that speaks
 * S3. Credentials are those of the SDK's usual sources. Throws StoreRefused for another address.
 */
export function openS3Blobs(url: string): BlobStore {
  const { bucket, region, endpoint } = readBucketPlace(url);
  // Other stores than AWS have no name of a host for each bucket.
  const place = endpoint === null ? {} : { endpoint, forcePathStyle: true };
  return new AwsBlobStore(new S3Client({ region, ...place }), bucket);
}

/** Throws StoreRefused for an address that `openS3Blobs` cannot use. */
export function readBucketPlace(url: string): BucketPlace {
  const refuse = (why: string): never => {
    throw new StoreRefused(`the address of the blobs cannot be used: ${why}`);
  };
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 's3:' || parsed.hostname === '' || !['', '/'].includes(parsed.pathname)) {
    return refuse('it is no URL like s3://bucket?endpoint=https://host:9000');
  }
  for (const name of parsed.searchParams.keys()) {
    if (!PARAMETERS.includes(name)) refuse(`it has the unknown parameter '${name}' (known: ${PARAMETERS.join(', ')})`);
  }
  const endpoint = parsed.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    refuse(`the endpoint '${endpoint}' is no http or https URL`);
  }
  return { bucket: parsed.hostname, region: parsed.searchParams.get('region') ?? USUAL_REGION, endpoint };
}

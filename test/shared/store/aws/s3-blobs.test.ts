import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openS3Blobs, readBucketPlace } from '../../../../shared/store/aws/s3-blobs.ts';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { type Emulators, startEmulators } from '../../../helpers/aws-emulators.ts';

let emulators: Emulators;
beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await emulators.close();
});

it('are those of a bucket of any store that speaks S3', async () => {
  const { variables, clients } = emulators;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const) vi.stubEnv(name, variables[name]);
  await clients.s3.send(new CreateBucketCommand({ Bucket: 'fleet' }));
  const blobs = openS3Blobs(`s3://fleet?endpoint=${variables.AWS_ENDPOINT_URL_S3}&region=eu-central-1`);
  await blobs.put('files/a', Buffer.from('content'));
  expect(Buffer.from((await blobs.get('files/a')) ?? []).toString()).toBe('content');
  expect((await blobs.list('files/')).entries).toMatchObject([{ key: 'files/a', size: 7 }]);
});

it('are in a bucket of AWS without an endpoint', () => {
  expect(readBucketPlace('s3://fleet')).toEqual({ bucket: 'fleet', region: 'us-east-1', endpoint: null });
});

it.each([
  ['https://fleet', 'it is no URL like s3://bucket?endpoint=https://host:9000'],
  ['s3://fleet/folder', 'it is no URL like s3://bucket?endpoint=https://host:9000'],
  ['s3://fleet?style=path', "it has the unknown parameter 'style' (known: endpoint, region)"],
  ['s3://fleet?endpoint=minio:9000', "the endpoint 'minio:9000' is no http or https URL"],
])('refuses %s', (url, why) => {
  expect(() => readBucketPlace(url)).toThrow(new StoreRefused(`the address of the blobs cannot be used: ${why}`));
});

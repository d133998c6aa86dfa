import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { KeptValue } from '../../store/ports/job-records.ts';

/** A value whose JSON has more bytes is kept in a blob. */
const MOST_INLINE_BYTES = 64 * 1024;

type Blobs = Pick<BlobStore, 'get' | 'put'>;

/** Makes a JSON value fit to be stored; `key` names the blob of a large one. */
export async function keepValue(
  blobs: Blobs,
  key: string,
  value: unknown,
  mostInline: number = MOST_INLINE_BYTES,
): Promise<KeptValue> {
  const bytes = Buffer.from(JSON.stringify(value ?? null));
  if (bytes.length <= mostInline) return { value };
  await blobs.put(key, bytes);
  return { blob: key };
}

/** Reads a kept value; null when its blob is gone. */
export async function readKeptValue(blobs: Blobs, kept: KeptValue): Promise<unknown> {
  if ('value' in kept) return kept.value;
  const bytes = await blobs.get(kept.blob);
  return bytes && JSON.parse(Buffer.from(bytes).toString());
}

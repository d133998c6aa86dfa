import { createHash } from 'node:crypto';

/**
 * Passes a stream on, and fails at its end when its bytes do not have that sha256: with the error
 * that `fail` returns. The last chunk is held back until then, so that a client never gets all
 * bytes of a damaged file.
 */
export function checkContent(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  sha256: string,
  fail: () => Promise<Error>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  const hash = createHash('sha256');
  let held: Uint8Array<ArrayBuffer> | null = null;
  const next = async () => {
    const { done, value } = await reader.read();
    if (!done) hash.update(value);
    else if (hash.digest('hex') !== sha256) throw await fail();
    return done ? null : value;
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    held ??= await next();
    const following = held && (await next());
    if (held) controller.enqueue(held);
    held = following;
    if (held === null) controller.close();
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

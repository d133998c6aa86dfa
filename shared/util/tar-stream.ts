import { createTarDecoder, createTarPacker } from 'modern-tar';

/** A file of a tar archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The archive cannot be read; the message says why. */
export class DamagedArchive extends Error {
  override readonly name = 'DamagedArchive';
}

const BLOCK = 512;
/** Two empty blocks, with which an archive ends. */
const END = new Uint8Array(2 * BLOCK);

/** A tar archive in pieces, made as it is read. `now`: milliseconds since 1970. */
export function packTar(entries: AsyncIterable<TarEntry>, now: () => number): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const write = async () => {
    for await (const { name, bytes } of entries) {
      const header = { name, size: bytes.byteLength, mtime: new Date(now()), type: 'file' } as const;
      const writer = controller.add(header).getWriter();
      if (bytes.byteLength > 0) await writer.write(bytes);
      await writer.close();
    }
    controller.finalize();
  };
  write().catch((error: unknown) => controller.error(error));
  return readable;
}

/**
 * The files of an archive, one at a time; it may lack its end. Rejects with DamagedArchive, also
 * for a file with more than `mostBytes`, and as its source does.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<TarEntry> {
  const source = new ArchiveSource(chunks);
  try {
    const entries = ReadableStream.from(source.read()).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      const { name, size, type } = header;
      if (size > mostBytes)
        throw new DamagedArchive(`The entry '${name}' of the archive has more than ${mostBytes} bytes`);
      const bytes = Buffer.from(await new Response(body).arrayBuffer());
      if (type === 'file') yield { name, bytes };
    }
  } catch (error) {
    if (error instanceof DamagedArchive) throw error;
    throw source.fault ?? describe(error);
  }
}

/** modern-tar throws errors without a kind. */
function describe(error: unknown): DamagedArchive {
  const isCut = error instanceof Error && error.message.includes('truncated');
  return new DamagedArchive(
    isCut ? 'The archive ends within an entry' : 'The body is no tar archive, compressed with gzip',
  );
}

/** The bytes of an archive, with an end where it lacks one, and the error with which they ended. */
class ArchiveSource {
  readonly #chunks: AsyncIterable<Uint8Array>;
  fault: unknown = null;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    let size = 0;
    try {
      for await (const chunk of this.#chunks) {
        size += chunk.byteLength;
        yield chunk;
      }
    } catch (error) {
      this.fault = error;
      throw error;
    }
    if (size % BLOCK === 0) yield END;
  }
}

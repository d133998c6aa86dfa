import { UndecodableFrame } from './pcp-message.ts';

/** The kinds of chunks, in the low four bits of their first byte. */
export const CHUNK = { envelope: 1, data: 2, debug: 3 } as const;

export interface Chunk {
  readonly kind: number;
  readonly content: Buffer;
}

const VERSION = 1;
/** A byte for the kind, and the length in four bytes, big-endian. */
const HEAD = 5;
/** A message has three chunks at most. A frame with many more only wastes memory. */
const MOST_CHUNKS = 16;

/** Reads the chunks of a frame of version 1 of PCP. Throws UndecodableFrame. */
export function readChunks(frame: Buffer): readonly Chunk[] {
  if (frame[0] !== VERSION) throw new UndecodableFrame('the first byte is not version 1');
  const chunks: Chunk[] = [];
  for (let at = 1; at < frame.length; ) {
    if (at + HEAD > frame.length) throw new UndecodableFrame('a chunk is truncated');
    const end = at + HEAD + frame.readInt32BE(at + 1);
    if (end < at + HEAD || end > frame.length) throw new UndecodableFrame('the length of a chunk is invalid');
    if (chunks.push({ kind: (frame[at] ?? 0) & 0x0f, content: frame.subarray(at + HEAD, end) }) > MOST_CHUNKS) {
      throw new UndecodableFrame('the message has too many chunks');
    }
    at = end;
  }
  return chunks;
}

/** Writes a frame of version 1 of PCP. */
export function writeChunks(chunks: readonly { readonly kind: number; readonly content: Uint8Array }[]): Buffer {
  const parts: Uint8Array[] = [Buffer.of(VERSION)];
  for (const { kind, content } of chunks) {
    const head = Buffer.alloc(HEAD);
    head[0] = kind;
    head.writeInt32BE(content.length, 1);
    parts.push(head, content);
  }
  return Buffer.concat(parts);
}

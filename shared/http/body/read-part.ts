import { BodyRefused } from './body-kinds.ts';

const MOST_HEADER_BYTES = 16 * 1024;

/** The boundary of a body of the type `multipart/form-data`; null for other types. */
export function readBoundary(contentType: string | null): string | null {
  const found = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType ?? '',
  );
  return found?.[1] ?? found?.[2] ?? null;
}

/**
 * The content of the first part of that name, in pieces as they come; what follows is not read.
 * Rejects with BodyRefused when there is none.
 */
export async function* readPart(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
  name: string,
): AsyncGenerator<Buffer> {
  const limit = Buffer.from(`\r\n--${boundary}`);
  let held = Buffer.from('\r\n');
  let state: 'skip' | 'head' | 'content' = 'skip';
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      if (state === 'head') {
        const end = held.indexOf('\r\n\r\n');
        if (end < 0 && held.length > MOST_HEADER_BYTES) throw refuse('A part of the body has a header without end');
        if (held.subarray(0, 2).toString('latin1') === '--') throw refuse(`The body has no part '${name}'`);
        if (end < 0) break;
        state = nameOfPart(held.toString('utf8', 0, end)) === name ? 'content' : 'skip';
        // A part without content ends with the line break of its header.
        held = held.subarray(end + (held.subarray(end + 2, end + 2 + limit.length).equals(limit) ? 2 : 4));
        continue;
      }
      const at = held.indexOf(limit);
      // The end of what is held may be the start of the boundary.
      const known = at < 0 ? Math.max(0, held.length - limit.length + 1) : at;
      if (state === 'content' && known > 0) yield held.subarray(0, known);
      held = held.subarray(at < 0 ? known : at + limit.length);
      if (at < 0) break;
      if (state === 'content') return;
      state = 'head';
    }
  }
  throw refuse(state === 'content' ? 'The body ends within a part' : `The body has no part '${name}'`);
}

function nameOfPart(head: string): string | null {
  return /^content-disposition:.*?;\s*name="([^"]*)"/im.exec(head)?.[1] ?? null;
}

function refuse(message: string): BodyRefused {
  return new BodyRefused('malformed', message);
}

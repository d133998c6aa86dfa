import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpContext } from '../endpoint.ts';
import { TEXT_TYPE } from '../exchange/answers.ts';

/** A file of the console's client. */
export interface ConsoleAsset {
  /** Below `/console/`: `index.html`, `assets/app-1a2b3c4d.js`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The content type. */
  readonly type: string;
  /** Digest of the bytes. */
  readonly hash: string;
}

type Encoding = 'br' | 'gzip' | 'identity';

const PREFIX = '/console/';
const INDEX = 'index.html';
/** A name with a hash never gets other content. */
const HASHED = /[-.][0-9A-Za-z]{8,64}\.\w+$/;
const TEXTS = /^(text\/|application\/(javascript|json|manifest\+json)|image\/svg)/;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESSORS: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
};

/**
 * Serves the files of the client. A path without a file is a page of the client, which `index.html`
 * shows; a missing file with an extension below `assets/` is not found. Each file is compressed
 * once for each encoding.
 */
export class ConsoleFiles {
  readonly #assets: ReadonlyMap<string, ConsoleAsset>;
  readonly #compressed = new Map<string, Promise<Uint8Array>>();

  constructor(assets: readonly ConsoleAsset[]) {
    this.#assets = new Map(assets.map((asset) => [asset.path, asset]));
  }

  /** Answers `GET` and `HEAD` below `/console`. */
  async answer(context: HttpContext): Promise<Response> {
    const path = new URL(context.req.url).pathname.slice(PREFIX.length);
    const asset = this.#assets.get(path) ?? (path.startsWith('assets/') ? undefined : this.#assets.get(INDEX));
    if (asset === undefined) return this.#missing(path);
    const encoding = TEXTS.test(asset.type) ? chooseEncoding(context.req.header('Accept-Encoding') ?? '') : 'identity';
    const tag = `"${asset.hash.slice(0, 32)}-${encoding}"`;
    const headers = new Headers({
      'Content-Type': asset.type,
      ETag: tag,
      Vary: 'Accept-Encoding',
      'Cache-Control': HASHED.test(asset.path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    if (hasTag(context.req.header('If-None-Match'), tag)) return new Response(null, { status: 304, headers });
    const bytes = await this.#compress(asset, encoding);
    if (encoding !== 'identity') headers.set('Content-Encoding', encoding);
    headers.set('Content-Length', String(bytes.byteLength));
    return new Response(Uint8Array.from(bytes), { headers });
  }

  #missing(path: string): Response {
    const text = this.#assets.has(INDEX) ? `There is no file ${path}` : 'This server has no files of the console';
    return new Response(text, { status: 404, headers: { 'Content-Type': TEXT_TYPE, 'Cache-Control': 'no-store' } });
  }

  #compress({ hash, bytes }: ConsoleAsset, encoding: Encoding): Promise<Uint8Array> {
    const key = `${encoding} ${hash}`;
    const known = this.#compressed.get(key);
    if (known !== undefined) return known;
    const made = COMPRESSORS[encoding](bytes);
    this.#compressed.set(key, made);
    return made;
  }
}

/** The best encoding that the client accepts. */
function chooseEncoding(accepted: string): Encoding {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? ''))
    .map(([name]) => name);
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : 'identity';
}

function hasTag(given: string | undefined, tag: string): boolean {
  const tags = given?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(tag) || tags.includes('*');
}

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpContext } from '../endpoint.ts';
import { TEXT_TYPE } from '../exchange/answers.ts';

/** A file of the console's client. */
export interface ConsoleAsset {
  /** Below `/console/`: `index.html`, `console-1a2b3c4d.js`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The content type. */
  readonly type: string;
  /** Digest of the bytes. */
  readonly hash: string;
  /** Whether the path has a hash, so that it never gets other content. */
  readonly isImmutable: boolean;
}

type Encoding = 'br' | 'gzip' | 'identity';

const PREFIX = '/console/';
const INDEX = 'index.html';
/** Paths of files, as opposed to pages of the client. */
const FILE = /^(assets\/.*|[^/]+\.\w+)$/;
const TEXTS = /^(text\/|application\/(javascript|json|manifest\+json)|image\/svg)/;

/** Encodings of the files of some releases. */
const MOST_COMPRESSED = 32;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESSORS: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
};

/** Gives the files of the client; an empty list where there are none. */
export type LoadAssets = () => Promise<readonly ConsoleAsset[]>;

/** Gives a file of another release by its name; null where there is none. */
export type FindAsset = (path: string) => Promise<ConsoleAsset | null>;

/**
 * Serves the files of the client. A path without a file is a page of the client, which `index.html`
 * shows; a missing file with an extension is not found. The files are loaded by the first request,
 * and each is compressed once for each encoding.
 */
export class ConsoleFiles {
  readonly #load: LoadAssets;
  readonly #findOther: FindAsset;
  #assets: Promise<ReadonlyMap<string, ConsoleAsset>> | null = null;
  readonly #compressed = new Map<string, Promise<Uint8Array>>();

  constructor(load: LoadAssets, findOther: FindAsset = async () => null) {
    this.#load = load;
    this.#findOther = findOther;
  }

  /** Answers `GET` and `HEAD` below `/console`. Rejects when the files cannot be loaded. */
  async answer(context: HttpContext): Promise<Response> {
    const path = new URL(context.req.url).pathname.slice(PREFIX.length);
    const assets = await this.#loadOnce();
    const asset = assets.get(path) ?? (FILE.test(path) ? await this.#findOther(path) : assets.get(INDEX));
    if (!asset) return answerMissing(assets.has(INDEX) ? `There is no file ${path}` : NO_FILES);
    const encoding = TEXTS.test(asset.type) ? chooseEncoding(context.req.header('Accept-Encoding') ?? '') : 'identity';
    const tag = `"${asset.hash.slice(0, 32)}-${encoding}"`;
    const headers = new Headers({
      'Content-Type': asset.type,
      ETag: tag,
      Vary: 'Accept-Encoding',
      'Cache-Control': asset.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    if (hasTag(context.req.header('If-None-Match'), tag)) return new Response(null, { status: 304, headers });
    const bytes = await this.#compress(asset, encoding);
    if (encoding !== 'identity') headers.set('Content-Encoding', encoding);
    headers.set('Content-Length', String(bytes.byteLength));
    return new Response(Uint8Array.from(bytes), { headers });
  }

  #loadOnce(): Promise<ReadonlyMap<string, ConsoleAsset>> {
    this.#assets ??= this.#load().then(
      (assets) => new Map(assets.map((asset) => [asset.path, asset])),
      (error: unknown) => {
        this.#assets = null;
        throw error;
      },
    );
    return this.#assets;
  }

  #compress({ hash, bytes }: ConsoleAsset, encoding: Encoding): Promise<Uint8Array> {
    const key = `${encoding} ${hash}`;
    const known = this.#compressed.get(key);
    if (known !== undefined) return known;
    const made = COMPRESSORS[encoding](bytes);
    this.#compressed.set(key, made);
    for (const oldest of [...this.#compressed.keys()].slice(0, -MOST_COMPRESSED)) this.#compressed.delete(oldest);
    return made;
  }
}

const NO_FILES = 'This server has no files of the console';

function answerMissing(text: string): Response {
  return new Response(text, { status: 404, headers: { 'Content-Type': TEXT_TYPE, 'Cache-Control': 'no-store' } });
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

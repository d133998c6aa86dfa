/**
 * Makes what Node does in other threads, or in a later turn, happen at once: between two steps of a
 * simulated run all code must run until its next calls of ports. Import it before everything else.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import zlib from 'node:zlib';

type Callback = (error: Error | null, result?: Buffer) => void;
type Convert = (bytes: zlib.InputType, options?: object) => Buffer;

const makeSynchronous =
  (convert: Convert) =>
  (bytes: zlib.InputType, ...rest: readonly (object | Callback)[]): void => {
    const callback = rest.at(-1) as Callback;
    try {
      callback(null, convert(bytes, rest.length > 1 ? rest[0] : undefined));
    } catch (error) {
      callback(error as Error);
    }
  };

/** Blobs are in memory, and runs read the same ones again. */
const rememberOf =
  (convert: Convert): Convert =>
  (bytes, options) => {
    if (!(bytes instanceof Uint8Array) || options !== undefined) return convert(bytes, options);
    const known = unpacked.get(bytes);
    if (known) return known;
    const result = convert(bytes);
    unpacked.set(bytes, result);
    return result;
  };
const unpacked = new WeakMap<Uint8Array, Buffer>();

const { gzipSync, brotliCompressSync, brotliDecompressSync } = zlib;
const gunzipSync = rememberOf(zlib.gunzipSync);
Object.assign(zlib, {
  gunzipSync,
  gzip: makeSynchronous(gzipSync),
  gunzip: makeSynchronous(gunzipSync),
  brotliCompress: makeSynchronous(brotliCompressSync),
  brotliDecompress: makeSynchronous(brotliDecompressSync),
});
Object.assign(timers, { setImmediate: (value?: unknown) => Promise.resolve(value) });
syncBuiltinESMExports();

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

const { gzipSync, gunzipSync, brotliCompressSync, brotliDecompressSync } = zlib;
Object.assign(zlib, {
  gzip: makeSynchronous(gzipSync),
  gunzip: makeSynchronous(gunzipSync),
  brotliCompress: makeSynchronous(brotliCompressSync),
  brotliDecompress: makeSynchronous(brotliDecompressSync),
});
Object.assign(timers, { setImmediate: (value?: unknown) => Promise.resolve(value) });
syncBuiltinESMExports();

import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** A body that no route takes. */
export interface HostileBody {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly encoding?: string;
}

const MB = 1024 ** 2;

/** The bodies, of about so many bytes where they have a size of their own. */
export function makeHostileBodies(bytes: number): readonly HostileBody[] {
  const many = Math.floor(bytes / 2);
  const bomb = Buffer.alloc(10 * MB);
  const json = Buffer.from(JSON.stringify({ certname: 'x', values: { a: 'b'.repeat(100) } }));
  return [
    { name: 'NULs', bytes: Buffer.alloc(bytes) },
    { name: 'blanks', bytes: Buffer.alloc(bytes, ' ') },
    { name: 'a gzip bomb', bytes: gzipSync(bomb), encoding: 'gzip' },
    { name: 'a gzip bomb of blanks', bytes: gzipSync(bomb.fill(' ')), encoding: 'gzip' },
    { name: 'a deflate bomb', bytes: deflateSync(bomb), encoding: 'deflate' },
    { name: 'a brotli bomb', bytes: brotliCompressSync(bomb), encoding: 'br' },
    { name: 'a zstd bomb', bytes: zstdCompressSync(bomb), encoding: 'zstd' },
    { name: 'a bomb in a bomb', bytes: gzipSync(gzipSync(bomb)), encoding: 'gzip, gzip' },
    { name: 'JSON that is said to be gzip', bytes: json, encoding: 'gzip' },
    { name: 'half of a gzip', bytes: gzipSync(json).subarray(0, 40), encoding: 'gzip' },
    { name: 'deep lists', bytes: Buffer.from('['.repeat(many) + ']'.repeat(many)) },
    { name: 'deep maps, not ended', bytes: Buffer.from('{"a":'.repeat(many / 3)) },
    { name: 'a wide list', bytes: Buffer.from(`[${'1,'.repeat(many)}1]`) },
    { name: 'many keys', bytes: Buffer.from(`{${'"a":1,'.repeat(many / 3)}"b":1}`) },
    { name: 'a number without an end', bytes: Buffer.alloc(bytes, '1') },
    { name: '__proto__', bytes: Buffer.from('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"a":1}}}') },
    { name: 'repeated keys', bytes: Buffer.from('{"hostile":1,"hostile":2}') },
    { name: 'a byte order mark and no value', bytes: Buffer.from('\ufeff') },
    { name: 'UTF-16', bytes: Buffer.from('\ufeff{"hostile":1}', 'utf16le') },
    { name: 'Latin-1', bytes: Buffer.from('{"hostile":"\xe9"}', 'latin1') },
    { name: 'half a surrogate', bytes: Buffer.from('{"hostile":"\\ud800"}') },
    { name: 'half of a JSON text', bytes: Buffer.from('{"hostile":{"a":[1,2') },
    { name: 'two values', bytes: Buffer.from('{"hostile":1} {"hostile":2}') },
    { name: 'no JSON', bytes: Buffer.from('<xml>&#0;</xml>') },
  ];
}

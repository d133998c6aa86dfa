import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkGzip, gzipChecked } from '../../../../shared/fleet/catalogs/checked-gzip.ts';

const TEXT = JSON.stringify({
  resources: Array.from({ length: 200 }, (_, index) => ({ title: `t${index}`, ü: true })),
});
const DIGEST = createHash('sha256').update('a catalog').digest('hex');
const bytes = gzipChecked(TEXT, DIGEST);

describe('gzip data with a check in its header', () => {
  it('decompresses to the text, for readers that know nothing of the check', () => {
    expect(gunzipSync(bytes).toString('utf8')).toBe(TEXT);
  });

  it('is the same each time', () => {
    expect(gzipChecked(TEXT, DIGEST)).toEqual(bytes);
  });

  it('is undamaged, also as a part of a larger buffer', () => {
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
    expect(checkGzip(bytes, DIGEST)).toBe(true);
    expect(checkGzip(larger.subarray(6, 6 + bytes.length), DIGEST)).toBe(true);
  });

  it('is not what another digest asks for', () => {
    expect(checkGzip(bytes, createHash('sha256').update('another').digest('hex'))).toBe(false);
  });

  it('never passes with a changed byte', () => {
    const passed: number[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      if (checkGzip(damaged, DIGEST) === true) passed.push(at);
    }
    expect(passed).toEqual([]);
  });

  it('does not pass when it is cut short or longer', () => {
    expect(checkGzip(bytes.subarray(0, -1), DIGEST)).toBe(false);
    expect(checkGzip(Buffer.concat([bytes, Buffer.from([0])]), DIGEST)).toBe(false);
  });

  it.each([
    ['gzip data without the field', gzipSync(TEXT)],
    ['other bytes', Buffer.from('x'.repeat(200))],
    ['no bytes', new Uint8Array()],
  ])('cannot be told of %s', (_, other) => {
    expect(checkGzip(other, DIGEST)).toBe(false);
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder } from '../../../../../shared/puppet/ruby/wasm/image-folder.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { imageName, type RubyImage, readImage, writeImage } from '../../../../../shared/puppet/ruby/wasm/wasm-image.ts';
import { CARD_BYTES } from '../../../../../shared/puppet/ruby/wasm/wasm-memory.ts';
import { NO_CALLBACKS } from '../../../../helpers/ruby-callbacks.ts';

function card(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text));
}

const FULL = new Uint8Array(CARD_BYTES).fill(1);
const KEY = 'a'.repeat(64);
const IMAGE: RubyImage = {
  state: {
    memoryBytes: 8 * CARD_BYTES,
    cards: [undefined, card('one'), FULL, card('two'), undefined, FULL, FULL, undefined],
    globals: [16_777_216, 0],
  },
  library: new Map([
    ['library/a.rb', Uint8Array.of(65)],
    ['library/empty.rb', new Uint8Array()],
  ]),
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ruby-image-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const images = () => readdirSync(folder).filter((name) => name.endsWith('.image'));

function damage(name: string, change: (bytes: Buffer) => Buffer): void {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(path)));
}

describe('an image', () => {
  it('is read as it was written', () => {
    writeImage(folder, KEY, IMAGE);
    expect(readdirSync(folder)).toEqual([imageName(KEY)]);
    expect(readImage(join(folder, imageName(KEY)), KEY)).toEqual(IMAGE);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    [
      'a changed byte',
      (bytes) => Buffer.from(bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte))),
    ],
    ['a missing end', (bytes) => bytes.subarray(0, -1)],
    ['nothing in it', () => Buffer.alloc(0)],
  ])('with %s is not used', (_what, change) => {
    writeImage(folder, KEY, IMAGE);
    damage(imageName(KEY), change);
    expect(readImage(join(folder, imageName(KEY)), KEY)).toBeNull();
  });

  it('of another Ruby is not used, even under the name', () => {
    const other = `${KEY.slice(0, 32)}${'b'.repeat(32)}`;
    writeImage(folder, other, IMAGE);
    expect(imageName(other)).toBe(imageName(KEY));
    expect(readImage(join(folder, imageName(KEY)), KEY)).toBeNull();
  });

  it('leaves few of other versions beside it', () => {
    for (const letter of 'bcdef') writeImage(folder, letter.repeat(64), IMAGE);
    expect(images()).toHaveLength(3);
    expect(images()).toContain(imageName('f'.repeat(64)));
  });
});

describe('a start of Ruby', () => {
  function render(text: string): string {
    const ruby = createWasmRuby({ cacheFolder: folder, rendersAll: true });
    try {
      return ruby.renderTemplate({ path: 't', text }, NO_CALLBACKS);
    } finally {
      ruby.close();
    }
  }

  it('makes the image that is missing, and makes it anew when it is damaged', () => {
    expect(render('<%= 6 * 7 %>')).toBe('42');
    const [name = ''] = images();
    damage(name, (bytes) => Buffer.from(bytes).fill(0xff, 1000, 2000));
    expect(render('<%= 6 * 8 %>')).toBe('48');
    const mended = readFileSync(join(folder, name));
    expect(mended.subarray(1000, 2000).every((byte) => byte === 0xff)).toBe(false);
    // It is good: the next start makes no other.
    expect(render('<%= 6 * 9 %>')).toBe('54');
    expect(readFileSync(join(folder, name)).equals(mended)).toBe(true);
  });

  it('needs no place for an image', () => {
    rmSync(folder, { recursive: true });
    expect(render('<%= 6 * 7 %>')).toBe('42');
  });

  it('lies among the packages, by default', () => {
    const packages = join(import.meta.dirname, '../../../../../node_modules');
    expect(cacheFolder()).toBe(join(packages, '.cache', 'understudy'));
  });

  it('has chance of its own', () => {
    const code =
      "<% require 'securerandom' %><%= [SecureRandom.hex(8), Random.rand(10**18), rand(10**18)].join(' ') %>";
    const [one, other] = [render(code).split(' '), render(code).split(' ')];
    expect(one.filter((value, index) => value === other[index])).toEqual([]);
  });
});

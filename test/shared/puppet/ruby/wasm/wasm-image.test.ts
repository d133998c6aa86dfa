import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MachineryFault } from '../../../../../shared/puppet/errors/machinery-fault.ts';
import { cacheFolder } from '../../../../../shared/puppet/ruby/wasm/image-folder.ts';
import { checkModule, keyOfOrigin, type RubyOrigin } from '../../../../../shared/puppet/ruby/wasm/ruby-origin.ts';
import { createWasmRuby, type WasmRubyOptions } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { imageName, type RubyImage, readImage, writeImage } from '../../../../../shared/puppet/ruby/wasm/wasm-image.ts';
import { CARD_BYTES } from '../../../../../shared/puppet/ruby/wasm/wasm-memory.ts';
import { moduleName } from '../../../../../shared/puppet/ruby/wasm/wasm-module.ts';
import { NO_CALLBACKS } from '../../../../helpers/ruby-callbacks.ts';

function card(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text));
}

const FULL = new Uint8Array(CARD_BYTES).fill(1);
const ORIGIN: RubyOrigin = { package: 'ruby 1', modules: { 'ruby.wasm': 'a1' }, side: 'b2' };
const KEY = keyOfOrigin(ORIGIN);
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
    writeImage(folder, ORIGIN, IMAGE);
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
    writeImage(folder, ORIGIN, IMAGE);
    damage(imageName(KEY), change);
    expect(readImage(join(folder, imageName(KEY)), KEY)).toBeNull();
  });

  it.each<[string, RubyOrigin]>([
    ['version', { ...ORIGIN, package: 'ruby 2' }],
    ['module', { ...ORIGIN, modules: { 'ruby.wasm': 'a2' } }],
    ['Ruby side', { ...ORIGIN, side: 'b3' }],
  ])('of another %s is not used, even under the name', (_, other) => {
    writeImage(folder, other, IMAGE);
    renameSync(join(folder, imageName(keyOfOrigin(other))), join(folder, imageName(KEY)));
    expect(readImage(join(folder, imageName(KEY)), KEY)).toBeNull();
  });

  it('leaves few of other versions beside it', () => {
    const others = [...'bcdef'].map((side) => ({ ...ORIGIN, side }));
    for (const other of others) writeImage(folder, other, IMAGE);
    expect(images()).toHaveLength(3);
    expect(images()).toContain(imageName(keyOfOrigin({ ...ORIGIN, side: 'f' })));
  });
});

it('makes Ruby of no other file than the reviewed one', () => {
  const message =
    'ruby.wasm of @ruby/3.2-wasm-wasi has the SHA-256 ' +
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d, not ' +
    '4107b79ad357919679e7afd5c506243079ee8692949bf484dc596da0430d0de0';
  expect(() => checkModule('ruby.wasm', new Uint8Array(1))).toThrow(new MachineryFault(message));
});

describe('a start of Ruby', () => {
  function render(text: string, options: WasmRubyOptions = { cacheFolder: folder }): string {
    const ruby = createWasmRuby({ rendersAll: true, ...options });
    try {
      return String(ruby.renderTemplate({ path: 't', text }, NO_CALLBACKS));
    } finally {
      ruby.close();
    }
  }

  it('makes the image that is missing, and makes it anew when it is damaged', () => {
    // Ruby's module is there: only the image is missing.
    cpSync(join(cacheFolder() ?? '', moduleName()), join(folder, moduleName()));
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

  it('has chance of its own, from the same image', () => {
    const code =
      "<% require 'securerandom' %><%= [SecureRandom.hex(8), Random.rand(10**18), rand(10**18)].join(' ') %>";
    const [one, other] = [render(code, {}).split(' '), render(code, {}).split(' ')];
    expect(one.filter((value, index) => value === other[index])).toEqual([]);
  });
});

#!/usr/bin/env node
/**
 * `node functions/ruby-image.ts FOLDER`: boots Ruby and writes its image and its module into the
 * folder, for a bundle that runs the Ruby code of modules. The same sources give the same image, so
 * that a deploy of unchanged code keeps warm functions.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../shared/puppet/ruby/wasm/image-folder.ts';
import { bootImage, type RandomSource } from '../shared/puppet/ruby/wasm/wasm-boot.ts';
import { writeImage } from '../shared/puppet/ruby/wasm/wasm-image.ts';
import { findRubyOrigin, imageKey, moduleName, sideFiles } from '../shared/puppet/ruby/wasm/wasm-module.ts';

/** Bytes that follow from the seed: SHAKE256 of the seed and a counter. */
function createSource(seed: string): RandomSource {
  let calls = 0;
  return (bytes) => {
    calls += 1;
    bytes.set(createHash('shake256', { outputLength: bytes.length }).update(`${seed} ${calls}`).digest());
  };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: ruby-image.ts FOLDER');
// The module follows from the package alone: this machine may have made it, which takes 1.4 s.
const made = join(cacheFolder() ?? folder, moduleName());
if (existsSync(made)) copyFileSync(made, join(folder, moduleName()));
const side = sideFiles();
const source = createSource(imageKey(side));
writeImage(folder, findRubyOrigin(side), bootImage(side, { imageFolders: [folder], cacheFolder: folder }, source));

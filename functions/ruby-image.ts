#!/usr/bin/env node
/**
 * `node functions/ruby-image.ts FOLDER`: boots Ruby and writes its image and its module into the
 * folder, for a bundle that runs the Ruby code of modules.
 */
import { bootImage } from '../shared/puppet/ruby/wasm/wasm-boot.ts';
import { writeImage } from '../shared/puppet/ruby/wasm/wasm-image.ts';
import { imageKey, sideFiles } from '../shared/puppet/ruby/wasm/wasm-module.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: ruby-image.ts FOLDER');
const side = sideFiles();
writeImage(folder, imageKey(side), bootImage(side, { imageFolders: [folder], cacheFolder: folder }));

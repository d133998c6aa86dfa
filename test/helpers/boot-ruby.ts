import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../shared/puppet/ruby/wasm/image-folder.ts';
import { bootImage } from '../../shared/puppet/ruby/wasm/wasm-boot.ts';
import { imageName, writeImage } from '../../shared/puppet/ruby/wasm/wasm-image.ts';
import { findRubyOrigin, imageKey, moduleName, sideFiles } from '../../shared/puppet/ruby/wasm/wasm-module.ts';

/**
 * Global setup of vitest: boots Ruby once, so that the test files, which run side by side, find its
 * image and do not boot one each. On a busy machine it takes longer than a server lets it.
 */
export function setup(): void {
  const folder = cacheFolder();
  if (folder === null) return;
  const side = sideFiles();
  if ([moduleName(), imageName(imageKey(side))].every((name) => existsSync(join(folder, name)))) return;
  writeImage(folder, findRubyOrigin(side), bootImage(side, { imageFolders: [folder], cacheFolder: folder }));
}

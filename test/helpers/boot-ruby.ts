import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../shared/puppet/ruby/wasm/image-folder.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { imageName } from '../../shared/puppet/ruby/wasm/wasm-image.ts';
import { imageKey, moduleName, sideFiles } from '../../shared/puppet/ruby/wasm/wasm-module.ts';
import { NO_CALLBACKS } from './ruby-callbacks.ts';

/**
 * Global setup of vitest: boots Ruby once, so that the test files, which run side by side, find its
 * image and do not boot one each.
 */
export function setup(): void {
  const folder = cacheFolder();
  if (folder === null) return;
  const made = [moduleName(), imageName(imageKey(sideFiles()))];
  if (made.every((name) => existsSync(join(folder, name)))) return;
  const ruby = createWasmRuby({ rendersAll: true });
  try {
    ruby.renderTemplate({ path: 'boot', text: '<%= 1 %>' }, NO_CALLBACKS);
  } finally {
    ruby.close();
  }
}

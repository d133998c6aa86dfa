/**
 * `node --import …/disturb-process.ts functions/local.ts`: gives every thread of the server the
 * stores of disturbed-stores.ts and the clock of shifted-clock.ts in place of its own. Nothing in
 * the server knows of this.
 */
import { replaceModules } from './replace-modules.ts';

replaceModules([
  ['../../shared/store/embedded/threaded-stores.ts', './disturbed-stores.ts'],
  ['../../shared/store/system-clock.ts', './shifted-clock.ts'],
]);

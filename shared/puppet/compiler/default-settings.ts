import type { CompileSettings } from '../evaluator/ports.ts';

/** Puppet 8's defaults, with exported resources, as servers compile catalogs. */
export const DEFAULT_COMPILE_SETTINGS: CompileSettings = {
  strict: 'error',
  strictVariables: true,
  tasks: false,
  storeconfigs: true,
};

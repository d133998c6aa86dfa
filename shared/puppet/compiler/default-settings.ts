import type { CompileSettings } from '../evaluator/ports.ts';

/** Puppet 8's default settings with exported resources enabled, as on a server. */
export const DEFAULT_COMPILE_SETTINGS: CompileSettings = {
  language: 'openvox-8',
  strict: 'error',
  strictVariables: true,
  tasks: false,
  storeconfigs: true,
};

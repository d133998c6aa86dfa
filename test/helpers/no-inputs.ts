import type { InputSummary } from '../../shared/store/ports/node-record.ts';

/** The inputs of a compile that read nothing; a test adds what it is about. */
export const NO_INPUTS: InputSummary = {
  environment: 'production',
  compiler: 'c',
  facts: {},
  trusted: {},
  settings: {},
  collectors: [],
  collected: '',
  volatile: [],
};

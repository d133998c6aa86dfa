import type { InputSummary } from '../../shared/store/ports/node-record.ts';

/** The inputs of a compile that read nothing; a test adds what it is about. */
export const NO_INPUTS: InputSummary = {
  environment: 'production',
  classification: null,
  checksumTypes: [],
  compiler: 'c',
  facts: {},
  trusted: {},
  settings: {},
  dependencies: {
    set: 's',
    membership: 'm',
    own: { contents: [], kinds: [], keys: {} },
    states: '',
    codeId: null,
  },
  collectors: [],
  collected: '',
  volatile: [],
  compiles: [],
};

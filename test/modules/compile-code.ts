import {
  type CompileFailure,
  type CompileRequest,
  type CompileSuccess,
  compile,
} from '../../shared/puppet/compiler/compile.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';

type Given = Pick<CompileRequest, 'environment' | 'parseCache' | 'ruby' | 'clock'> & {
  readonly code: string;
  readonly facts: PuppetHash;
};

/** Compiles Puppet code that collects nothing, for a node of which only the facts are known. */
export function compileCode({ facts, ...given }: Given): CompileSuccess | CompileFailure {
  const result = compile({
    ...given,
    node: {
      certname: 'n.example.com',
      environment: 'production',
      facts,
      trusted: new PuppetHash(),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    settings: { language: 'puppet-8', strict: 'warning', strictVariables: true, tasks: false, storeconfigs: false },
    inputs: NO_RECORDER,
    exportsOf: () => [],
  });
  if (result.status === 'needs') throw new Error('the code collects nothing');
  return result;
}

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby();
beforeEach(() => ruby.beginCompile('code'));
afterAll(() => ruby.close());

const Q = '/code/environments/production/modules/p/manifests/q.pp';
const NODE = ' on node web1.example.com';
const LOADING = "Function Load Error for function 'fails': no such client";

/** Code, or `p` for a class of the node; what the function does when loaded, and when called. */
const FAILURES: readonly (readonly [code: string, loading: string, calling: string, message: string])[] = [
  [
    'include p',
    'raise "no such client"',
    '',
    `Evaluation Error: Error while evaluating a Function Call, ${LOADING} (line: 1, column: 1)${NODE}`,
  ],
  [
    "class { 'p': }",
    'raise "no such client"',
    '',
    `Evaluation Error: Error while evaluating a Resource Statement, ${LOADING} (line: 1, column: 1)${NODE}`,
  ],
  [
    'include p::q',
    'raise "no such client"',
    '',
    `Evaluation Error: Error while evaluating a Function Call, ${LOADING} (file: ${Q}, line: 2, column: 3)${NODE}`,
  ],
  ['p', 'raise "no such client"', '', `Puppet::Parser::Compiler failed with error ArgumentError: ${LOADING}${NODE}`],
  ['p', '', 'raise "no answer"', `Puppet::Parser::Compiler failed with error RuntimeError: no answer${NODE}`],
  [
    'p',
    '',
    'nil.answer',
    `Puppet::Parser::Compiler failed with error NoMethodError: undefined method \`answer' for nil:NilClass${NODE}`,
  ],
  ['include p', "require 'no_such_client'", '', 'cannot load such file -- no_such_client'],
  ['p', '', "require 'no_such_client'", 'cannot load such file -- no_such_client'],
];

describe('a backend of Hiera that fails', () => {
  it.each(FAILURES)('is reported as in Puppet: %s (%s%s)', (code, loading, calling, message) => {
    const files = {
      'hiera.yaml': 'version: 5\nhierarchy: [{name: fails, lookup_key: fails}]',
      'lib/puppet/functions/fails.rb': `Puppet::Functions.create_function(:fails) do
        ${loading}
        def fails(key, options, context)
          ${calling}
        end
      end`,
      'modules/p/manifests/init.pp': 'class p($x = 1) { }',
      'modules/p/manifests/q.pp': 'class p::q {\n  include p\n}',
    };
    const classes = code === 'p' ? ['p'] : [];
    const result = compileSource(code === 'p' ? '' : code, { certname: 'web1.example.com', files, classes, ruby });
    expect(result.status === 'failed' ? result.error.message : result.status).toBe(message);
  });
});

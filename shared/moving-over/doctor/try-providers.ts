import type { Environment } from '../../puppet/environment/environment.ts';
import type { RubyError } from '../../puppet/errors/ruby-error.ts';
import { RubyCallbacks } from '../../puppet/evaluator/ruby-callbacks.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { filesBelow } from './files-below.ts';
import type { DoctorFinding } from './finding.ts';
import { tryCode } from './late-requires.ts';

/** Registration of a provider in its file; the code before it is what the provider needs. */
const REGISTRATION = /^Puppet::Type\b/m;

/** Errors for parts of Puppet, and gems of Puppet, that our Ruby lacks. */
const LACKING = /^(?:NameError|NotImplementedError|Understudy::.*)$/;
const PUPPETS_GEM = 'the Ruby of modules has none';

/**
 * Whether Puppet raises the error, too. What a missing method says of is often the lack of a fact;
 * it counts only in code that asks for a module.
 */
function isPuppets({ rubyClass, message, file }: RubyError, environment: Environment): boolean {
  if (rubyClass !== 'NoMethodError') return !LACKING.test(rubyClass) && !message.includes(PUPPETS_GEM);
  return file !== null && (environment.readText(file) ?? '').includes('Puppet::Module.find');
}

/**
 * Tries what the providers of a type require before they register themselves. Returns the first
 * that cannot load it; null when all can. Real Puppet loads all providers with the type, and fails
 * then; here providers are not loaded.
 */
export function tryProviders(type: string, environment: Environment, ruby: RubyPort): Partial<DoctorFinding> | null {
  const callbacks = new RubyCallbacks(environment);
  for (const { root } of environment.listModules()) {
    const folder = `${root}/lib/puppet/provider/${type}`;
    for (const file of filesBelow(environment, folder, '.rb').filter((name) => !name.includes('/'))) {
      const path = `${folder}/${file}`;
      const text = environment.readText(path) ?? '';
      const start = text.search(REGISTRATION);
      const needs = start < 0 ? '' : text.slice(0, start);
      const error = /\brequire/.test(needs) ? tryCode({ path, text: needs }, ruby, callbacks) : null;
      if (error === null || !isPuppets(error, environment)) continue;
      const provider = file.slice(0, -'.rb'.length);
      const reason = `it loads here, but Puppet fails with its provider ${provider}: ${error.message.split('\n')[0] ?? ''}`;
      return { verdict: 'differs', reason, file: path, line: error.file === path ? error.line : null };
    }
  }
  return null;
}

import type { Environment } from '../../puppet/environment/environment.ts';
import type { RubyError } from '../../puppet/errors/ruby-error.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { callbacksOutside } from '../../puppet/ruby/callbacks.ts';
import { filesBelow } from './files-below.ts';
import type { DoctorFinding } from './finding.ts';
import { tryCode } from './late-requires.ts';
import { plainLines } from './ruby-risks.ts';

/** The registration of a provider in its file. The code before it requires other files. */
const REGISTRATION = /^Puppet::Type\b/m;

/** Classes of errors that mean our Ruby lacks a part of Puppet; the message for one of its gems. */
const LACKING = /^(?:NameError|NotImplementedError|Understudy::.*)$/;
const PUPPETS_GEM = 'the Ruby of modules has none';

/**
 * Whether Puppet raises the error, too. A NoMethodError often means only that a fact is missing, so
 * it counts only in code that looks for a module.
 */
function isRaisedByPuppet({ rubyClass, message, file }: RubyError, environment: Environment): boolean {
  if (rubyClass !== 'NoMethodError') return !LACKING.test(rubyClass) && !message.includes(PUPPETS_GEM);
  return file !== null && (environment.readText(file) ?? '').includes('Puppet::Module.find');
}

/**
 * The first library of another module that code requires: Puppet's load path has no module. Null
 * for none, and for code that handles what is missing.
 */
function findForeignRequire(code: string, root: string, environment: Environment) {
  if (/\brescue\b/.test(code)) return null;
  for (const [index, line] of plainLines(code, false).entries()) {
    const [, feature = ''] = /^require[ (]+['"]([\w./-]+)['"]/.exec(line) ?? [];
    const isIn = (folder: string) => environment.kindOf(`${folder}/lib/${feature.replace(/\.rb$/, '')}.rb`) === 'file';
    if (feature === '' || isIn(root) || !environment.listModules().some((other) => isIn(other.root))) continue;
    return { message: `cannot load such file -- ${feature}`, line: index + 1 };
  }
  return null;
}

/**
 * Runs the code by which the providers of a type require files before they register themselves.
 * Returns a finding for the first provider that fails; null when none does. Puppet loads all
 * providers with their type, and fails with them; here providers are not loaded.
 */
export function tryProviders(type: string, environment: Environment, ruby: RubyPort): Partial<DoctorFinding> | null {
  const callbacks = callbacksOutside(environment);
  for (const { root } of environment.listModules()) {
    const folder = `${root}/lib/puppet/provider/${type}`;
    for (const file of filesBelow(environment, folder, '.rb').filter((name) => !name.includes('/'))) {
      const path = `${folder}/${file}`;
      const text = environment.readText(path) ?? '';
      const start = text.search(REGISTRATION);
      const needs = start < 0 ? '' : text.slice(0, start);
      const error = /\brequire/.test(needs) ? tryCode({ path, text: needs }, ruby, callbacks) : null;
      const fault = error === null ? findForeignRequire(needs, root, environment) : null;
      const isFaulty = fault !== null || (error !== null && isRaisedByPuppet(error, environment));
      if (!isFaulty) continue;
      const provider = file.slice(0, -'.rb'.length);
      const message = fault?.message ?? error?.message.split('\n')[0] ?? '';
      const line = fault?.line ?? (error?.file === path ? error.line : null);
      const reason = `it loads here, but Puppet fails with its provider ${provider}: ${message}`;
      return { verdict: 'differs', reason, file: path, line };
    }
  }
  return null;
}

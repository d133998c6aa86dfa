import { RubyError } from '../../puppet/errors/ruby-error.ts';
import type { RubyCallbacks } from '../../puppet/evaluator/ruby-callbacks.ts';
import type { RubyPort, RubySource } from '../../puppet/evaluator/ruby-port.ts';
import { plainLines, type RubyRisk } from './ruby-risks.ts';

const REQUIRE = /(?:^|[^\w.])(require|require_relative)[ (]+(['"])([^'"#]+)\2/;
const RESCUES = /\brescue\b[^\n]*\bLoadError\b/;

/**
 * Tries what the code requires only when it runs, as within a method. Returns the first file that
 * cannot be loaded; null when there is none. `path`: the file of the code.
 */
export function tryLateRequires({ path, text }: RubySource, ruby: RubyPort, callbacks: RubyCallbacks): RubyRisk | null {
  const isRescued = RESCUES.test(text);
  for (const [index, line] of plainLines(text, false).entries()) {
    const [, how, , feature] = REQUIRE.exec(line) ?? [];
    const error = feature === undefined ? null : tryCode({ path, text: `${how} '${feature}'` }, ruby, callbacks);
    if (error === null) continue;
    const reason = `it requires ${feature} when it runs: ${error.message.split('\n')[0] ?? ''}`;
    return { verdict: isRescued ? 'differs' : 'fails', reason, line: index + 1 };
  }
  return null;
}

const PROBE = 'understudy_doctor';

/** Runs code at the top of a function's file; returns its error. */
export function tryCode({ path, text }: RubySource, ruby: RubyPort, callbacks: RubyCallbacks): RubyError | null {
  const probe = `${text}\nPuppet::Functions.create_function(:${PROBE}) { def ${PROBE} = nil }\n`;
  try {
    ruby.describeFunction(PROBE, { path, text: probe }, callbacks);
    return null;
  } catch (error) {
    if (!(error instanceof RubyError)) throw error;
    return error;
  }
}

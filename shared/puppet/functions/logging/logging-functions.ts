import type { LogLevel } from '../../errors/compile-log.ts';
import { RaisedError } from '../../errors/lookup-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { displayString } from '../../types/format/string-converter.ts';

/**
 * Defines a function that logs its arguments, formatted as by interpolation and joined with blanks.
 * Puppet: Puppet::Util::Log.log_func.
 */
function defineLoggingFunction(level: LogLevel): PuppetFunction {
  return defineFunction(level, {
    params: ['*Any values'],
    returns: 'Undef',
    body: (site, args) => {
      const message = args.map(displayString).join(' ');
      site.context.log.add({ level, message, source: site.scope.toString() });
      return null;
    },
  });
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'err', 'alert', 'emerg', 'crit'];

/** The functions that are named as the levels of the log, and `fail`. */
export const LOGGING_FUNCTIONS: readonly PuppetFunction[] = [
  ...LEVELS.map(defineLoggingFunction),
  defineLegacyFunction('fail', {
    arity: -1,
    rvalue: false,
    body: (_, args) => {
      throw new RaisedError(args.map(rubyToS).join(' '));
    },
  }),
];

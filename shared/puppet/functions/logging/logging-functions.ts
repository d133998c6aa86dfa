import { highByte } from '../../../util/escaped-bytes.ts';
import type { LogLevel } from '../../errors/compile-log.ts';
import { RaisedError } from '../../errors/lookup-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { displayString } from '../../types/format/string-converter.ts';
import { BytesText } from '../../types/values/bytes-text.ts';
import type { Value } from '../../types/values/values.ts';

/**
 * Defines a function that logs its arguments, formatted as by interpolation and joined with blanks.
 * Puppet: Puppet::Util::Log.log_func.
 */
function defineLoggingFunction(level: LogLevel): PuppetFunction {
  return defineFunction(level, {
    params: ['*Any values'],
    returns: 'Undef',
    body: (site, args) => {
      const message = args.some(isBroken) ? describeBroken(args) : args.map(displayString).join(' ');
      site.context.log.add({ level, message, source: site.scope.toString() });
      return null;
    },
  });
}

function isBroken(value: Value): boolean {
  return value instanceof BytesText && value.isBroken;
}

// Puppet: the lines of a backtrace follow, lib/puppet/util/log.rb (message=)
function describeBroken(args: readonly Value[]): string {
  const texts = args.map((arg) => (arg instanceof BytesText ? arg.text : displayString(arg)));
  return `Received a Log attribute with invalid encoding:${dumpText(texts.join(' '))}`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Ruby: String#dump */
function dumpText(text: string): string {
  const shown = Array.from(text, (char) => {
    const known = ESCAPES.get(char);
    if (known !== undefined || /^[ -~]$/.test(char)) return known ?? char;
    const [byte] = highByte(char) ?? [];
    if (byte !== undefined || char < '\u0080') {
      return `\\x${(byte ?? char.charCodeAt(0)).toString(16).toUpperCase().padStart(2, '0')}`;
    }
    const point = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return point.length > 4 ? `\\u{${point}}` : `\\u${point.padStart(4, '0')}`;
  });
  return `"${shown.join('')}"`;
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

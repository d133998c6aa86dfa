import { type ComputedOutcome, commandNameOf, computeCommand } from '../../commands/pure-command.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { describeVolatileCall } from '../../evaluator/compile-clock.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import type { Value } from '../../types/values/values.ts';

/**
 * Checks its arguments as Puppet does. A compile never runs commands; those whose outcome depends
 * on their arguments alone are computed.
 */
export const generate = defineLegacyFunction('generate', {
  arity: -2,
  rvalue: true,
  body: (site, [command = null, ...args]) => {
    const path = typeof command === 'string' ? command : '';
    if (typeof command !== 'string') warnNotString(site, command);
    if (!path.startsWith('/')) throw new PuppetError(ISSUES.GENERATOR_NOT_QUALIFIED());
    if (!/^[-/\w.+]+$/m.test(path)) {
      throw new PuppetError(ISSUES.GENERATOR_CHARACTERS());
    }
    if (path.includes('..')) throw new PuppetError(ISSUES.GENERATOR_WITH_DOTS());
    const outcome = computeCommand([path, ...args.map(rubyToS)]);
    if (outcome) return outputOf(path, [path, ...args.map(rubyToS)], outcome);
    site.context.inputs.recordVolatile(describeVolatileCall('generate', site.node));
    if (site.context.drawUuid && printsUuid(path, args)) return `${site.context.drawUuid()}\n`;
    throw new PuppetError(ISSUES.GENERATOR_NOT_RUN({ path }));
  },
});

/** Whether the command prints a new UUID of Linux: such code makes the catalog volatile. */
function printsUuid(path: string, args: readonly Value[]): boolean {
  return commandNameOf(path) === 'cat' && args.length === 1 && args[0] === '/proc/sys/kernel/random/uuid';
}

/** Puppet: lib/puppet/util/execution.rb (execute), with the output of both streams. */
function outputOf(path: string, argv: readonly string[], { stdout, stderr, status }: ComputedOutcome): string {
  const output = stdout + stderr;
  if (status === 0) return output;
  const detail = `Execution of '${argv.join(' ')}' returned ${status}: ${output.trim()}`;
  throw new PuppetError(ISSUES.GENERATOR_FAILED({ path, detail }));
}

function warnNotString(site: CallSite, value: Value): void {
  const reason = `because it is a '${rubyClassName(value)}' and not a String'`;
  site.context.log.add({
    level: 'warning',
    message: `Cannot check if ${rubyToS(value)} is an absolute path ${reason}`,
  });
}

import { type ComputedOutcome, commandNameOf, computeCommand } from '../../commands/pure-command.ts';
import { readLenient } from '../../environment/utf8-text.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { describeVolatileCall } from '../../evaluator/compile-clock.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { Binary } from '../../types/values/binary.ts';
import type { Value } from '../../types/values/values.ts';
import { implicitString } from '../support/conversion.ts';
import { defineFindFunction, findFirst, pathInModule } from '../support/module-files.ts';

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

/** The functions that read or find files of modules. */
export const FILE_FUNCTIONS: readonly PuppetFunction[] = [
  defineFunction('binary_file', {
    params: ['String path'],
    body: (site, [reference]) => {
      const { environment } = site.context;
      const path = pathInModule(environment, String(reference), 'files');
      const bytes = path === null ? null : environment.read(path);
      if (bytes === null) throw new PuppetError(ISSUES.BINARY_FILE_NOT_FOUND({ reference: String(reference) }));
      return new Binary(bytes);
    },
  }),
  /** Returns the content of the first existing file; line ends are kept. */
  defineLegacyFunction('file', {
    arity: -2,
    rvalue: true,
    body: (site, args) => {
      const references = args.map(implicitString);
      const path = findFirst(site, references, 'files');
      const content = path === null ? null : readLenient(site.context.environment, path);
      if (content === null) throw new PuppetError(ISSUES.NO_FILE_FOUND({ references: references.join(', ') }));
      return content;
    },
  }),
  defineFindFunction('find_file', 'paths', (site, names) => findFirst(site, names, 'files')),
  defineFindFunction('find_template', 'paths', (site, names) => findFirst(site, names, 'templates')),
  defineFindFunction('module_directory', 'names', (site, names) => {
    for (const name of names) {
      const module = site.context.environment.findModule(name);
      if (module) return module.root;
    }
    return null;
  }),
  /**
   * Checks its arguments as Puppet does. A compile never runs commands; those whose outcome depends
   * on their arguments alone are computed.
   */
  defineLegacyFunction('generate', {
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
  }),
];

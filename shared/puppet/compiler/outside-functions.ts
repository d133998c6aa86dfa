import type { Environment } from '../environment/environment.ts';
import { describeVolatileCall } from '../evaluator/compile-clock.ts';
import type { PuppetFunction } from '../evaluator/ports.ts';
import type { RubyFunctionFile } from '../ruby/ruby-sources.ts';

/** Ruby's ways to names and services of the network, and to programs. */
const OUTSIDE =
  /\b(?:Resolv|(?:TCP|UDP|IP|UNIX|Basic|SSL)?Socket|TCPServer|Addrinfo|Net::\w+|OpenURI|Open3|Puppet\.runtime\[:http\])\b|\bURI\.open\b|\bopen-uri\b|\b(?:Puppet::Util::Execution\.|Puppet::Util\.)execute\b|\bIO\.popen\b/;

/**
 * The function of a module in Ruby. Calls are recorded as volatile when its file names a way out of
 * the compile, as that of `dns_lookup`: its result follows from no input.
 */
export function recordOutsideCalls(
  found: PuppetFunction,
  environment: Environment,
  { path }: RubyFunctionFile,
): PuppetFunction {
  const isOutside = environment.memoize(`calls outside ${path}`, () =>
    OUTSIDE.test(withoutComments(environment.readText(path) ?? '')),
  );
  if (!isOutside) return found;
  return {
    name: found.name,
    ...(found.source === undefined ? {} : { source: found.source }),
    call: (site, args, block) => {
      site.context.inputs.recordVolatile(describeVolatileCall(found.name, site.node));
      return found.call(site, args, block);
    },
    getSignatures: () => found.getSignatures(),
  };
}

function withoutComments(ruby: string): string {
  return ruby.replace(/^\s*#.*$/gm, '');
}

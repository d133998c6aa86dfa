import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';

const aliases = new WeakSet<PuppetFunction>();

/** Whether a function only forwards its calls. */
export function isDeprecatedAlias(one: PuppetFunction): boolean {
  return aliases.has(one);
}

/** Defines a stdlib 9 alias that warns and forwards to the namespaced function. */
export function defineDeprecatedAlias(name: string): PuppetFunction {
  const target = `stdlib::${name}`;
  const alias = defineFunction(name, {
    dispatches: [
      {
        params: ['*Any args'],
        block: '?Callable block',
        body: (site, args, block) => {
          warnDeprecated(site, name, `This function is deprecated, please use ${target} instead.`, true);
          return site.context.evaluator.callFunction(target, args, site.scope, site.node, block);
        },
      },
    ],
  });
  aliases.add(alias);
  return alias;
}

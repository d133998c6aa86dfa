/** Methods that a template may call without a receiver. */
import { RubySymbol } from '../../../serialization/yaml.ts';
import { fallBack } from '../fallback.ts';
import { SCOPE, TEMPLATE } from '../objects.ts';
import { getArgument, noArguments, type SelfObject } from '../runtime.ts';
import { toS } from '../text-form.ts';
import { callKernelMethod, isKernelMethod } from './kernel-methods.ts';

export const TEMPLATE_SELF: SelfObject = {
  value: TEMPLATE,
  call: (name, call) => {
    const { render, args, block } = call;
    const defined = render.world.transaction.findMethod(name);
    if (defined) return block ? fallBack('a block') : defined(render, args);
    if (name === 'scope') {
      noArguments(call);
      return SCOPE;
    }
    if (name === 'instance_variables') {
      noArguments(call);
      const names = ['__scope__', '__file__', ...render.ivars.keys(), ...render.world.variables().all().keys()];
      return render.markOwn(names.map((one) => new RubySymbol(`@${one.replaceAll(/\W/g, '_')}`)));
    }
    if (name === 'all_tags' || name === 'classes') {
      noArguments(call);
      return render.markOwn([...render.world.listTags(name === 'classes' ? name : 'all')]);
    }
    return name === 'has_variable?'
      ? (render.world.findVariable(toS(getArgument(call), render)) ?? null) !== null
      : callKernelMethod(name, call);
  },
};

/** Names that a template's own methods cannot have. */
export function isTaken(name: string): boolean {
  return (
    isKernelMethod(name) ||
    /^(?:to_|inspect|method_missing|respond_to|initialize|nil\?|class|send|file|tags|all_tags|scope$|has_variable\?$)/.test(
      name,
    )
  );
}

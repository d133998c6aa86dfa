/** Methods that a template may call without a receiver. */
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
    /^(?:to_|inspect|method_missing|respond_to|initialize|nil\?|class|send|file|tags|classes|all_tags)/.test(name) ||
    /^(?:scope|has_variable\?)$/.test(name)
  );
}

/** Implements the methods of `Puppet::LookupContext`, as backends of Hiera call them. */
import { RecordingHash } from '../../../environment/recording-hash.ts';
import type { LookupContext } from '../../../hiera/lookup-context.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../types/values/regexp.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { getArgument, type MethodCall, noArguments } from '../runtime.ts';

export function callContextMethod(self: LookupContext, name: string, call: MethodCall): Value {
  const { world } = call.render;
  if (self.invocation.explainer) return fallBack('a lookup that is explained');
  switch (name) {
    case 'not_found':
      noArguments(call);
      return world.callContext(self, name, []);
    case 'explain':
      return call.args.length > 0 ? fallBack('arguments') : null;
    case 'cache_has_key':
    case 'cached_value':
    case 'interpolate':
      if (call.block) return fallBack('a block');
      requireKeepable(getArgument(call));
      return world.callContext(self, name, call.args);
    case 'cache':
    case 'cache_all':
      return changeCache(self, name, call);
    case 'cached_file_data':
      return fileData(self, call);
    default:
      return fallBack(`${name} of a lookup context`);
  }
}

function changeCache(self: LookupContext, name: string, { render, args, block }: MethodCall): Value {
  if (block || args.length !== (name === 'cache' ? 2 : 1)) return fallBack('arguments');
  args.forEach(requireKeepable);
  return render.world.callContext(self, name, args);
}

function fileData(self: LookupContext, { render, args, block }: MethodCall): Value {
  const [path] = args;
  if (typeof path !== 'string' || args.length !== 1 || !block) return fallBack('arguments');
  return render.world.dataOfFile(self, path, (text) => {
    if (text.includes('\ufffd')) return fallBack('a file');
    const made = block.call([text]);
    requireKeepable(made);
    return made;
  });
}

/** Throws Fallback for a value that Ruby could not get as well. */
function requireKeepable(value: Value): void {
  if (typeof value !== 'object' || value === null || value instanceof RecordingHash) return;
  if (Array.isArray(value)) value.forEach(requireKeepable);
  else if (value instanceof PuppetHash) {
    for (const [key, item] of value) {
      requireKeepable(key);
      requireKeepable(item);
    }
  } else if (!(value instanceof PuppetRegexp || value instanceof RubySymbol)) fallBack('an object that is kept');
}

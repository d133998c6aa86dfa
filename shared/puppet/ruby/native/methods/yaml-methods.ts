/** Implements `to_yaml`, as Psych prints data. */
import { RecordingHash } from '../../../environment/recording-hash.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { printYaml } from '../../../serialization/yaml-emitter.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { type MethodCall, noArguments } from '../runtime.ts';

/** Longer keys are printed in another form. */
const KEY_LIMIT = 100;
/** Characters that are printed unescaped. */
const PLAIN = /^[\n\t -~\u00a1-\u00ac\u00ae-\u024f]*$/u;

export function toYaml(self: Value, call: MethodCall): string {
  noArguments(call);
  requireData(self, new Set());
  return printYaml(self);
}

/** Checks that no container occurs twice; Psych prints the second occurrence as a reference. */
function requireData(value: Value, seen: Set<object>): void {
  if (typeof value === 'string') requireText(value);
  else if (Array.isArray(value)) {
    requireFirst(value, seen);
    for (const item of value) requireData(item, seen);
  } else if (value instanceof PuppetHash) {
    // It is not known which of its values are the same object.
    if (value instanceof RecordingHash) fallBack('a hash that notes what is read');
    requireFirst(value, seen);
    for (const [key, item] of value) {
      requireKey(key);
      requireData(item, seen);
    }
  } else if (value instanceof RubySymbol) requireName(value);
  else if (typeof value === 'object' && value !== null) fallBack('an object as YAML');
}

function requireFirst(container: object, seen: Set<object>): void {
  if (seen.has(container)) fallBack('the same container twice');
  seen.add(container);
}

function requireText(value: string): void {
  if (!PLAIN.test(value)) fallBack('characters of a text');
}

function requireName({ name }: RubySymbol): void {
  if (!/^[a-z]\w*$/i.test(name)) fallBack('a symbol that is quoted');
}

function requireKey(key: Value): void {
  if (key instanceof RubySymbol) requireName(key);
  else if (typeof key === 'string' && key.length <= KEY_LIMIT && !key.includes('\n')) requireText(key);
  else if (typeof key !== 'bigint') fallBack('a key as YAML');
}

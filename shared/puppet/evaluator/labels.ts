/**
 * Labels of AST nodes and values in errors. Puppet: lib/puppet/pops/model/model_label_provider.rb.
 */
import { nodeLabel } from '../language/labels.ts';
import { PType } from '../types/ptype.ts';
import { kindOf, VALUE_KINDS } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';

export { nodeLabel };

/** Returns the label of a value: `Integer`, `Undef Value`, `File['/x'] Resource-Reference`. */
export function valueLabel(value: Value): string {
  return (
    VALUE_KINDS[kindOf(value)].label ?? (value instanceof PType ? typeLabel(value) : collectorLabel(String(value)))
  );
}

function typeLabel(type: PType): string {
  if (type.kind === 'Resource' && 'title' in type && type.title !== null) return `${type} Resource-Reference`;
  return `${type}-Type`;
}

// A collector is a value only as an operand of a relationship. Its label is
// `Catalog-Collector[File]`.
function collectorLabel(text: string): string {
  return /^(Catalog|Exported)-Collector/.exec(text)?.[0] ?? 'Object';
}

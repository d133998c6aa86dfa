import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CompileContext } from '../../evaluator/ports.ts';
import { newInstance } from '../../types/construct/new-instance.ts';
import { ObjectType } from '../../types/objects/object-type.ts';
import { PType } from '../../types/ptype.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';

/** Annotations of a compile, by annotated object and annotation type. */
const annotations = new WeakMap<CompileContext, Map<Value, Map<string, Value>>>();

/**
 * Finds or adds an annotation of an object. An annotation is an object of a type derived from
 * Annotation.
 */
export const annotate = defineFunction('annotate', [
  {
    params: ['Type[Annotation] type', 'Any value'],
    block: '?Callable[0, 0] block',
    body: (site, [type = null, value = null], block) => findOrCreate(tableOf(site.context, value), type, value, block),
  },
  {
    params: ['Type[Annotation] type', 'Any value', 'Variant[Enum[clear],Hash[Pcore::MemberName,Any]] annotation_hash'],
    body: (site, [type = null, value = null, hash = null]) => replace(tableOf(site.context, value), type, value, hash),
  },
  {
    params: ['Type[Pcore] type', 'Any value', 'Hash[Type[Annotation], Hash[Pcore::MemberName,Any]] annotations'],
    body: (site, [, value = null, all = null]) => {
      const table = tableOf(site.context, value);
      for (const [type, hash] of all instanceof PuppetHash ? all : []) replace(table, type, value, hash);
      return value;
    },
  },
]);

function tableOf(context: CompileContext, value: Value): Map<string, Value> {
  const all = annotations.get(context) ?? new Map<Value, Map<string, Value>>();
  annotations.set(context, all);
  const table = all.get(value) ?? new Map<string, Value>();
  all.set(value, table);
  return table;
}

/** Returns the hash that an Object type declares for annotations of `type`. */
function findDeclaredAnnotation(type: PType, value: Value): Value {
  if (!(value instanceof ObjectType)) return null;
  return value.definition.annotations?.get(type) ?? null;
}

function findOrCreate(table: Map<string, Value>, type: Value, value: Value, block: Callable | null): Value {
  if (!(type instanceof PType)) return null;
  const known = table.get(type.toString());
  if (known !== undefined) return known;
  const hash = findDeclaredAnnotation(type, value) ?? block?.call() ?? null;
  if (hash === null) return null;
  return attach(table, type, hash);
}

function replace(table: Map<string, Value>, type: Value, value: Value, hash: Value): Value {
  if (!(type instanceof PType)) return null;
  if (findDeclaredAnnotation(type, value) !== null) {
    const action = hash === 'clear' ? 'clear' : 'redefine';
    throw new PuppetError(ISSUES.ANNOTATION_ON_VALUE({ action, type: String(type), value: String(value) }));
  }
  if (hash !== 'clear') return attach(table, type, hash);
  const before = table.get(type.toString()) ?? null;
  table.delete(type.toString());
  return before;
}

function attach(table: Map<string, Value>, type: PType, hash: Value): Value {
  const annotation = newInstance(type, [hash]);
  table.set(type.toString(), annotation);
  return annotation;
}

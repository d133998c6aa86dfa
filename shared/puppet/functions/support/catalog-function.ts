/** Shared parts of the functions that change the catalog. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { NextSignal, ReturnSignal } from '../../evaluator/control-flow.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { ClassType, ResourceType } from '../../types/catalog-types.ts';
import type { Value } from '../../types/values/values.ts';
import { callLocation } from './call-location.ts';
import { flattenDeep, undefinedMethodError } from './conversion.ts';

/** Throws when there is no catalog, as in a task run. */
export function requireCatalog(site: CallSite, operation: string): void {
  if (!site.context.settings.tasks) return;
  throw new PuppetError(ISSUES.CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING({ operation }), callLocation(site));
}

/**
 * Evaluates classes. Returns the value of a `return` or `next` called from one of their default
 * expressions.
 */
export function runUntilJump(evaluate: () => Value): Value {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ReturnSignal || error instanceof NextSignal) return error.value;
    throw error;
  }
}

/**
 * Converts names and references of classes to lower case names with leading `::`. Puppet:
 * Scope#transform_and_assert_classnames.
 */
export function classNames(values: readonly Value[]): string[] {
  return flattenDeep(values).map((value) => className(value).toLowerCase());
}

function className(value: Value): string {
  if (value === null) throw new PuppetError(ISSUES.CLASS_NAME_UNDEF());
  if (value === '') throw new PuppetError(ISSUES.CLASS_NAME_EMPTY());
  if (typeof value === 'string') return toAbsolute(value);
  if (value instanceof ClassType) {
    if (value.className === null) throw new PuppetError(ISSUES.CLASS_TYPE_UNSPECIFIC());
    return toAbsolute(value.className);
  }
  if (value instanceof ResourceType) return toAbsolute(classTitle(value));
  throw undefinedMethodError('downcase', null, 'nil');
}

function toAbsolute(name: string): string {
  return name === '' || name.startsWith(':') ? name : `::${name}`;
}

function classTitle({ typeName, title }: ResourceType): string {
  if (!typeName) throw new PuppetError(ISSUES.RESOURCE_TYPE_UNSPECIFIC());
  if (!/^[Cc]lass$/.test(typeName)) throw new PuppetError(ISSUES.RESOURCE_TYPE_NO_CLASS({ type: typeName }));
  if (title === null) throw new PuppetError(ISSUES.CLASS_RESOURCE_UNSPECIFIC());
  return title;
}

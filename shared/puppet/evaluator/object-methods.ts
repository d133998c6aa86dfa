import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { ObjectType } from '../types/objects/object-type.ts';
import type { PuppetObject } from '../types/objects/puppet-object.ts';
import type { MethodReceiver } from './ports.ts';
import type { Scope } from './scope.ts';

/** Returns the callable methods of an object; null when it has none. */
export function methodsOf(object: PuppetObject, scope: Scope): MethodReceiver | null {
  return hasMethods(object) ? object : scope.context.lookup.methodsOf(scope, object);
}

function hasMethods(object: PuppetObject): object is PuppetObject & MethodReceiver {
  return 'callMethod' in object;
}

/**
 * Throws PuppetError for a function that the object's type declares but no Ruby code implements.
 */
export function assertImplemented({ shape }: PuppetObject, name: string): void {
  const member = shape instanceof ObjectType ? shape.allFunctions.get(name) : undefined;
  if (member && member.annotations === null)
    throw new PuppetError(ISSUES.METHOD_NOT_IMPLEMENTED({ member: member.label }));
}

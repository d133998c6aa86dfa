import type { PuppetObject } from '../types/puppet-object.ts';
import type { MethodReceiver } from './ports.ts';
import type { Scope } from './scope.ts';

/** What can be called on an object; null when there is nothing. */
export function methodsOf(object: PuppetObject, scope: Scope): MethodReceiver | null {
  return hasMethods(object) ? object : scope.context.lookup.methodsOf(scope, object);
}

function hasMethods(object: PuppetObject): object is PuppetObject & MethodReceiver {
  return 'callMethod' in object;
}

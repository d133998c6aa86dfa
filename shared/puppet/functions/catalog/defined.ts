import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { ClassType, ResourceType } from '../../types/catalog-types.ts';
import type { PType } from '../../types/ptype.ts';
import type { Value } from '../../types/values/values.ts';
import { TypeType } from '../../types/wrapper-types.ts';

/**
 * Whether at least one argument is defined: a variable, class, type, or resource of the catalog so
 * far.
 */
export const defined = defineFunction('defined', {
  dispatches: [
    {
      params: ['+Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] vals'],
      body: (site, values) => values.some((value) => isDefined(site, value)),
    },
  ],
});

function isDefined(site: CallSite, value: Value): boolean {
  if (typeof value === 'string') return isNameDefined(site, value);
  if (value instanceof ResourceType) return isResourceDefined(site, value);
  if (value instanceof ClassType) return site.context.catalog.hasResource('class', classNameOf(value));
  if (value instanceof TypeType && value.type) return isTypeDefined(site, value.type);
  return false;
}

function isNameDefined(site: CallSite, name: string): boolean {
  const variable = /^\$(.+)$/m.exec(name)?.[1];
  if (variable !== undefined) return site.scope.exists(variable);
  if (name === '') return false;
  if (name === 'main') return true;
  return findType(site, name) || site.context.definitions.findClass(lookupName(name)) !== null;
}

function findType(site: CallSite, name: string): boolean {
  const { definitions } = site.context;
  if (!name.includes(':') && definitions.findResourceType(name.toLowerCase()) !== null) return true;
  return definitions.findDefine(lookupName(name)) !== null;
}

function lookupName(name: string): string {
  return name.replace(/^::/, '').toLowerCase();
}

function isResourceDefined(site: CallSite, { typeName, title }: ResourceType): boolean {
  if (typeName === null) throw new PuppetError(ISSUES.DEFINED_OF_ALL_TYPES());
  if (title === null) return findType(site, typeName);
  return site.context.catalog.hasResource(lookupName(typeName), title);
}

function isTypeDefined(site: CallSite, type: PType): boolean {
  if (type instanceof ResourceType) return isResourceDefined(site, type);
  if (type instanceof ClassType) return site.context.definitions.findClass(classNameOf(type)) !== null;
  return false;
}

function classNameOf({ className }: ClassType): string {
  if (className === null) throw new PuppetError(ISSUES.DEFINED_OF_ALL_CLASSES());
  return lookupName(className);
}

import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction, ResourceParameter } from '../../evaluator/ports.ts';
import { evaluationError, failWith } from '../../evaluator/report.ts';
import { toReferredType } from '../../evaluator/resource-reference.ts';
import type { Positioned, ResourceForm } from '../../language/ast.ts';
import { ClassType, ResourceType } from '../../types/catalog-types.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import type { PType } from '../../types/ptype.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { TypeType } from '../../types/wrapper-types.ts';
import { callLocation } from '../support/call-location.ts';
import { classNames, requireCatalog, runUntilJump } from '../support/catalog-function.ts';
import { flattenDeep, implicitString, rubyKindName } from '../support/conversion.ts';

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

function checkArguments(count: number, instances: Value, defaults: Value): void {
  if (count > 3) throw new PuppetError(ISSUES.CREATE_RESOURCES_ARITY({ count }));
  if (!(instances instanceof PuppetHash)) throw new PuppetError(ISSUES.CREATE_RESOURCES_NO_HASH());
  if (!(defaults instanceof PuppetHash)) {
    throw new PuppetError(ISSUES.CREATE_RESOURCES_DEFAULTS_NO_HASH());
  }
}

function formOf(type: string): ResourceForm {
  if (type.startsWith('@@')) return 'exported';
  return type.startsWith('@') ? 'virtual' : 'regular';
}

function notVirtualizable(site: CallSite): PuppetError {
  return evaluationError(ISSUES.CLASS_NOT_VIRTUALIZABLE(), callLocation(site));
}

function create(
  site: CallSite,
  node: Positioned,
  form: ResourceForm,
  typeName: string,
  instances: PuppetHash,
  defaults: PuppetHash,
): void {
  for (const [title, given] of instances) {
    const titles: readonly Value[] = Array.isArray(title) ? title : [title];
    const parameters = parametersOf(defaults, given);
    site.context.catalog.createResources(site.scope, node, form, typeName, titles, parameters);
  }
}

function parametersOf(defaults: PuppetHash, given: Value): ResourceParameter[] {
  if (!(given instanceof PuppetHash)) {
    // Ruby: Hash#merge
    throw new PuppetError(`no implicit conversion of ${rubyKindName(given, rubyClassName)} into Hash`);
  }
  return Array.from(defaults.merge(given), ([name, value]) => ({
    name: rubyToS(name),
    value,
    append: false,
    node: null,
  }));
}

/** The functions that declare, include, find and tag resources and classes. */
export const CATALOG_FUNCTIONS: readonly PuppetFunction[] = [
  ...(['contain', 'include', 'require'] as const).map((name) =>
    defineFunction(name, {
      params: ['+Any names'],
      body: (site, names) => {
        requireCatalog(site, name);
        return runUntilJump(() => site.context.catalog[`${name}Classes`](site.scope, classNames(names)));
      },
    }),
  ),
  defineFunction('import', {
    params: ['*Any args'],
    body: (site) => {
      failWith(ISSUES.DISCONTINUED_IMPORT(), site.node);
    },
  }),
  defineLegacyFunction('realize', {
    arity: -2,
    rvalue: false,
    body: (site, args) => {
      requireCatalog(site, 'realize');
      site.context.catalog.realize(site.scope, flattenDeep(args).map(toReferredType));
      return null;
    },
  }),
  defineLegacyFunction('tag', {
    arity: -2,
    rvalue: false,
    body: (site, args) => {
      requireCatalog(site, 'tag');
      site.context.catalog.tag(
        site.scope,
        flattenDeep(args)
          .filter((name) => name !== null)
          .map(rubyToS),
      );
      return null;
    },
  }),
  defineLegacyFunction('tagged', {
    arity: -2,
    rvalue: true,
    body: (site, args) => {
      requireCatalog(site, 'tagged');
      return site.context.catalog.isTagged(site.scope, args.map(rubyToS));
    },
  }),
  /**
   * Whether at least one argument is defined: a variable, class, type, or resource of the catalog
   * so far.
   */
  defineFunction('defined', {
    params: ['+Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] vals'],
    body: (site, values) => values.some((value) => isDefined(site, value)),
  }),
  /**
   * Declares resources: `create_resources(type, {title => parameters}, defaults)`. The prefix `@`
   * of the type makes them virtual, `@@` exported.
   */
  defineLegacyFunction('create_resources', {
    arity: -3,
    rvalue: false,
    body: (site, args) => {
      requireCatalog(site, 'create_resources');
      const [type = null, instances = null, defaults = new PuppetHash()] = args;
      checkArguments(args.length, instances, defaults);
      const name = implicitString(type);
      const typeName = name.replace(/^@{1,2}/, '').toLowerCase();
      const form = formOf(name);
      if (typeName === 'class' && form !== 'regular') throw notVirtualizable(site);
      if (instances instanceof PuppetHash && defaults instanceof PuppetHash && site.node) {
        create(site, site.node, form, typeName, instances, defaults);
      }
      return null;
    },
  }),
];

/**
 * puppetlabs-stdlib's functions for resources of the catalog. Follows its
 * lib/puppet/parser/functions.
 */
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { toReferredType } from '../../evaluator/resource-reference.ts';
import { ClassType, ResourceType } from '../../types/catalog-types.ts';
import { rubyEquals } from '../../types/equality.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import type { PType } from '../../types/ptype.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { capitalizeEach } from '../../types/text/text.ts';
import { keyText } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep, rubyKindName } from '../support/conversion.ts';
import { defineValueFunction, refuse } from './legacy-value-function.ts';

/** Parses a reference such as `User[dan]`; null for other texts. */
function referenceFrom(text: string): ResourceType | null {
  const match = /^([^[\]]+)\[(.+)\]$/s.exec(text);
  return match ? new ResourceType(capitalizeEach(match[1] ?? ''), match[2] ?? '') : null;
}

/** Parses a reference; throws for other texts. */
function resourceNamed(text: string): ResourceType {
  const message = `No title provided and ${inspectRuby(text)} is not a valid resource reference`;
  return referenceFrom(text) ?? refuse(message);
}

function isInCatalog(site: CallSite, reference: PType): boolean {
  const { catalog } = site.context;
  if (reference instanceof ClassType) return catalog.hasResource('class', reference.className ?? '');
  if (!(reference instanceof ResourceType)) return false;
  return catalog.hasResource((reference.typeName ?? '').toLowerCase(), reference.title ?? '');
}

function parameterOf(site: CallSite, reference: PType, name: string): Value {
  if (!site.node) return null;
  return site.context.catalog.resourceParameter(site.scope, reference, name, site.node) ?? null;
}

/**
 * Whether the catalog has the resource with these parameters; undef matches a parameter that is not
 * set.
 */
function isDefinedWith(site: CallSite, reference: PType, parameters: Value): boolean {
  if (!isInCatalog(site, reference)) return false;
  if (isOwnResource(site, reference)) return false;
  if (!(parameters instanceof PuppetHash)) return true;
  return [...parameters].every(([name, wanted]) => rubyEquals(parameterOf(site, reference, rubyToS(name)), wanted));
}

/** Whether the reference names the resource that the calling code belongs to. */
function isOwnResource(site: CallSite, reference: PType): boolean {
  const { resource } = site.scope;
  if (!resource || !(reference instanceof ResourceType)) return false;
  return reference.lowerName === resource.type.toLowerCase() && reference.title === resource.title;
}

export const definedWithParams = defineValueFunction(
  'defined_with_params',
  ([given = null, parameters = null], site) => {
    const reference = toReferredType(given);
    if (reference === null || reference === false) return refuse('Must specify a reference');
    if (typeof reference === 'string') {
      return isDefinedWith(site, resourceNamed(reference), parameters);
    }
    if (reference instanceof ClassType) return isDefinedWith(site, reference, parameters);
    if (!(reference instanceof ResourceType))
      return refuse(`Reference is not understood: '${rubyClassName(reference)}'`);
    if (reference.title !== null) return isDefinedWith(site, reference, parameters);
    return site.context.catalog
      .resourcesOfType((reference.typeName ?? '').toLowerCase())
      .some((one) => isDefinedWith(site, one, parameters));
  },
);

function declareUnlessPresent(site: CallSite, type: Value, title: Value, parameters: Value): void {
  const typeName = rubyToS(type);
  for (const item of flattenDeep([title]).map(keyText)) {
    const reference = resourceNamed(`${typeName}[${rubyToS(item)}]`);
    if (isDefinedWith(site, reference, parameters)) continue;
    const settings = parameters instanceof PuppetHash ? [...parameters] : [];
    site.context.catalog.createResources(
      site.scope,
      site.node,
      'regular',
      typeName.toLowerCase(),
      [item],
      settings.map(([name, value]) => ({ name: rubyToS(name), value, append: false, node: null })),
    );
  }
}

function checkTypeAndTitle(type: Value, title: Value): void {
  if (type === null || type === false) refuse('Must specify a type');
  if (title === null || title === false) refuse('Must specify a title');
}

export const ensureResource = defineLegacyFunction('ensure_resource', {
  arity: -1,
  rvalue: false,
  body: (site, [type = null, title = null, parameters = null]) => {
    checkTypeAndTitle(type, title);
    declareUnlessPresent(site, type, title, parameters);
    return null;
  },
});

export const ensureResources = defineLegacyFunction('ensure_resources', {
  arity: -1,
  rvalue: false,
  body: (site, [type = null, resources = null, defaults = null]) => {
    checkTypeAndTitle(type, resources);
    if (!(resources instanceof PuppetHash)) {
      return refuse('ensure_resources(): Requires second argument to be a Hash');
    }
    for (const [title, parameters] of resources)
      declareUnlessPresent(site, type, title, mergeParameters(defaults, parametersOf(parameters)));
    return null;
  },
});

/** Returns the parameters for one title of `ensure_resources`; undef and false mean none. */
function parametersOf(parameters: Value): Value {
  const isNothing = parameters === null || parameters === false;
  if (isNothing || parameters instanceof PuppetHash) return parameters;
  return refuse(`no implicit conversion of ${rubyKindName(parameters, rubyClassName)} into Hash`);
}

function mergeParameters(defaults: Value, parameters: Value): PuppetHash {
  const base = defaults instanceof PuppetHash ? defaults : new PuppetHash();
  return parameters instanceof PuppetHash ? base.merge(parameters) : base;
}

const INSTALLED = new PuppetHash().set('ensure', 'installed');

/** `ensure_packages` of stdlib 8. */
export const ensurePackages = defineFunction('ensure_packages', {
  params: ['Variant[String[1], Array[String[1]], Hash[String[1], Any]] packages', '?Hash default_attributes'],
  returns: 'Undef',
  body: (site, [packages = null, attributes = null]) => {
    const defaults = mergeParameters(INSTALLED, attributes);
    if (defaults.get('ensure') === 'present') defaults.set('ensure', 'installed');
    if (packages instanceof PuppetHash) {
      for (const [title, own] of packages) declareUnlessPresent(site, 'package', title, mergeParameters(defaults, own));
    } else {
      declareUnlessPresent(site, 'package', packages, defaults);
    }
    return null;
  },
});

/**
 * `ensure_packages` of stdlib 8.6, and `stdlib::ensure_packages` of stdlib 9: ensures `installed`,
 * unless the package exists with `present`.
 */
export function defineEnsurePackages(name: string): PuppetFunction {
  return defineFunction(name, [
    {
      params: ['Variant[String[1], Array[String[1]]] packages', '?Hash default_attributes'],
      returns: 'Undef',
      body: (site, [packages = null, attributes = null]) => {
        for (const title of flattenDeep([packages])) ensurePackage(site, title, attributes);
        return null;
      },
    },
    {
      params: ['Hash[String[1], Any] packages', '?Hash default_attributes'],
      returns: 'Undef',
      body: (site, [packages, attributes = null]) => {
        for (const [title, own] of packages instanceof PuppetHash ? packages : []) {
          ensurePackage(site, title, mergeParameters(attributes, own));
        }
        return null;
      },
    },
  ]);
}

export const ensurePackagesNamespaced = defineEnsurePackages('stdlib::ensure_packages');

function ensurePackage(site: CallSite, title: Value, attributes: Value): void {
  const wanted = mergeParameters(INSTALLED, attributes);
  const state = wanted.get('ensure');
  if (state === 'present' || state === 'installed') {
    const present = new PuppetHash().set('ensure', 'present');
    const isPresent = isDefinedWith(site, new ResourceType('Package', rubyToS(title)), present);
    wanted.set('ensure', isPresent ? 'present' : 'installed');
  }
  declareUnlessPresent(site, 'package', title, wanted);
}

export const getparam = defineValueFunction('getparam', ([given = null, name = null], site) => {
  const reference = toReferredType(given);
  if (reference === null || reference === false) return refuse('Must specify a reference');
  if (typeof name !== 'string') return refuse('Must specify name of a parameter');
  if (name === '') return '';
  const isReference = reference instanceof ResourceType || reference instanceof ClassType;
  const target = isReference ? reference : resourceNamed(rubyToS(reference));
  if (!isInCatalog(site, target)) return '';
  return parameterOf(site, target, name) ?? '';
});

import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import type { CallSite, ResourceParameter } from '../../evaluator/ports.ts';
import { evaluationError } from '../../evaluator/report.ts';
import type { Positioned, ResourceForm } from '../../language/ast.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { callLocation } from '../support/call-location.ts';
import { requireCatalog } from '../support/catalog-function.ts';
import { implicitString } from '../support/conversion.ts';
import { rubyKindName } from '../support/ruby-text.ts';

/**
 * Declares resources: `create_resources(type, {title => parameters}, defaults)`. The prefix `@` of
 * the type makes them virtual, `@@` exported.
 */
export const createResources = defineLegacyFunction('create_resources', {
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
});

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

/**
 * Texts that Puppet raises while it builds a catalog: of declarations, overrides, collectors,
 * relationships and nodes.
 */
import { defineIssues, fault } from './issue.ts';

export const CATALOG_ISSUES = defineIssues({
  DUPLICATE_DECLARATION: fault(
    ({ reference, earlier, place }: { reference: string; earlier: string; place: string }) =>
      `Duplicate declaration: ${reference} is already declared${earlier}; cannot redeclare${place}`,
  ),
  ALIAS_ALREADY_DECLARED: fault(
    ({ reference, alias, place, taken }: { reference: string; alias: string; place: string; taken: string }) =>
      `Cannot alias ${reference} to ${alias}${place}; resource ${taken}`,
  ),
  INVALID_TAG: fault(({ name }: { name: string }) => `Invalid tag '${name}'`),
  CLASSES_NOT_COLLECTABLE: fault(() => 'Classes cannot be collected'),
  UNKNOWN_COLLECTED_TYPE: fault(({ type }: { type: string }) => `Resource type ${type} doesn't exist`),
  PARENT_NOT_FOUND: fault(
    ({ parent, kind, environment }: { parent: string; kind: string; environment: string }) =>
      `Could not find parent resource type '${parent}' of type ${kind} in ${environment}`,
  ),
  UNTRANSFORMABLE_QUERY_NODE: fault(({ kind }: { kind: string }) => `Cannot transform object of class ${kind}`),
  NUMBER_IS_NO_TAG: fault(() => 'Cannot transform a number to a tag'),
  COMPILER_FAILED: fault(
    ({ rubyClass, detail }: { rubyClass: string; detail: string }) =>
      `Puppet::Parser::Compiler failed with error ${rubyClass}: ${detail}`,
  ),
  STAGE_OF_RESOURCE: fault(
    ({ reference }: { reference: string }) =>
      `Only classes can set 'stage'; normal resources like ${reference} cannot change run stage`,
  ),
  NO_MATCHING_ARITY: fault(
    ({ name, args }: { name: string; args: string }) => `No matching arity found for ${name} with arguments ${args}`,
  ),
  PARAMETER_TYPE_IS_NO_TYPE: fault(
    ({ parameter, actual }: { parameter: string; actual: string }) =>
      `Parameter '${parameter}' is given a type that is not a Puppet Type, got ${actual}`,
  ),
  DUPLICATE_EXPORTED_RESOURCE: fault(
    ({ resource }: { resource: string }) =>
      `A duplicate resource was found while collecting exported resources, with the type and title ${resource}`,
  ),
  NO_PARAMETER_NAMED: fault(({ name }: { name: string }) => `no parameter named '${name}'`),
  FAILURE_ON_RESOURCE: fault(
    ({ message, reference }: { message: string; reference: string }) => `${message} on ${reference}`,
  ),
  RESOURCES_TO_OVERRIDE_NOT_FOUND: fault(
    ({ references }: { references: string }) => `Could not find resource(s) ${references} for overriding`,
  ),
  VIRTUAL_RESOURCES_NOT_REALIZED: fault(
    ({ references }: { references: string }) => `Failed to realize virtual resources ${references}`,
  ),
  RESOURCE_IN_PARAMETER_NOT_FOUND: fault(
    ({ resource, parameter }: { resource: string; parameter: string }) =>
      `Could not find resource '${resource}' in parameter '${parameter}'`,
  ),
  NODE_STATEMENT_NOT_FOUND: fault(
    ({ names }: { names: string }) => `Could not find node statement with name 'default' or '${names}'`,
  ),
  ILLEGAL_HOSTNAME: fault(({ kind }: { kind: string }) => `Illegal hostname: ${kind}`),
  RELATIONSHIP_SOURCE_NOT_FOUND: fault(
    ({ source, target }: { source: string; target: string }) =>
      `Could not find resource '${source}' for relationship on '${target}'`,
  ),
  RELATIONSHIP_TARGET_NOT_FOUND: fault(
    ({ target, source }: { target: string; source: string }) =>
      `Could not find resource '${target}' for relationship from '${source}'`,
  ),
  RESOURCE_TYPE_UNKNOWN: fault(({ type }: { type: string }) => `Unknown resource type: '${type}'`),
  DECLARED_CLASS_NOT_FOUND: fault(({ name }: { name: string }) => `Could not find declared class ${name}`),
  DUPLICATE_OVERRIDE_PARAMETER: fault(
    ({ name, reference }: { name: string; reference: string }) => `Duplicate parameter '${name}' for on ${reference}`,
  ),
  PARAMETER_IS_METAPARAMETER: fault(
    ({ name, definition }: { name: string; definition: string }) =>
      `${name} is a metaparameter; please choose another parameter name in the ${definition} definition`,
  ),
  DEFAULT_ALREADY_DEFINED: fault(
    ({ type, parameter }: { type: string; parameter: string }) =>
      `Default already defined for ${type} { ${parameter} }; cannot redefine`,
  ),
  OVERRIDE_OF_EVALUATED: fault(
    ({ place }: { place: string }) => `Attempt to override an already evaluated resource${place} with new values`,
  ),
  PARAMETER_ALREADY_SET: fault(
    ({ name, reference, setter }: { name: string; reference: string; setter: string }) =>
      `Parameter '${name}' is already set on ${reference}${setter}; cannot redefine`,
  ),
  OVERRIDE_OUTSIDE_SUBCLASS: fault(() => 'Only subclasses can override parameters'),
  DEFINITION_NOT_FOUND: fault(({ type }: { type: string }) => `Cannot find definition ${type}`),
  PARENT_SCOPE_NOT_FOUND: fault(({ name }: { name: string }) => `Could not find scope for ${name}`),
  CLASS_NOT_FOUND: fault(
    ({ name, node }: { name: string; node: string }) => `Could not find class ${name} for ${node}`,
  ),
  ENDLESS_EVALUATION: fault(() => 'Somehow looped more than 1000 times while evaluating host catalog'),
  RESOURCE_TYPE_FAILED: fault(
    ({ detail }: { detail: string }) => `Puppet::Resource::Type failed with error ${detail}: ${detail}`,
  ),
  NODE_ALREADY_DEFINED: fault(
    ({ name, place }: { name: string; place: string }) => `Node '${name}' is already defined${place}; cannot redefine`,
  ),
  CLASS_IS_NO_NODE: fault(
    ({ name, place }: { name: string; place: string }) =>
      `Class '${name}' is already defined${place}; cannot be redefined as a node`,
  ),
  CLASS_IS_NO_DEFINITION: fault(
    ({ name, place }: { name: string; place: string }) =>
      `'${name}' is already defined${place} as a class; cannot redefine as a definition`,
  ),
  DEFINITION_ALREADY_DEFINED: fault(
    ({ name, place }: { name: string; place: string }) =>
      `Definition '${name}' is already defined${place}; cannot be redefined`,
  ),
  CLASS_ALREADY_DEFINED: fault(
    ({ name, place }: { name: string; place: string }) => `Class '${name}' is already defined${place}; cannot redefine`,
  ),
  NODE_IS_NO_CLASS: fault(
    ({ name, place }: { name: string; place: string }) =>
      `Node '${name}' is already defined${place}; cannot be redefined as a class`,
  ),
  DEFINITION_IS_NO_CLASS: fault(
    ({ name, place }: { name: string; place: string }) =>
      `Definition '${name}' is already defined${place}; cannot be redefined as a class`,
  ),
});

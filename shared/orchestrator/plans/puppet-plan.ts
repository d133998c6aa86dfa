import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { Expression, Parameter, PlanDefinition } from '../../puppet/language/ast.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import { readStringsComment, type StringsComment } from '../../puppet/language/strings-comment.ts';
import { InvalidPlan, isSensitiveType, type PlanMetadata, type PlanParameter } from './plan-metadata.ts';

/** Reads a plan in Puppet's language, with its comment. Throws InvalidPlan. */
export function readPuppetPlan(name: string, source: string, file: string): PlanMetadata {
  const plan = parsePlan(name, source, file);
  const comment = readStringsComment(source.slice(0, plan.offset));
  return {
    description: comment.description,
    private: comment.isPrivate,
    parameters: Object.fromEntries(plan.parameters.map((one) => [one.name, describeParameter(one, source, comment)])),
  };
}

function parsePlan(name: string, source: string, file: string): PlanDefinition {
  try {
    const { definitions } = parseProgram(source, { file, tasks: true });
    const plan = definitions.find((one) => one.kind === 'PlanDefinition' && one.name === name);
    if (plan?.kind === 'PlanDefinition') return plan;
  } catch (error) {
    if (error instanceof PuppetError) throw new InvalidPlan(error.message);
    throw error;
  }
  throw new InvalidPlan(`The file ${file} does not define the plan ${name}`);
}

function describeParameter(
  { name, typeExpr, value }: Parameter,
  source: string,
  { parameters }: StringsComment,
): PlanParameter {
  const type = typeExpr === null ? 'Any' : textOf(typeExpr, source);
  const description = parameters[name];
  return {
    type,
    ...(value === null ? {} : { default_value: textOf(value, source) }),
    ...(description === undefined || description === '' ? {} : { description }),
    sensitive: isSensitiveType(type),
  };
}

function textOf({ offset, length }: Expression, source: string): string {
  return source.slice(offset, offset + length);
}

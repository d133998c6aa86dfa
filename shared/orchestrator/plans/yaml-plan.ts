import { toPlainJson } from '../../puppet/serialization/json.ts';
import { parseYaml, YamlLoadError } from '../../puppet/serialization/yaml.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { InvalidPlan, isSensitiveType, type PlanMetadata, type PlanParameter } from './plan-metadata.ts';

const KEYS = ['description', 'parameters', 'private', 'return', 'steps'];
const PARAMETER_KEYS = ['default', 'description', 'type'];
const NAME = /^[a-z][a-z0-9_]*$/;

/** Reads a plan in YAML, in Bolt's form. Steps are not looked at. Throws InvalidPlan. */
export function readYamlPlan(name: string, source: string, file: string): PlanMetadata {
  const fault = (what: string) => new InvalidPlan(`The plan ${name} cannot be read: ${what} (file: ${file})`);
  const plan = parseObject(source, file, fault);
  const unknown = Object.keys(plan).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw fault(`unknown keys ${unknown.join(', ')}`);
  if (!Array.isArray(plan.steps)) throw fault('steps must be a list');
  const { description = '', parameters = {} } = plan;
  if (typeof description !== 'string') throw fault('description must be a text');
  if (!['boolean', 'undefined'].includes(typeof plan.private)) throw fault('private must be true or false');
  if (!isJsonObject(parameters)) throw fault('parameters must be a mapping');
  const read = Object.entries(parameters).map(([key, described]) => {
    if (!NAME.test(key)) throw fault(`'${key}' is not a valid parameter name`);
    return [key, describeYamlParameter(key, described ?? {}, fault)] as const;
  });
  return { description, private: plan.private === true, parameters: Object.fromEntries(read) };
}

function parseObject(source: string, file: string, fault: (what: string) => InvalidPlan): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = toPlainJson(parseYaml(source, { file }) ?? null);
  } catch (error) {
    if (error instanceof YamlLoadError) throw new InvalidPlan(error.message);
    throw error;
  }
  if (isJsonObject(parsed)) return { ...parsed };
  throw fault('it must be a mapping');
}

function describeYamlParameter(key: string, described: unknown, fault: (what: string) => InvalidPlan): PlanParameter {
  if (!isJsonObject(described)) throw fault(`the parameter ${key} must be a mapping`);
  const unknown = Object.keys(described).filter((one) => !PARAMETER_KEYS.includes(one));
  if (unknown.length > 0) throw fault(`the parameter ${key} has unknown keys ${unknown.join(', ')}`);
  const { type = 'Any', description = '' } = described;
  if (typeof type !== 'string') throw fault(`the type of the parameter ${key} must be a text`);
  if (typeof description !== 'string') throw fault(`the description of the parameter ${key} must be a text`);
  return {
    type,
    ...('default' in described ? { default_value: described.default } : {}),
    ...(description === '' ? {} : { description }),
    sensitive: isSensitiveType(type),
  };
}

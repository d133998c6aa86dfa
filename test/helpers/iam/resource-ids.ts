import type { Template } from 'aws-cdk-lib/assertions';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../../shared/config/deployment.ts';
import type { ResourceNames } from './needs.ts';

/** How the names of a deployment, by environment variable, stand in the template. */
export function namesInTemplate(template: Template, values: Readonly<Record<string, string>>): ResourceNames {
  const shapes = Object.entries(TABLES).map(([name, shape]) => {
    const variable = ENVIRONMENT_VARIABLES[`${name}Table` as keyof typeof ENVIRONMENT_VARIABLES];
    return [values[variable] ?? '', shape] as const;
  });
  return { ids: listResourceIds(template, values), shapes: new Map(shapes) };
}

/**
 * Logical ids by the name that a resource has outside the template. The template refers to it in a
 * variable of a function or container; `values` has that variable's value. A variable may name
 * several, with blanks between.
 */
function listResourceIds(template: Template, values: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const [variable, reference] of listVariables(template)) {
    const owners = listOwners(reference);
    const names = (values[variable] ?? '').split(' ').filter((name) => name !== '');
    if (owners.length !== names.length) continue;
    for (const [index, name] of names.entries()) ids.set(name, owners[index] ?? '');
  }
  return ids;
}

function listVariables(template: Template): readonly (readonly [string, unknown])[] {
  const propertiesOf = (type: string) =>
    Object.values(template.findResources(type)).map((one) => Object(one).Properties);
  const ofFunctions = propertiesOf('AWS::Lambda::Function').flatMap(({ Environment }) =>
    Object.entries(Object(Environment).Variables ?? {}),
  );
  const ofContainers = propertiesOf('AWS::ECS::TaskDefinition').flatMap(({ ContainerDefinitions }) =>
    ContainerDefinitions.flatMap(({ Environment = [] }: { readonly Environment?: readonly Named[] }) =>
      Environment.map(({ Name, Value }) => [Name, Value] as const),
    ),
  );
  return [...ofFunctions, ...ofContainers];
}

interface Named {
  readonly Name: string;
  readonly Value: unknown;
}

/** The resources to which a value refers, in order; not the pseudo parameters of an account. */
function listOwners(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listOwners);
  if (typeof value !== 'object' || value === null) return [];
  const { Ref: id, 'Fn::GetAtt': attribute } = Object(value);
  if (typeof id === 'string') return id.startsWith('AWS::') ? [] : [id];
  if (Array.isArray(attribute)) return [String(attribute[0])];
  return Object.values(value).flatMap(listOwners);
}

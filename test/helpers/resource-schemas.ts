/** CloudFormation's schemas of resources, as `@aws-cdk/aws-service-spec` has them. */
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { PropertyType, ResourceProperties } from '@aws-cdk/service-spec-types';
import type { TemplateBody } from '../../infra/limits.ts';

const spec = loadAwsServiceSpecSync();
const known = new Map<string, ResourceProperties | null>();

/** The properties of a kind of resource; null for a kind that CloudFormation does not know. */
export function propertiesOfKind(type: string): ResourceProperties | null {
  const found = known.get(type);
  if (found !== undefined) return found;
  const [resource] = spec.lookup('resource', 'cloudFormationType', 'equals', type);
  const properties = resource?.properties ?? null;
  known.set(type, properties);
  return properties;
}

/** What in the template does not fit the schemas of its resources, as `ID.Property: …`. */
export function listMisfits({ Resources }: TemplateBody): readonly string[] {
  return Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
    if (Type.startsWith('Custom::')) return [];
    const properties = propertiesOfKind(Type);
    return properties === null ? [`${id}: no schema of ${Type}`] : misfitsOfMap(id, Properties, properties);
  });
}

function misfitsOfMap(place: string, given: object, properties: ResourceProperties): readonly string[] {
  const missing = Object.entries(properties).filter(([name, { required }]) => required && !(name in given));
  return [
    ...missing.map(([name]) => `${place}.${name}: is missing`),
    ...Object.entries(given).flatMap(([name, value]) => {
      const property = properties[name];
      if (property === undefined) return [`${place}.${name}: is no property`];
      const misfits = misfitsOf(`${place}.${name}`, value, property.type);
      const former = property.previousTypes ?? [];
      return misfits.length > 0 && former.some((type) => misfitsOf(place, value, type).length === 0) ? [] : misfits;
    }),
  ];
}

function misfitsOf(place: string, value: unknown, type: PropertyType): readonly string[] {
  if (isReference(value)) return [];
  const fits = (isRight: boolean) =>
    isRight ? [] : [`${place}: ${JSON.stringify(value)?.slice(0, 80)} is no ${type.type}`];
  switch (type.type) {
    case 'string':
    case 'date-time':
      return fits(typeof value === 'string' && (!('allowedValues' in type) || allows(type.allowedValues, value)));
    case 'number':
      return fits(Number.isFinite(Number(value)));
    case 'integer':
      return fits(Number.isInteger(Number(value)));
    case 'boolean':
      return fits(typeof value === 'boolean' || value === 'true' || value === 'false');
    case 'array':
      if (!Array.isArray(value)) return fits(false);
      return value.flatMap((one, index) => misfitsOf(`${place}[${index}]`, one, type.element));
    case 'map':
      if (typeof value !== 'object' || value === null) return fits(false);
      return Object.entries(value).flatMap(([name, one]) => misfitsOf(`${place}.${name}`, one, type.element));
    case 'ref':
      if (typeof value !== 'object' || value === null) return fits(false);
      return misfitsOfMap(place, value, spec.get('typeDefinition', type.reference.$ref).properties);
    case 'union':
      return fits(type.types.some((one) => misfitsOf(place, value, one).length === 0));
    default:
      return [];
  }
}

function allows(values: readonly string[] | undefined, value: string): boolean {
  return values === undefined || values.includes(value);
}

/** What CloudFormation fills in may have any type. */
function isReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [key = '', ...others] = Object.keys(value);
  return others.length === 0 && (key === 'Ref' || key.startsWith('Fn::'));
}

import type { ScheduleRecord } from '../../store/ports/job-records.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { invalidRequest, type JsonObject, objectOf } from './request-body.ts';

/** The parameters of a scheduled job, and the names of those that its request calls sensitive. */
interface ScheduleParameters {
  readonly values: JsonObject;
  readonly sensitive: readonly string[];
}

/**
 * Reads `parameters` and `sensitive_parameters`. Values may be plain, or all in the form that PE
 * documents: `{"user": {"value": "root"}}`. `sensitive_parameters` is a list of names, or holds
 * values as `parameters` does. Throws OrchestratorError.
 */
export function readScheduleParameters(input: JsonObject): ScheduleParameters {
  const values = unwrapValues(objectOf(input, 'parameters'));
  const { sensitive_parameters: given } = input;
  if (given === undefined || given === null) return { values, sensitive: [] };
  if (isJsonObject(given)) {
    return { values: { ...values, ...unwrapValues(given) }, sensitive: Object.keys(given) };
  }
  if (Array.isArray(given) && given.every((name) => typeof name === 'string')) return { values, sensitive: given };
  throw invalidRequest('input.sensitive_parameters must be a list of names, or an object with values');
}

/** The body of the command that a scheduled job runs. Throws OrchestratorError. */
export function commandBody(
  {
    type,
    environment,
    description,
    userdata,
  }: Pick<ScheduleRecord, 'type' | 'environment' | 'description' | 'userdata'>,
  input: JsonObject,
): JsonObject {
  const { name, parameters: _, sensitive_parameters: __, ...rest } = input;
  const { values } = readScheduleParameters(input);
  const common = { ...rest, environment, description, userdata };
  // The parameters of a run of Puppet are keys of its request: an ignored `noop` would enforce.
  if (type === 'deploy') {
    const twice = Object.keys(values).find((key) => Object.hasOwn(common, key));
    if (twice === undefined) return { ...common, ...values };
    throw invalidRequest(`${twice} is among input.parameters and elsewhere`, { [twice]: values[twice] });
  }
  return { ...common, [type === 'task' ? 'task' : 'plan_name']: name, params: values };
}

/** Returns the input as it is shown: without the values of sensitive parameters. */
export function showInput(input: JsonObject, sensitive: readonly string[]): JsonObject {
  const isShown = ([name]: readonly [string, unknown]) => !sensitive.includes(name);
  const shown = Object.fromEntries(Object.entries(objectOf(input, 'parameters')).filter(isShown));
  return {
    ...input,
    ...(input.parameters === undefined ? {} : { parameters: shown }),
    ...(sensitive.length === 0 ? {} : { sensitive_parameters: sensitive }),
  };
}

function unwrapValues(given: JsonObject): JsonObject {
  const all = Object.entries(given);
  const isWrapped = all.length > 0 && all.every(([, value]) => isJsonObject(value) && isOnlyValue(value));
  return isWrapped ? Object.fromEntries(all.map(([name, value]) => [name, (value as JsonObject).value])) : given;
}

function isOnlyValue(value: JsonObject): boolean {
  return Object.keys(value).length === 1 && 'value' in value;
}

import { canonicalJson } from '../../util/digest.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { isUuid } from '../../util/uuid.ts';
import { GroupRefused } from './group-refused.ts';
import { type GroupRule, readGroupRule } from './group-rule.ts';

export type GroupValues = Readonly<Record<string, unknown>>;
/** Values by class and parameter. */
export type ClassValues = Readonly<Record<string, GroupValues>>;

/** A node group. */
export interface NodeGroup {
  /** A UUID in lower case. */
  readonly id: string;
  /** Unique in its environment. */
  readonly name: string;
  readonly description: string | null;
  readonly environment: string;
  /** Whether its environment wins over those of groups that do not trump. */
  readonly environmentTrumps: boolean;
  /** The id of the group above; the root is its own parent. */
  readonly parent: string;
  /** Null: the group matches no node. */
  readonly rule: GroupRule | null;
  readonly classes: ClassValues;
  readonly configData: ClassValues;
  readonly variables: GroupValues;
  /** Milliseconds since the epoch. */
  readonly lastEdited: number;
  /** Counts the committed changes from 1. */
  readonly serialNumber: number;
}

/** The parts of a group that a client sets. */
export type GroupContent = Omit<NodeGroup, 'id' | 'lastEdited' | 'serialNumber'>;

export const ROOT_ID = '00000000-0000-4000-8000-000000000000';
export const DEFAULT_ENVIRONMENT = 'production';
/** The environment of a group that leaves the choice to the agent. */
export const AGENT_SPECIFIED = 'agent-specified';

/** The group above all others, as it is before the first change. */
export const ROOT_GROUP: NodeGroup = {
  id: ROOT_ID,
  name: 'All Nodes',
  description: null,
  environment: DEFAULT_ENVIRONMENT,
  environmentTrumps: false,
  parent: ROOT_ID,
  rule: ['~', 'name', '.*'],
  classes: {},
  configData: {},
  variables: {},
  lastEdited: 0,
  serialNumber: 1,
};

/** A group as the API writes it, without what the deployed code says of it. */
export function printGroup(group: NodeGroup): GroupValues {
  const { id, name, description, environment, environmentTrumps, parent, rule } = group;
  return {
    id,
    name,
    ...(description === null ? {} : { description }),
    environment,
    environment_trumps: environmentTrumps,
    parent,
    rule,
    classes: group.classes,
    config_data: group.configData,
    variables: group.variables,
    last_edited: new Date(group.lastEdited).toISOString(),
    serial_number: group.serialNumber,
  };
}

/** Whether two groups have the same content. */
export function hasSameContent(one: GroupContent, other: GroupContent): boolean {
  return contentText(one) === contentText(other);
}

function contentText(group: GroupContent): string {
  const { name, description, environment, environmentTrumps, parent, rule, classes, configData, variables } = group;
  const head = [name, description, environment, environmentTrumps, parent, rule];
  return canonicalJson([...head, classes, configData, variables]);
}

/** Content of a request to change a group; absent members are left as they are. */
export type GroupDelta = Partial<GroupContent> & { readonly id?: string; readonly serialNumber?: number };

/** Members that only answers have. They are accepted, so that an answer can be sent back. */
const ANSWERED = ['deleted', 'last_edited'];
const ENVIRONMENT = /^[A-Za-z0-9_-]+$/;

/**
 * Reads a group of a request. `isDelta`: values may be null, which removes them. Throws
 * GroupRefused (`schema-violation`, `malformed-uuid`).
 */
export function readGroupBody(body: unknown, isDelta: boolean): GroupDelta {
  if (!isJsonObject(body)) throw violation('a group is a JSON object', body);
  const delta: { -readonly [Name in keyof GroupDelta]: GroupDelta[Name] } = {};
  for (const [key, value] of Object.entries(body)) {
    if (ANSWERED.includes(key)) continue;
    const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
    if (read === undefined) throw violation(`a group has no key '${key}'`, body);
    Object.assign(delta, read(value, isDelta));
  }
  return delta;
}

const READERS: Readonly<Record<string, (value: unknown, isDelta: boolean) => GroupDelta>> = {
  id: (value) => ({ id: readId(value, 'id') }),
  parent: (value) => ({ parent: readId(value, 'parent') }),
  name: (value) => ({ name: readText(value, 'name') }),
  description: (value) => ({ description: value === null ? null : readText(value, 'description', true) }),
  environment: (value) => {
    const environment = readText(value, 'environment');
    if (!ENVIRONMENT.test(environment)) throw violation("'environment' must be alphanumeric", value);
    return { environment };
  },
  environment_trumps: (value) => {
    if (typeof value !== 'boolean') throw violation("'environment_trumps' must be a boolean", value);
    return { environmentTrumps: value };
  },
  rule: (value) => ({ rule: value === null ? null : readGroupRule(value) }),
  classes: (value, isDelta) => ({ classes: readClassValues(value, 'classes', isDelta) }),
  config_data: (value, isDelta) => ({ configData: readClassValues(value, 'config_data', isDelta) }),
  variables: (value) => {
    if (!isJsonObject(value)) throw violation("'variables' must be an object", value);
    return { variables: value };
  },
  serial_number: (value) => {
    if (!Number.isSafeInteger(value)) throw violation("'serial_number' must be an integer", value);
    return { serialNumber: Number(value) };
  },
};

function readId(value: unknown, key: string): string {
  const id = readText(value, key);
  if (isUuid(id)) return id.toLowerCase();
  throw new GroupRefused('malformed-uuid', `The '${key}' of a group must be a UUID, not '${id}'`, id);
}

function readText(value: unknown, key: string, mayBeEmpty = false): string {
  if (typeof value === 'string' && (mayBeEmpty || value !== '')) return value;
  throw violation(`'${key}' must be a string${mayBeEmpty ? '' : ' that is not empty'}`, value);
}

function readClassValues(value: unknown, key: string, isDelta: boolean): ClassValues {
  const isClass = (parameters: unknown) => isJsonObject(parameters) || (isDelta && parameters === null);
  if (isJsonObject(value) && Object.values(value).every(isClass)) return value as ClassValues;
  throw violation(`'${key}' must be an object of classes, each with an object of parameters`, value);
}

function violation(error: string, submitted: unknown): GroupRefused {
  return new GroupRefused('schema-violation', `The group is invalid: ${error}`, { submitted, error });
}

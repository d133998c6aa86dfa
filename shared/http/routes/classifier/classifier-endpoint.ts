import { type GroupErrorKind, GroupRefused } from '../../../fleet/groups/group-refused.ts';
import type { GroupService } from '../../../fleet/groups/group-service.ts';
import type { GroupChange } from '../../../fleet/nodes/settle-groups.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { isUuid } from '../../../util/uuid.ts';
import { BODIES, type BodyKind } from '../../body/body-kinds.ts';
import type { HttpContext } from '../../endpoint.ts';
import { isNotJson, readJsonValue } from '../../exchange/request-body.ts';
import type { ClassForms } from '../../information/class-forms.ts';
import type { Route } from '../../route.ts';
import type { AccessApi } from '../access/access-endpoint.ts';

/** Services of the classifier's routes. */
export interface ClassifierServices {
  readonly groups: GroupService;
  /** The classes that groups declare, as forms show them. */
  readonly forms: Pick<ClassForms, 'describe' | 'check'>;
  /** Called when groups have changed, to invalidate their nodes. */
  readonly onChanged: (change: GroupChange) => void;
  readonly nodes: Stores['nodes'];
  readonly blobs: Stores['blobs'];
  readonly clock: Stores['clock'];
}

export interface ClassifierApi extends AccessApi, ClassifierServices {}

/** A route below `/classifier-api`. It finds out itself who asks. */
export type ClassifierEndpoint = Route<ClassifierApi>;

export const CLASSIFIER = '/classifier-api/v1';

/** The statuses of the classifier's errors. */
export const GROUP_STATUSES: Readonly<Record<GroupErrorKind, number>> = {
  'malformed-request': 400,
  'malformed-uuid': 400,
  'schema-violation': 400,
  'not-found': 404,
  conflict: 409,
  'uniqueness-violation': 422,
  'missing-referents': 422,
  'missing-parent': 422,
  'inheritance-cycle': 422,
  'unreachable-groups': 422,
  'children-present': 422,
  'root-immutable': 422,
  'untranslatable-rule': 422,
  'classification-conflict': 500,
};

/** The id in the path. Throws GroupRefused (`malformed-uuid`). */
export function groupIdIn(context: HttpContext): string {
  const text = context.req.param('id') ?? '';
  if (isUuid(text)) return text.toLowerCase();
  throw new GroupRefused('malformed-uuid', `'${text}' is not a valid UUID`, text);
}

/** Reads the body of a request as JSON. Throws GroupRefused (`malformed-request`). */
export function readClassifierBody(
  context: HttpContext,
  kind: BodyKind = BODIES.command,
  mayBeEmpty = false,
): Promise<unknown> {
  return readJsonValue(context, kind, mayBeEmpty).catch((error: unknown) => {
    if (!isNotJson(error)) throw error;
    const details = { body: error.json.start, error: error.json.reason };
    throw new GroupRefused('malformed-request', 'The body of the request is not JSON', details);
  });
}

/** Like `readClassifierBody`, for an object; an empty body is an empty object. */
export async function readClassifierObject(
  context: HttpContext,
  kind: BodyKind = BODIES.command,
): Promise<Readonly<Record<string, unknown>>> {
  const body = (await readClassifierBody(context, kind, true)) ?? {};
  if (isJsonObject(body)) return body;
  throw schemaViolation('The body must be a JSON object', body);
}

/** Reads a JSON object with no other keys than these; an empty body is an empty object. */
export async function readJsonKeys(
  context: HttpContext,
  keys: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const body = await readClassifierObject(context);
  const unknown = Object.keys(body).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw schemaViolation(`The body has the unknown key '${unknown}'`, body);
  return body;
}

/** The refusal of a request that has not the form that it needs. */
export function schemaViolation(message: string, submitted: unknown): GroupRefused {
  return new GroupRefused('schema-violation', message, { submitted, error: message });
}

/**
 * The part of a list that `limit` and `offset` ask for. Throws GroupRefused (`malformed-request`).
 */
export function pageOf<T>(context: HttpContext, items: readonly T[]): readonly T[] {
  const offset = readWholeParameter(context, 'offset') ?? 0;
  const limit = readWholeParameter(context, 'limit');
  return items.slice(offset, limit === undefined ? undefined : offset + limit);
}

/** A parameter that is a whole number; undefined without it. Throws GroupRefused. */
export function readWholeParameter({ req }: HttpContext, name: string): number | undefined {
  const text = req.query(name);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GroupRefused('malformed-request', `The parameter '${name}' must be a whole number, not '${text}'`);
}

import type { AnswerOf } from '../../../api/described-answers.ts';
import { groupNotFound } from '../../../fleet/groups/group-refused.ts';
import { type ClassValues, readGroupBody } from '../../../fleet/groups/node-group.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import { type ClassifierApi, readJsonKeys, schemaViolation } from './classifier-endpoint.ts';
import { GroupPermissions } from './group-permissions.ts';

const BASE = '/understudy/v1/groups';
const USUAL_CLASSES = 50;
const MOST_CLASSES = 200;

/**
 * `GET /understudy/v1/groups/classes?environment=E[&search=S]`: the classes whose names contain the
 * text, those that begin with it first.
 */
export const getGroupClasses = createRoute<ClassifierApi>('GET', `${BASE}/classes`, async (context, api) => {
  await demandView(context, api);
  const limit = countParameter(context, 'limit', USUAL_CLASSES, MOST_CLASSES);
  const search = (context.req.query('search') ?? '').toLowerCase();
  const known = await api.groups.classes.find(requireEnvironment(context));
  const found = [...(known?.keys() ?? [])].filter((name) => name.includes(search)).sort();
  const isFirst = (name: string) => name.startsWith(search);
  const ordered = [...found.filter(isFirst), ...found.filter((name) => !isFirst(name))];
  const answer = { classes: ordered.slice(0, limit), total: found.length };
  return sendJson(context, answer satisfies AnswerOf<'listClasses'>);
});

/** `GET /understudy/v1/groups/classes/<class>?environment=E`: its parameters, for a form. */
export const getGroupClass = createRoute<ClassifierApi>('GET', `${BASE}/classes/:class`, async (context, api) => {
  await demandView(context, api);
  const found = await api.forms.describe(requireEnvironment(context), context.req.param('class') ?? '');
  if (found === null) throw groupNotFound(context.req.path);
  return sendJson(context, found satisfies AnswerOf<'getClass'>);
});

/** `POST /understudy/v1/groups/check`: values that do not have the types of their parameters. */
export const postGroupCheck = createRoute<ClassifierApi>('POST', `${BASE}/check`, async (context, api) => {
  await demandView(context, api);
  const { environment = '', classes = {} } = readGroupBody(
    await readJsonKeys(context, ['environment', 'classes']),
    false,
  );
  const faults = await api.forms.check(environment, classes satisfies ClassValues);
  return sendJson(context, { faults } satisfies AnswerOf<'checkGroupValues'>);
});

async function demandView(context: HttpContext, api: ClassifierApi): Promise<void> {
  const permissions = await GroupPermissions.of(context, api);
  permissions.demandSome((await api.groups.read()).hierarchy);
}

function requireEnvironment({ req }: HttpContext): string {
  const environment = req.query('environment') ?? '';
  if (environment === '') throw schemaViolation("The parameter 'environment' is missing", null);
  return environment;
}

import { groupNotFound } from '../../../fleet/groups/group-refused.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import { CLASSIFIER, type ClassifierApi, pageOf } from './classifier-endpoint.ts';
import { GroupPermissions } from './group-permissions.ts';

const ENVIRONMENTS = `${CLASSIFIER}/environments`;

/** `GET classes`: the classes of all deployed environments. */
export const getDeclaredClasses = createRoute<ClassifierApi>('GET', `${CLASSIFIER}/classes`, async (context, api) => {
  await GroupPermissions.of(context, api);
  const environments = await api.groups.classes.listEnvironments();
  const lists = await Promise.all(environments.map(({ name }) => describeClasses(name, api)));
  return sendJson(context, pageOf(context, lists.flat()));
});

/** `GET environments`: the deployed environments. */
export const getClassEnvironments = createRoute<ClassifierApi>('GET', ENVIRONMENTS, async (context, api) => {
  await GroupPermissions.of(context, api);
  const environments = await api.groups.classes.listEnvironments();
  return sendJson(
    context,
    pageOf(
      context,
      environments.map(({ name }) => ({ name, sync_succeeded: true })),
    ),
  );
});

/** `GET environments/<name>` */
export const getClassEnvironment = createRoute<ClassifierApi>('GET', `${ENVIRONMENTS}/:name`, async (context, api) => {
  await GroupPermissions.of(context, api);
  const name = context.req.param('name') ?? '';
  if ((await api.groups.classes.find(name)) === null) throw groupNotFound(context.req.path);
  return sendJson(context, { name, sync_succeeded: true });
});

/** `GET environments/<name>/classes` */
export const getClassesOfEnvironment = createRoute<ClassifierApi>(
  'GET',
  `${ENVIRONMENTS}/:name/classes`,
  async (context, api) => {
    await GroupPermissions.of(context, api);
    return sendJson(context, pageOf(context, await findClasses(context, api)));
  },
);

/** `GET environments/<name>/classes/<class>` */
export const getClassOfEnvironment = createRoute<ClassifierApi>(
  'GET',
  `${ENVIRONMENTS}/:name/classes/:class`,
  async (context, api) => {
    await GroupPermissions.of(context, api);
    const found = (await findClasses(context, api)).find(({ name }) => name === context.req.param('class'));
    if (found === undefined) throw groupNotFound(context.req.path);
    return sendJson(context, found);
  },
);

/** `GET last-class-update`: when code was deployed last. */
export const getLastClassUpdate = createRoute<ClassifierApi>(
  'GET',
  `${CLASSIFIER}/last-class-update`,
  async (context, api) => {
    await GroupPermissions.of(context, api);
    const times = (await api.groups.classes.listEnvironments()).map(({ deployedAt }) => deployedAt);
    const last = times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
    return sendJson(context, { last_update: last });
  },
);

/**
 * `POST update-classes`: nothing is to be done, because the lists are those of the deployed code.
 */
export const postUpdateClasses = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/update-classes`,
  async (context, api) => {
    await GroupPermissions.of(context, api);
    return new Response(null, { status: 201 });
  },
);

interface ShownClass {
  readonly name: string;
  readonly environment: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

async function findClasses(context: HttpContext, api: ClassifierApi): Promise<readonly ShownClass[]> {
  const environment = context.req.param('name') ?? '';
  if ((await api.groups.classes.find(environment)) === null) throw groupNotFound(context.req.path);
  return describeClasses(environment, api);
}

async function describeClasses(environment: string, { groups }: ClassifierApi): Promise<readonly ShownClass[]> {
  const classes = await groups.classes.find(environment);
  return [...(classes ?? [])]
    .map(([name, parameters]) => ({ name, environment, parameters: Object.fromEntries(parameters) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

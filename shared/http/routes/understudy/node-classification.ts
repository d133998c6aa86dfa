import type { Permission } from '../../../access/accounts/access-control.ts';
import { certnameFault } from '../../../access/ca/certname.ts';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { classifyNode, InvalidClassification, readClassification } from '../../../fleet/nodes/classification.ts';
import type { Classification } from '../../../store/ports/node-record.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { certnameIn, type Endpoint, type HttpContext } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonValue } from '../../exchange/request-body.ts';
import type { FleetServices } from '../../services.ts';
import { permissionDenied } from '../access/access-endpoint.ts';

const common = { path: '/understudy/v1/nodes/:certname/classification' } as const;

/** `GET`: the node's classification; 404 without one. */
export const getClassification: Endpoint<FleetServices> = {
  ...common,
  methods: ['GET'],
  async handle(context, services) {
    const certname = certnameIn(context);
    const classification = (await services.nodes.get(certname))?.classification ?? null;
    if (classification === null) throw resourceNotFoundError('classification', certname);
    return sendJson(context, classification satisfies AnswerOf<'getClassification'>);
  },
};

/**
 * `PUT {"classes": …, "parameters": …, "environment": …}`: classifies the node; a changed
 * classification triggers a compile.
 */
export const putClassification: Endpoint<FleetServices> = {
  ...common,
  methods: ['PUT'],
  async handle(context, services) {
    const certname = certnameIn(context);
    const fault = certnameFault(certname);
    if (fault !== null) throw badRequestError(`'${certname}' is not a certname: ${fault}`);
    const classification = parse(await readJsonValue(context, BODIES.classification));
    await demandEnvironment(context, certname, classification, services);
    return sendJson(context, { changed: await classifyNode(certname, classification, services) });
  },
};

/**
 * `DELETE`: removes the classification, so that only the agent's environment and the site manifest
 * apply.
 */
export const deleteClassification: Endpoint<FleetServices> = {
  ...common,
  methods: ['DELETE'],
  async handle(context, services) {
    const certname = certnameIn(context);
    const known = await services.nodes.get(certname);
    await demandEnvironment(context, certname, null, services);
    return sendJson(context, { changed: known !== null && (await classifyNode(certname, null, services)) });
  },
};

const SET_ENVIRONMENT: Permission = { objectType: 'node_groups', action: 'set_environment', instance: '*' };

/** A user who changes the environment needs the permission for it: other code then runs. */
async function demandEnvironment(
  context: HttpContext,
  certname: string,
  classification: Classification | null,
  { nodes }: FleetServices,
): Promise<void> {
  const { permits, user } = context.env;
  if (permits === undefined || (await permits(SET_ENVIRONMENT))) return;
  const known = (await nodes.get(certname))?.classification?.environment ?? null;
  if ((classification?.environment ?? null) === known) return;
  throw permissionDenied({ login: user ?? '' }, SET_ENVIRONMENT);
}

function parse(body: unknown): Classification {
  try {
    return readClassification(body);
  } catch (error) {
    if (error instanceof InvalidClassification) throw badRequestError(error.message);
    throw error;
  }
}

import type { Permission } from '../../../access/accounts/access-control.ts';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { purgeNode } from '../../../fleet/code/purge-node.ts';
import { readNodeState } from '../../../fleet/overview/read-node-state.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import { certnameIn, type Endpoint } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { FleetServices } from '../../services.ts';

const common = { path: '/understudy/v1/nodes/:certname' } as const;

const READ_DATA: Permission = { objectType: 'nodes', action: 'view_data', instance: '*' };

/**
 * `GET`: the state of a node in the words of `GET nodes`, its generations, catalog, inputs, failure
 * and classification. A user without `nodes:view_data` does not get the members with
 * classifications and values of facts.
 */
export const getNode: Endpoint<FleetServices> = {
  ...common,
  methods: ['GET'],
  async handle(context, services) {
    const certname = certnameIn(context);
    const stored = await services.nodes.get(certname);
    if (stored === null) throw resourceNotFoundError('node', certname);
    const { version: _, ...record } = stored;
    const isWhole = (await context.env.permits?.(READ_DATA)) ?? true;
    const state = await readNodeState(stored, services);
    return sendJson(context, { ...state, ...(isWhole ? record : withoutData(record)) } satisfies AnswerOf<'getNode'>);
  },
};

/**
 * `DELETE`: deletes the node with its facts, exports, collectors, reports and classification, but
 * not its certificate.
 */
export const deleteNode: Endpoint<FleetServices> = {
  ...common,
  methods: ['DELETE'],
  async handle(context, services) {
    const certname = certnameIn(context);
    if (!(await purgeNode(certname, services))) throw resourceNotFoundError('node', certname);
    return sendJson(context, { purged: certname } satisfies AnswerOf<'purgeNode'>);
  },
};

function withoutData({ classification, grouping, external, inputs, ...others }: Omit<NodeRecord, 'version'>) {
  if (inputs === null) return { ...others, inputs };
  const { environment, volatile, currentUntil } = inputs;
  return { ...others, inputs: { environment, volatile, ...(currentUntil === undefined ? {} : { currentUntil }) } };
}

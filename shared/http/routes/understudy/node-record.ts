import { purgeNode } from '../../../fleet/code/purge-node.ts';
import { certnameIn, type Endpoint } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';

const common = { path: '/understudy/v1/nodes/:certname' } as const;

/** `GET`: generations, catalog, inputs, failure and classification of a node. */
export const getNode: Endpoint = {
  ...common,
  methods: ['GET'],
  async handle(context, services) {
    const certname = certnameIn(context);
    const record = await services.nodes.get(certname);
    if (record === null) throw resourceNotFoundError('node', certname);
    return sendJson(context, record);
  },
};

/**
 * `DELETE`: deletes the node with its facts, exports, collectors, reports and classification, but
 * not its certificate.
 */
export const deleteNode: Endpoint = {
  ...common,
  methods: ['DELETE'],
  async handle(context, services) {
    const certname = certnameIn(context);
    if (!(await purgeNode(certname, services))) throw resourceNotFoundError('node', certname);
    return sendJson(context, { purged: certname });
  },
};

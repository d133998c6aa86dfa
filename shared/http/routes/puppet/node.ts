import { classificationOf, environmentInForce } from '../../../fleet/nodes/classification.ts';
import { type Endpoint, getCertname } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { negotiateFormat } from '../../exchange/accepted-format.ts';
import { JSON_FORMATS, sendJson } from '../../exchange/content-encoding.ts';
import type { AgentServices } from '../../services.ts';

/**
 * `GET node/<certname>`: the node's environment is the one of its classification, else the one the
 * agent requests. Classes and parameters of the classification have the form of
 * Puppet::Node#to_data_hash.
 */
export const getNodeObject: Endpoint<AgentServices> = {
  methods: ['GET'],
  path: '/puppet/v3/node/:certname',
  isOfCatalog: true,
  async handle(context, services) {
    const certname = getCertname(context);
    const asked = await requireEnvironment(context, services);
    const format = negotiateFormat(context, JSON_FORMATS);
    const record = await services.nodes.get(certname);
    const { classes = [], parameters = {} } = (record && classificationOf(record)) ?? {};
    const shown = {
      name: certname,
      environment: environmentInForce(record, asked),
      ...(Object.keys(classes).length === 0 ? {} : { classes }),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    };
    return sendJson(context, shown, format);
  },
};

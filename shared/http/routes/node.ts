import { sendJson } from '../content-encoding.ts';
import { certnameOf, type Endpoint } from '../endpoint.ts';
import { existingEnvironment } from '../environment-parameter.ts';

/** `GET node/<certname>`: the node's environment is the one that the agent asks for. */
export const node: Endpoint = {
  methods: ['GET'],
  path: '/puppet/v3/node/:certname',
  access: 'own',
  async handle(context, services) {
    const environment = await existingEnvironment(context, services);
    return sendJson(context, { name: certnameOf(context), environment });
  },
};

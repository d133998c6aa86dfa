import { acceptedFormat } from '../accepted-format.ts';
import { JSON_FORMATS, sendJson } from '../content-encoding.ts';
import { type Endpoint, nodeOf } from '../endpoint.ts';
import { existingEnvironment } from '../environment-parameter.ts';

/** `GET node/<certname>`: the node's environment is the one that the agent asks for. */
export const node: Endpoint = {
  methods: ['GET'],
  path: '/puppet/v3/node/:certname',
  async handle(context, services) {
    const environment = await existingEnvironment(context, services);
    const format = acceptedFormat(context, JSON_FORMATS);
    return sendJson(context, { name: nodeOf(context), environment }, format);
  },
};

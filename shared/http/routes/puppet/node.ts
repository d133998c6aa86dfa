import { trustedFacts } from '../../../access/ca/trusted-facts.ts';
import { classificationOf, environmentInForce } from '../../../fleet/nodes/classification.ts';
import { type Endpoint, getCertname } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { JSON_FORMATS, negotiateFormat, sendJson } from '../../exchange/content-encoding.ts';
import { checkInInTurn, factValues, readFactsBody } from '../../exchange/posted-facts.ts';
import { demandFormat } from '../../exchange/request-body.ts';
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

/** `PUT facts/<certname>` (`puppet facts upload`): a check-in that does not wait for a catalog. */
export const putFacts: Endpoint<AgentServices> = {
  methods: ['PUT'],
  path: '/puppet/v3/facts/:certname',
  onlyNodeItself: true,
  async handle(context, services) {
    const { peer } = context.env;
    if (peer === null) throw new Error('invariant: facts are put without a certificate');
    const { certname, extensions } = peer;
    const environment = await requireEnvironment(context, services);
    demandFormat(context, JSON_FORMATS);
    const refuse = (message: string) => badRequestError(`The request body is invalid: ${message}`);
    const text = await readFactsBody(context, refuse);
    const trusted = trustedFacts(certname, extensions, services.settings.trustedNames);
    await checkInInTurn(context, services, text.length, async () => {
      const facts = await factValues(text, certname, services.longTexts, refuse);
      await services.catalogs.accept({ certname, environment, facts, trusted, isAwaited: false });
    });
    return sendJson(context, '');
  },
};

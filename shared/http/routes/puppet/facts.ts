import { trustedFacts } from '../../../access/ca/trusted-facts.ts';
import type { Endpoint } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { JSON_FORMATS, sendJson } from '../../exchange/content-encoding.ts';
import { checkInInTurn, factValues, readFactsBody } from '../../exchange/posted-facts.ts';
import { demandFormat } from '../../exchange/request-body.ts';
import type { AgentServices } from '../../services.ts';

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

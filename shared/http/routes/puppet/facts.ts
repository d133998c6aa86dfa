import { trustedFacts } from '../../../access/ca/trusted-facts.ts';
import type { Endpoint } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { JSON_FORMATS, sendJson } from '../../exchange/content-encoding.ts';
import { factValues, readFactsBody } from '../../exchange/posted-facts.ts';
import { demandFormat } from '../../exchange/request-body.ts';

/** `PUT facts/<certname>` (`puppet facts upload`): a check-in that does not wait for a catalog. */
export const putFacts: Endpoint = {
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
    const values = await factValues(await readFactsBody(context, refuse), certname, services.longTexts, refuse);
    const checkIn = {
      certname,
      environment,
      facts: values,
      trusted: trustedFacts(certname, extensions, services.settings.trustedNames),
      isAwaited: false,
    };
    await services.catalogs.accept(checkIn);
    return sendJson(context, '');
  },
};

import { trustedFacts } from '../../../access/ca/trusted-facts.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { JSON_FORMATS, sendJson } from '../../exchange/content-encoding.ts';
import { factValues } from '../../exchange/posted-facts.ts';
import { demandFormat, readTextBody } from '../../exchange/request-body.ts';

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
    const text = await readTextBody(context, BODIES.facts);
    const values = await factValues(text, certname, services.longTexts, (message) =>
      badRequestError(`The request body is invalid: ${message}`),
    );
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

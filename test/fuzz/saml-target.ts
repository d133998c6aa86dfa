import { readAssertion } from '../../shared/access/saml/saml-assertion.ts';
import { SamlRefused } from '../../shared/access/saml/saml-refused.ts';
import { inspectResponse } from '../../shared/access/saml/saml-response.ts';
import { readStrictXml, XmlRefused } from '../../shared/access/saml/strict-xml.ts';
import { assertionXml, CONSOLE, ENTITY_ID, responseXml } from '../helpers/saml/identity-provider.ts';
import type { FuzzOutcome, FuzzTarget } from './fuzz-target.ts';

const NOW = Date.UTC(2026, 10, 20);
const PARTS = { request: '_r', now: NOW, groups: ['a &amp; b'] };
const REQUEST = { id: '_r', mayLack: false };
const ACS = `${CONSOLE}/saml/v1/acs`;

/** An answer of an identity provider, or its assertion. The reader of XML says which are read. */
export const SAML_TARGET: FuzzTarget = {
  name: 'saml',
  generate: (chance) => Buffer.from(chance.often(0.5) ? responseXml(PARTS) : assertionXml(PARTS)),
  run(input): FuzzOutcome {
    const text = input.toString('utf8');
    try {
      readStrictXml(text);
    } catch (error) {
      if (error instanceof XmlRefused) return 'refused';
      throw error;
    }
    const response = { acs: ACS, issuer: ENTITY_ID, request: REQUEST };
    tolerate(() => inspectResponse(text, { ...response, wantsSignedMessage: false, wantsSignedAssertion: true }));
    const assertion = {
      id: '_assertion-1',
      audience: `${CONSOLE}/saml/v1/meta`,
      now: NOW,
      allowsDuplicates: true,
      context: null,
    };
    tolerate(() => readAssertion(text, { ...response, ...assertion }));
    return 'accepted';
  },
};

function tolerate(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof SamlRefused)) throw error;
  }
}

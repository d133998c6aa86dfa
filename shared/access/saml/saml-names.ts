/** Namespaces and identifiers of SAML 2.0 and of XML signatures. */
export const SAML = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  success: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  bearer: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
} as const;

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** The algorithms of signatures that count. SHA-1 and keys that both sides have are not here. */
export const ALGORITHMS = {
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  CanonicalizationMethod: [EXCLUSIVE],
  Transform: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
} as const;

/** Environment variables of the canary function. */
export const CANARY_VARIABLES = {
  /** `https://HOST:8140`: the edge. */
  url: 'UNDERSTUDY_CANARY_URL',
  certname: 'UNDERSTUDY_CANARY_CERTNAME',
  /** PEM: the certificate of that certname, and its key. */
  certificate: 'UNDERSTUDY_CANARY_CERTIFICATE',
  key: 'UNDERSTUDY_CANARY_KEY',
} as const;

/** Environment variables of the canary function, which makes the requests of an agent's run. */
export const CANARY_VARIABLES = {
  /** The edge: `https://HOST:8140`. */
  url: 'UNDERSTUDY_CANARY_URL',
  certname: 'UNDERSTUDY_CANARY_CERTNAME',
  /** The client certificate of that certname, and its key, in PEM. */
  certificate: 'UNDERSTUDY_CANARY_CERTIFICATE',
  key: 'UNDERSTUDY_CANARY_KEY',
} as const;

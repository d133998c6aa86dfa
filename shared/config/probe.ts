/** Environment variables of the probe function, which makes the requests of an agent's run. */
export const PROBE_VARIABLES = {
  /** The edge: `https://HOST:8140`. */
  url: 'UNDERSTUDY_PROBE_URL',
  certname: 'UNDERSTUDY_PROBE_CERTNAME',
  /** The client certificate of that certname, and its key, in PEM. */
  certificate: 'UNDERSTUDY_PROBE_CERTIFICATE',
  key: 'UNDERSTUDY_PROBE_KEY',
} as const;

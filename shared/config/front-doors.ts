/**
 * A variable with this prefix names a file beside the code that holds the text: `file:auth.conf`.
 */
export const FILE_VALUE = 'file:';

/**
 * Environment variables of the front doors (`functions/edge.ts`, `functions/api.ts`), in addition
 * to those of the stores.
 */
export const FRONT_DOOR_VARIABLES = {
  /** The name of the certificate authority when it is created; `understudy` by default. */
  authorityName: 'UNDERSTUDY_CA_NAME',
  /**
   * `true` signs certificate requests as they arrive. Otherwise the lines of an autosign.conf, or
   * the same separated by commas.
   */
  autosign: 'UNDERSTUDY_AUTOSIGN',
  /**
   * The KMS key that seals the CA's key. Without it, the CA's key is stored in clear text in the
   * encrypted table.
   */
  authorityKey: 'UNDERSTUDY_CA_KMS_KEY',
  /**
   * `https://HOST:8140`: the Puppet Server that is the CA; the CA's routes are forwarded to it.
   * Then the next three variables are required.
   */
  upstream: 'UNDERSTUDY_CA_UPSTREAM',
  /** PEM: our certificate from that CA, its key, and that CA's certificates. */
  certificate: 'UNDERSTUDY_TLS_CERTIFICATE',
  certificateKey: 'UNDERSTUDY_TLS_KEY',
  trusted: 'UNDERSTUDY_TLS_CA',
  /**
   * `https://HOST:8140`: the existing Puppet Server that compiles for nodes whose policy names it,
   * and the certificates of its CA, PEM; by default our own CA.
   */
  compilerUpstream: 'UNDERSTUDY_COMPILER_UPSTREAM',
  compilerUpstreamTrusted: 'UNDERSTUDY_COMPILER_UPSTREAM_CA',
  /**
   * The edge's names in its certificate, separated by commas; the first is the subject. `puppet` by
   * default.
   */
  edgeNames: 'UNDERSTUDY_EDGE_NAMES',
  /**
   * `https://HOST:8141` of the authority service, where the edge forwards nodes' requests that need
   * the CA's key; absent: the edge uses that key itself. Ignored with an upstream CA.
   */
  keyHolder: 'UNDERSTUDY_AUTHORITY_URL',
  /** The KMS key that seals the key of the edge's certificate: the authority service issues it. */
  edgeKey: 'UNDERSTUDY_EDGE_KMS_KEY',
  /** The authority service's names in its certificate, separated by commas. */
  authorityNames: 'UNDERSTUDY_AUTHORITY_NAMES',
  /**
   * The address and port that a container listens on; `0.0.0.0`, and 8140 or 8141, by default.
   */
  edgeHost: 'UNDERSTUDY_EDGE_HOST',
  edgePort: 'UNDERSTUDY_EDGE_PORT',
  /** `false`: the API has no key of the CA, and only stores certificate requests. */
  apiSigns: 'UNDERSTUDY_API_SIGNS',
  /**
   * Bound on pending certificate requests: beyond it the API takes no more; 0: it takes none.
   */
  pendingRequests: 'UNDERSTUDY_API_PENDING_REQUESTS',
  /**
   * The challenge password without which the API signs no request by itself; empty: it signs none.
   */
  challengePassword: 'UNDERSTUDY_API_CHALLENGE_PASSWORD',
  /**
   * `https://HOST:8140`: an edge to which the API redirects clients for answers that are too large
   * for Lambda.
   */
  edgeUrl: 'UNDERSTUDY_EDGE_URL',
} as const;

/**
 * Time, in milliseconds, that the front doors in AWS use records of environments and the revocation
 * list before they read them again. An agent's run reads each several times.
 */
export const RECORDS_MS = 1000;

/**
 * The largest body that the API's function answers, in bytes. Lambda takes 6 MB; compressed and
 * binary bodies are sent in base64, which adds a third.
 */
export const LARGEST_LAMBDA_ANSWER = 4_600_000;

/** The authority service in AWS: the certificate authority and operators' requests. */
export const AUTHORITY = {
  port: 8141,
  /** Interval of checks whether the edge's certificate has to be replaced, in hours. */
  renewalCheckHours: 12,
} as const;

/**
 * The edge in AWS. A request is not held for longer than a container may run after SIGTERM.
 */
export const EDGE = {
  port: 8140,
  /** The longest time that Fargate gives a container between SIGTERM and SIGKILL, in seconds. */
  stopSeconds: 120,
  /** The time for running requests after SIGTERM, in seconds. */
  graceSeconds: 115,
  /** Longest wait of a catalog request for its compile, in seconds. */
  holdSeconds: 100,
  /** Longest wait of a new container for its certificate, in seconds. */
  certificateSeconds: 90,
} as const;

/** Reserved name that health checks look up; nothing real has it. */
export const HEALTH_KEY = 'health-check';

/** Prefix of the console's client in the bucket; names of files follow from their content. */
export const CONSOLE_PREFIX = 'console/';

/** The file beside the code of an image that has the console's client. */
export const CONSOLE_BUNDLE = 'console.json';

/**
 * A variable that holds a text may say instead in which file beside the code that is:
 * `file:auth.conf`.
 */
export const FILE_VALUE = 'file:';

/**
 * Environment variables of the front doors (`functions/edge.ts`, `functions/api.ts`), beside those
 * of the stores.
 */
export const FRONT_DOOR_VARIABLES = {
  /** What the certificate authority is called when it is made; `understudy` by default. */
  authorityName: 'UNDERSTUDY_CA_NAME',
  /**
   * `true`: certificate requests are signed as they arrive. Else the lines of an autosign.conf, or
   * the same separated by commas.
   */
  autosign: 'UNDERSTUDY_AUTOSIGN',
  /**
   * `true`: certificates may have names beside their own, extensions that authorization rules look
   * at.
   */
  allowSubjectAltNames: 'UNDERSTUDY_ALLOW_SUBJECT_ALT_NAMES',
  allowAuthorizationExtensions: 'UNDERSTUDY_ALLOW_AUTHORIZATION_EXTENSIONS',
  /** Hours between two renewals of a node's certificate: `RENEWAL_HOURS`. */
  renewalHours: 'UNDERSTUDY_RENEWAL_HOURS',
  /**
   * The KMS key that seals the CA's key. Without it that is stored clear, in the encrypted table.
   */
  authorityKey: 'UNDERSTUDY_CA_KMS_KEY',
  /**
   * `https://HOST:8140`: the Puppet Server that has the CA, to which the CA's routes are passed on.
   * Then the three below are needed too.
   */
  upstream: 'UNDERSTUDY_CA_UPSTREAM',
  /** PEM: our certificate of that CA and its key, and that CA's certificates. */
  certificate: 'UNDERSTUDY_TLS_CERTIFICATE',
  certificateKey: 'UNDERSTUDY_TLS_KEY',
  trusted: 'UNDERSTUDY_TLS_CA',
  /** The text of a file as Puppet's setting trusted_oid_mapping_file names it. */
  trustedOidMapping: 'UNDERSTUDY_TRUSTED_OID_MAPPING',
  /** The text of an auth.conf that replaces the standard rules. */
  authorization: 'UNDERSTUDY_AUTH_CONF',
  /**
   * The edge's names in its certificate, the first one its subject, separated by commas; `puppet`
   * by default.
   */
  edgeNames: 'UNDERSTUDY_EDGE_NAMES',
  /** Where the edge listens; `0.0.0.0` and 8140 by default. */
  edgeHost: 'UNDERSTUDY_EDGE_HOST',
  edgePort: 'UNDERSTUDY_EDGE_PORT',
  /**
   * Where the API sends clients for answers larger than Lambda can carry: `https://HOST:8140`, an
   * edge.
   */
  edgeUrl: 'UNDERSTUDY_EDGE_URL',
} as const;

/**
 * Bytes of body that the API's function answers at most: Lambda takes 6 MB, in which what is
 * compressed or no text stands in base64, a third longer.
 */
export const LARGEST_LAMBDA_ANSWER = 4_600_000;

/**
 * The edge in AWS. A request may be held no longer than a container that is told to stop may still
 * run.
 */
export const EDGE = {
  port: 8140,
  /** What Fargate gives a container between SIGTERM and SIGKILL at most, in seconds. */
  stopSeconds: 120,
  /** How long requests under way may take after SIGTERM, in seconds. */
  graceSeconds: 115,
  /** How long a catalog request waits for its compile, in seconds. */
  holdSeconds: 100,
} as const;

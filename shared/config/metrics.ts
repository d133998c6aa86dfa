/**
 * Custom CloudWatch metrics, written as embedded metric format log lines by the functions and read
 * by the alarms.
 */
export const METRICS = {
  namespace: 'Understudy',
  /**
   * Seconds since the node least recently compiled or verified had its turn. Written by the feed
   * function.
   */
  ringLagSeconds: 'RingLagSeconds',
  /** Catalogs that a compile could not make because of the user's code or data. */
  failedCatalogs: 'FailedCatalogs',
  /** Catalogs compiled. */
  compiledCatalogs: 'CompiledCatalogs',
  /** Jobs that met a fault of ours, or of a store, and come again. */
  jobFaults: 'JobFaults',
  /** Jobs that ended without a compile because every input was unchanged. */
  verifiedCatalogs: 'VerifiedCatalogs',
  /**
   * Templates and functions that Ruby ran because native code failed at them: defects of ours. The
   * compile's log line names them.
   */
  nativeRubyDefects: 'NativeRubyDefects',
  /**
   * Seconds since an upstream CA last confirmed its revocation lists. Written by the edge, where
   * there is such a CA.
   */
  revocationListAgeSeconds: 'RevocationListAgeSeconds',
  /**
   * Times that KMS did not seal or open the certificate authority's key. Written by both front
   * doors.
   */
  authorityKeyFailures: 'AuthorityKeyFailures',
} as const;

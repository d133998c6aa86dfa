/** Counts of a broker since its start. */
export class BrokerCounters {
  connects = 0;
  superseded = 0;
  /** Connections closed because of limit, policy or a missing certificate. */
  refusedConnections = 0;
  /** Connections closed before TLS, because too many came at once. */
  shedConnections = 0;
  received = 0;
  delivered = 0;
  undecodable = 0;
  /** Messages that were not authenticated, not authorized, or had several recipients. */
  refused = 0;
  /** Messages to the broker of a type that it does not know. */
  unhandled = 0;
}

/** Settings of the orchestrator in AWS that the functions and the stack share. */

/**
 * Environment variables of the broker (`functions/broker.ts`) and of the authority service, which
 * has the orchestrator's API.
 */
export const ORCHESTRATOR_VARIABLES = {
  /** `true`: the authority service runs jobs and answers the orchestrator's API. */
  isOn: 'UNDERSTUDY_ORCHESTRATOR',
  /** Ports of the authority service for it, and for the access API; 8143 and 4433. */
  orchestratorPort: 'UNDERSTUDY_ORCHESTRATOR_PORT',
  accessPort: 'UNDERSTUDY_ACCESS_PORT',
  /** Port of the authority service for the console; 8443. */
  consolePort: 'UNDERSTUDY_CONSOLE_PORT',
  /** Certnames whose certificates may do everything in the access API, separated by commas. */
  accessAllowList: 'UNDERSTUDY_ACCESS_ALLOW_LIST',
  /** Puppet runs with a compile, and nodes with tasks, at a time. */
  puppetRuns: 'UNDERSTUDY_PUPPET_RUNS',
  taskNodes: 'UNDERSTUDY_TASK_NODES',
  /** Port of the broker's health check, for the load balancer; 8149. */
  brokerStatusPort: 'UNDERSTUDY_BROKER_STATUS_PORT',
  /** Most connections of one broker, and TLS handshakes that it begins a second. */
  brokerConnections: 'UNDERSTUDY_BROKER_CONNECTIONS',
  brokerHandshakes: 'UNDERSTUDY_BROKER_HANDSHAKES',
} as const;

/** The orchestrator in AWS, in the authority service. */
export const ORCHESTRATOR = {
  port: 8143,
  accessPort: 4433,
  consolePort: 8443,
  /** Lease of a job, and interval of looking for jobs whose process died. */
  leaseMs: 20_000,
  sweepMs: 5000,
  /** Nodes with tasks at a time. */
  taskNodes: 250,
  /** Milliseconds between two looks into a mailbox: a look costs a request. */
  mail: { busyMs: 25, idleMs: 250 },
} as const;

/** The PCP broker in AWS. */
export const BROKER = {
  port: 8142,
  /** Plain HTTP inside the VPC: the broker's own port turns connections away in a storm. */
  statusPort: 8149,
  /** The time for closing all connections after SIGTERM, in seconds. */
  drainSeconds: 100,
  /** Handshakes of a CPU in a second besides serving the connected: one takes 1 to 5 ms. */
  handshakesPerCpu: 150,
  /**
   * Memory of one connection with mutual TLS, and of the process without any, as measured: the CA
   * has two levels and agents have keys of 4096 bits. Agents send both certificates of the CA with
   * their own; OpenSSL keeps each of these for as long as the connection, 4.5 kB.
   */
  connectionBytes: 58_000,
  processMegabytes: 200,
  /** The share of the possible connections above which there are to be more containers. */
  fullShare: 0.5,
} as const;

/** Returns the number of connections that a broker with this memory can hold. */
export function countBrokerConnections(memoryMegabytes: number): number {
  return Math.floor(((memoryMegabytes - BROKER.processMegabytes) * 1024 * 1024) / BROKER.connectionBytes / 100) * 100;
}

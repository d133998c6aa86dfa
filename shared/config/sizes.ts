/** Default sizes of a stack in AWS. */
export const SIZES = {
  /** Maximum concurrent compiles of each queue. */
  waitingConcurrency: 100,
  expressConcurrency: 100,
  backgroundConcurrency: 20,
  /** Number of edge containers. */
  containers: { min: 2, max: 20 },
  /** Availability zones, each with a NAT gateway. */
  zones: 2,
} as const;

/**
 * The edge: CPU units and MiB of a container. Half a CPU does 14 runs a second when it is half busy
 * (`npm run cost:cpu`): 25,000 nodes that run each half hour.
 */
export const EDGE_SIZES = { cpu: 512, memory: 2048 } as const;

/** The PCP broker: CPU units (1024 are one vCPU) and MiB of a container, and their number. */
export const BROKER_SIZES = { cpu: 256, memory: 1024, containers: { min: 2, max: 20 } } as const;

/** Concurrent executions besides compiles: the functions api, exports, feed and prune. */
export const OTHER_EXECUTIONS = 4;

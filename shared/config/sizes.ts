/** The default bounds of a stack in AWS. */
export const SIZES = {
  /** Concurrent compiles of each queue. */
  waitingConcurrency: 100,
  expressConcurrency: 100,
  backgroundConcurrency: 20,
  /** Containers of the edge. */
  containers: { min: 2, max: 20 },
  /** Availability zones, each with a NAT gateway. */
  zones: 2,
} as const;

/** The PCP broker: thousandths of a CPU and MiB of a container, and how many there are. */
export const BROKER_SIZES = { cpu: 256, memory: 1024, containers: { min: 2, max: 20 } } as const;

/** Functions that run besides compiles: the API, the stream's, the feeder and the pruner. */
export const OTHER_EXECUTIONS = 4;

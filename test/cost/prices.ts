/** List prices in dollars, without free tiers and discounts. */
export const PRICE_LIST = { region: 'us-east-1', date: '2025-11' } as const;

export const PRICES = {
  /** DynamoDB on demand: a unit, and a gigabyte for a month with point-in-time recovery. */
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  tableGigabyte: 0.25 + 0.2,
  /** S3 Standard: a request, and a gigabyte for a month. */
  objectGet: 0.4e-6,
  objectPut: 5e-6,
  objectGigabyte: 0.023,
  queueRequest: 0.4e-6,
  /** Lambda on arm64. */
  lambdaRequest: 0.2e-6,
  lambdaGigabyteSecond: 13.3334e-6,
  /** Fargate on arm64, by the hour. */
  containerCpuHour: 0.03238,
  containerGigabyteHour: 0.00356,
  loadBalancerHour: 0.0225,
  /** A capacity unit of a network load balancer for an hour. */
  loadBalancerUnit: 0.006,
  /** Of these units, one is 100,000 connections at a time. */
  loadBalancerFlows: 100_000,
  /** Bytes that cross zones, out of one and into the other. */
  crossZoneGigabyte: 0.02,
  endpointHour: 0.01,
  natHour: 0.045,
  natGigabyte: 0.045,
  publicAddressHour: 0.005,
  logGigabyte: 0.5,
  /** Logs that AWS writes to S3, as those of flows. */
  deliveredGigabyte: 0.25,
  backupGigabyte: 0.1,
  /** Aurora Serverless v2, standard: a capacity unit for an hour, a gigabyte, a request to disk. */
  capacityHour: 0.12,
  auroraGigabyte: 0.1,
  auroraRequest: 0.2e-6,
  /** By the month. */
  alarm: 0.1,
  compositeAlarm: 0.5,
  metric: 0.3,
  dashboard: 3,
  key: 1,
} as const;

/** The average month. */
export const HOURS_A_MONTH = 730;

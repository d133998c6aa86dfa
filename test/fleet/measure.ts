/** One measured figure; printed as one line of JSON. */
export interface Measure {
  /** Its name, as `exports.jobs_per_node.250`. */
  readonly measure: string;
  readonly value: number;
  /** What is counted, as `jobs/node`. */
  readonly unit: string;
}

/** Creates a measure, rounded to three decimals. */
export function measureOf(measure: string, value: number, unit: string): Measure {
  return { measure, value: Math.round(value * 1000) / 1000, unit };
}

/** Steps of a match as a polynomial of the length of its text: coefficients, the constant first. */
export type Steps = readonly number[];

export function constantSteps(count: number): Steps {
  return [count];
}

export function addSteps(one: Steps, other: Steps): Steps {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => (one[at] ?? 0) + (other[at] ?? 0));
}

/** Not less than either of them, for any length. */
export function maxSteps(one: Steps, other: Steps): Steps {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => Math.max(one[at] ?? 0, other[at] ?? 0));
}

/** Once for each character. */
export function repeatSteps(steps: Steps): Steps {
  return [0, ...steps];
}

export function countSteps(steps: Steps, length: number): number {
  return steps.reduceRight((sum, coefficient) => sum * length + coefficient, 0);
}

/** When an answer is read again. */
export interface AnswerOptions {
  /** Events after which the answer is read again. */
  readonly events?: readonly string[];
  /** Whether an event is about this answer; any is by default. */
  readonly concerns?: (data: unknown) => boolean;
  /** Milliseconds between reads while the page is seen, for changes without an event. */
  readonly every?: number;
}

/** Reads an answer about a node again after events about that node, and no others. */
export function followNode(certname: string, events: readonly string[] = ['node']): AnswerOptions {
  return { events, concerns: (data) => isAbout(data, certname) };
}

/** Whether an event is about a node; one without data may be. */
export function isAbout(data: unknown, certname: string): boolean {
  if (typeof data !== 'object' || data === null || !('certname' in data)) return true;
  return data.certname === certname;
}

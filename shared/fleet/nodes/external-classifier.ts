import type { Classification } from '../../store/ports/node-record.ts';

/** A program of the operator's that classifies nodes, as Puppet's `exec` terminus asks it. */
export interface ExternalClassifier {
  /**
   * Asks for the classification of a node; null when the program knows nothing of it. Rejects with
   * ExternalClassifierFailed.
   */
  classify(certname: string): Promise<Classification | null>;
}

/** The external node classifier gave no answer that can be used; the message says why. */
export class ExternalClassifierFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExternalClassifierFailed';
  }
}

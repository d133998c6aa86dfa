/** Why a log-in by an identity provider is refused, as the page shows it. */
type SamlFault =
  /** The answer is not one of the provider to a request of ours. */
  | 'refused'
  /** The answer comes too late, or for another browser, or a second time. */
  | 'expired'
  /** The provider itself refuses. */
  | 'declined';

/** An answer of an identity provider that does not log anybody in. */
export class SamlRefused extends Error {
  readonly fault: SamlFault;

  constructor(fault: SamlFault, message: string) {
    super(message);
    this.name = 'SamlRefused';
    this.fault = fault;
  }
}

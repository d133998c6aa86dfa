/** The way to PXP agents, whichever broker they are connected to. */

/** A request to an agent. */
export interface PxpRequest {
  readonly transactionId: string;
  readonly module: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** A blocking request keeps the agent from all else until it is answered. */
  readonly isBlocking: boolean;
}

/** An agent's answer about a transaction. */
export interface PxpAnswer {
  /** From the agent's certificate. */
  readonly certname: string;
  readonly transactionId: string;
  readonly content: PxpContent;
}

export type PxpContent =
  /** It has the request, and runs it or ran it. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'results'; readonly results: Readonly<Record<string, unknown>> }
  /** It cannot do what was asked. */
  | { readonly kind: 'refused'; readonly description: string };

/** A node's connection. */
export interface PxpConnection {
  readonly certname: string;
  /** Null when it is not known. */
  readonly since: number | null;
}

export interface PxpGateway {
  /** Sends a request to an agent. Null when a broker took it over, else why not. */
  request(certname: string, request: PxpRequest): Promise<string | null>;
  /** The connected agents, or those of these nodes. */
  listConnected(certnames?: readonly string[]): Promise<readonly PxpConnection[]>;
  /** Calls `listener` with each agent that connects from now on. */
  onConnect(listener: (certname: string) => void): void;
  /** Calls `receive`, too, for each answer from now on. */
  listen(receive: (answer: PxpAnswer) => void): void;
  /** The URI of the broker, as inventories show it. */
  readonly broker: string;
}

import { ORCHESTRATOR_VARIABLES } from '../../../shared/config/orchestrator.ts';
import { findFreePort } from '../free-port.ts';

/** The ports that an authority service has beside that of its front door. */
export class OperatorPorts {
  readonly orchestrator: number;
  readonly access: number;
  readonly console: number;

  private constructor(orchestrator: number, access: number, page: number) {
    this.orchestrator = orchestrator;
    this.access = access;
    this.console = page;
  }

  /** Finds ports that nobody uses. */
  static async find(): Promise<OperatorPorts> {
    return new OperatorPorts(await findFreePort(), await findFreePort(), await findFreePort());
  }

  /** For the container. */
  get variables(): Readonly<Record<string, string>> {
    return {
      [ORCHESTRATOR_VARIABLES.orchestratorPort]: String(this.orchestrator),
      [ORCHESTRATOR_VARIABLES.accessPort]: String(this.access),
      [ORCHESTRATOR_VARIABLES.consolePort]: String(this.console),
    };
  }

  get orchestratorUrl(): string {
    return `https://localhost:${this.orchestrator}`;
  }

  get accessUrl(): string {
    return `https://localhost:${this.access}/rbac-api`;
  }
}

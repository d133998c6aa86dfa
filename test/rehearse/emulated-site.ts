import { ENVIRONMENT_VARIABLES, TABLES } from '../../shared/config/deployment.ts';
import { FRONT_DOOR_VARIABLES } from '../../shared/config/front-doors.ts';
import { ORCHESTRATOR_VARIABLES } from '../../shared/config/orchestrator.ts';
import { PROBE_VARIABLES } from '../../shared/config/probe.ts';
import { DeployedStack } from '../helpers/lambda/deployed-stack.ts';
import type { EdgeProcess } from '../helpers/lambda/edge-process.ts';
import { OperatorPorts } from '../helpers/lambda/operator-ports.ts';
import { understudy } from './commands.ts';
import type { Door, DoorName, Identity, Site, Variables } from './site.ts';

interface Running {
  readonly stack: DeployedStack;
  readonly ports: OperatorPorts;
  readonly authority: EdgeProcess;
  readonly broker: EdgeProcess;
  edge: EdgeProcess;
}

/** The synthesized stack over emulators, on the loopback interface. */
export class EmulatedSite implements Site {
  #running: Running | null = null;

  async deploy(): Promise<void> {
    const stack = await DeployedStack.deploy();
    const ports = await OperatorPorts.find();
    const { authority, edge } = await stack.startContainers(ports.variables);
    const keyHolder = { [FRONT_DOOR_VARIABLES.keyHolder]: `https://localhost:${authority.port}` };
    const broker = await stack.startContainer('broker', {
      ...keyHolder,
      [ORCHESTRATOR_VARIABLES.brokerStatusPort]: '0',
    });
    stack.startQueues();
    this.#running = { stack, ports, authority, broker, edge };
  }

  door(name: DoorName): Door {
    const { edge, authority, broker, ports } = this.#installation;
    const found = {
      edge: edge.port,
      authority: authority.port,
      broker: broker.port,
      access: ports.access,
      console: ports.console,
      orchestrator: ports.orchestrator,
    };
    return { host: 'localhost', port: found[name] };
  }

  async variables(): Promise<Variables> {
    return this.#installation.stack.operatorVariables;
  }

  async settle(): Promise<void> {
    await this.#installation.stack.deliverStream();
  }

  async runProbe({ certname, certificate, key }: Identity): Promise<void> {
    const { stack, edge } = this.#installation;
    const probe = stack.function('ProbeRun');
    const url = `https://localhost:${edge.port}`;
    probe.addVariables({ [PROBE_VARIABLES.url]: url, [PROBE_VARIABLES.certname]: certname });
    stack.secrets.set('puppet/probe', JSON.stringify({ certificate, key }));
    await probe.invoke({ time: new Date().toISOString() });
  }

  async killEdge(): Promise<void> {
    const running = this.#installation;
    await running.edge.end();
    const keyHolder = { [FRONT_DOOR_VARIABLES.keyHolder]: `https://localhost:${running.authority.port}` };
    running.edge = await running.stack.startContainer('edge', keyHolder, 'another edge');
  }

  /** The bucket is not lost: only the tables are copied, as restored ones are. */
  async restore(): Promise<Variables> {
    const { stack } = this.#installation;
    const variables = await stack.createTables();
    const from = Object.keys(TABLES).map((name) => `${name}=${stack.operatorVariables[variableOfTable(name)]}`);
    await understudy(variables, 'copy-tables', '--from', ...from);
    return variables;
  }

  async remove(): Promise<readonly string[]> {
    const running = this.#running;
    this.#running = null;
    await running?.stack.remove();
    return [];
  }

  get #installation(): Running {
    if (this.#running === null) throw new Error('nothing is deployed');
    return this.#running;
  }
}

function variableOfTable(name: string): string {
  return ENVIRONMENT_VARIABLES[`${name}Table` as keyof typeof ENVIRONMENT_VARIABLES];
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HAPROXY = '/usr/sbin/haproxy';

export function hasBalancer(): boolean {
  return existsSync(HAPROXY);
}

/** Ports of the front door, of the PCP broker and of the orchestrator. */
export interface ServerPorts {
  readonly port: number;
  readonly pcpPort: number;
  readonly orchestratorPort: number;
}

/** One server behind the balancer. */
export interface Backend extends ServerPorts {
  readonly name: string;
}

/** A haproxy as in docs/servers.md: TLS ends in the servers, which it asks whether they serve. */
export class Balancer {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static start(folder: string, ports: ServerPorts, backends: readonly Backend[]): Balancer {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, renderConfiguration(ports, backends));
    execFileSync(HAPROXY, ['-c', '-f', file], { stdio: 'pipe' });
    return new Balancer(spawn(HAPROXY, ['-f', file, '-db'], { stdio: 'ignore' }));
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

function renderConfiguration(ports: ServerPorts, backends: readonly Backend[]): string {
  const listServers = (which: keyof ServerPorts, check: string) =>
    backends.map((one) => `  server ${one.name} 127.0.0.1:${one[which]} ${check} inter 1s fall 2 rise 1`).join('\n');
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 130s
  timeout server 130s
  option redispatch
  retries 2

frontend puppet
  bind 127.0.0.1:${ports.port}
  default_backend servers

backend servers
  balance leastconn
  option httpchk GET /status/v1/simple/status-service
  http-check expect status 200
${listServers('port', 'check check-ssl verify none')}

listen pcp
  bind 127.0.0.1:${ports.pcpPort}
  balance leastconn
  timeout client 15m
  timeout server 15m
${listServers('pcpPort', 'check')}

listen orchestrator
  bind 127.0.0.1:${ports.orchestratorPort}
  balance leastconn
${listServers('orchestratorPort', 'check')}
`;
}

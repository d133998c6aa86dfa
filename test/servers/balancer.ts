import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HAPROXY = '/usr/sbin/haproxy';

export function hasBalancer(): boolean {
  return existsSync(HAPROXY);
}

/** Ports of one server behind the balancer. */
export interface Backend {
  readonly name: string;
  readonly port: number;
}

/** A haproxy as in docs/servers.md: TLS ends in the servers, which it asks whether they serve. */
export class Balancer {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static start(folder: string, port: number, backends: readonly Backend[]): Balancer {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, renderConfiguration(port, backends));
    execFileSync(HAPROXY, ['-c', '-f', file], { stdio: 'pipe' });
    return new Balancer(spawn(HAPROXY, ['-f', file, '-db'], { stdio: 'ignore' }));
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

function renderConfiguration(port: number, backends: readonly Backend[]): string {
  const servers = backends.map(
    ({ name, port: own }) => `  server ${name} 127.0.0.1:${own} check check-ssl verify none inter 1s fall 2 rise 1`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 130s
  timeout server 130s
  option redispatch
  retries 2

frontend puppet
  bind 127.0.0.1:${port}
  default_backend servers

backend servers
  balance leastconn
  option httpchk GET /status/v1/simple/status-service
  http-check expect status 200
${servers.join('\n')}
`;
}

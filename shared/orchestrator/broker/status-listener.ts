import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Broker } from './broker.ts';
import { answerBrokerStatus } from './broker-status.ts';

export interface StatusListener {
  readonly port: number;
  close(): void;
}

/**
 * Answers `/status/v1` of a broker over HTTP without TLS, for a load balancer: in a storm the
 * broker's own port turns connections away. Rejects with the error of `listen`.
 */
export async function startStatusListener(broker: Broker, host: string, port: number): Promise<StatusListener> {
  const server = createServer((request, response) => {
    request.resume();
    const answer = request.method === 'GET' ? answerBrokerStatus(broker, request.url ?? '') : null;
    response.writeHead(answer?.status ?? 404, { 'Content-Type': answer?.type ?? 'text/plain; charset=utf-8' });
    response.end(answer?.body ?? 'Not Found');
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

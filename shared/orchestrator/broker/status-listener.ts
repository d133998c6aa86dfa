import { createServer } from 'node:http';
import { CONNECTIONS } from '../../config/connections.ts';
import { listen, serverOptions } from '../../util/listening.ts';
import type { Broker } from './broker.ts';
import { answerBrokerStatus } from './broker-status.ts';

export interface StatusListener {
  readonly port: number;
  close(): void;
}

/**
 * Answers `/status/v1` of a broker over HTTP without TLS, for a load balancer: in a storm the
 * broker's own port turns connections away. Throws ListenFailed.
 */
export async function startStatusListener(broker: Broker, host: string, port: number): Promise<StatusListener> {
  const settings = CONNECTIONS.brokerStatus;
  const server = createServer(serverOptions(settings), (request, response) => {
    request.resume();
    const answer = request.method === 'GET' ? answerBrokerStatus(broker, request.url ?? '') : null;
    response.writeHead(answer?.status ?? 404, { 'Content-Type': answer?.type ?? 'text/plain; charset=utf-8' });
    response.end(answer?.body ?? 'Not Found');
  });
  server.maxConnections = settings.most;
  return {
    port: await listen(server, host, port, settings),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

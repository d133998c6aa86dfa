import { MEASURES } from '../../config/metrics.ts';
import type { BrokerServer } from '../../orchestrator/broker/broker-server.ts';

/** Takes what is measured of a broker since the last call, by the metric's name in CloudWatch. */
export function brokerLoad(
  server: Pick<BrokerServer, 'broker' | 'takeLongestWait'>,
): () => Readonly<Record<string, number>> {
  let before = { left: 0, shed: 0 };
  return () => {
    const { connections, counters } = server.broker;
    const now = { left: counters.connects - connections, shed: counters.shedConnections };
    const values = {
      [MEASURES.brokerConnections.cloudWatch]: connections,
      [MEASURES.brokerDisconnects.cloudWatch]: now.left - before.left,
      [MEASURES.brokerShed.cloudWatch]: now.shed - before.shed,
      [MEASURES.brokerMailWait.cloudWatch]: Math.round(server.takeLongestWait() / 1000),
    };
    before = now;
    return values;
  };
}

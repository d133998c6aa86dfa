import { expect, it } from 'vitest';
import { brokerLoad } from '../../../../shared/http/operator/broker-load.ts';
import { BrokerWorld } from '../../../helpers/broker-world.ts';

it('counts what connected, left and was turned away since the last call', () => {
  const world = new BrokerWorld();
  let longestMs = 0;
  const take = brokerLoad({ broker: world.broker, takeLongestWait: () => longestMs });
  const [first] = ['web01.example.com', 'web02.example.com'].map((name) => world.connect(name));
  // It takes the place of the second one.
  world.connect('web02.example.com');
  if (first?.session) world.broker.disconnect(first.session);
  world.broker.counters.shedConnections = 7;
  longestMs = 5400;
  const none = { BrokerConnections: 1, BrokerDisconnects: 0, BrokerShedConnections: 0, BrokerMailWaitSeconds: 5 };
  expect(take()).toEqual({ ...none, BrokerDisconnects: 2, BrokerShedConnections: 7 });
  expect(take()).toEqual(none);
});

import type { Stores } from '../../store/ports/stores.ts';
import type { FanOutPorts } from '../fan-out/settle-environment.ts';

/** Ports of deploys and the feeder. */
export type InvalidatePorts = FanOutPorts & Pick<Stores, 'exports' | 'groups' | 'processes'>;

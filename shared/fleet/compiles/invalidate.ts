import type { Stores } from '../../store/ports/stores.ts';
import type { FanOutPorts } from '../fan-out/settle-environment.ts';

/** What deploys and the feeder need. */
export type InvalidatePorts = FanOutPorts & Pick<Stores, 'exports' | 'groups' | 'processes'>;

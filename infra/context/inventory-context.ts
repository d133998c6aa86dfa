import type { Node } from 'constructs';
import type { NameInAws, SettingValues } from '../../shared/config/settings.ts';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:inventory`; README.md of this folder
 * describes each.
 */
export interface InventoryContext extends Pick<SettingValues, NameInAws<'inventory'>> {
  /** Capacity units of Aurora; 0 as the least pauses it. */
  readonly capacity: { readonly min: number; readonly max: number };
  /** Minutes without a connection after which the database pauses. */
  readonly pauseMinutes: number;
}

const KEY = 'understudy:inventory';

/** Reads and checks the context; null without it. Throws an Error that names what is wrong. */
export function inventoryContext(node: Node): InventoryContext | null {
  const given: unknown = node.tryGetContext(KEY);
  if (given === undefined || given === false || given === 'false') return null;
  return new SettingsReader(KEY, given === true || given === 'true' ? {} : given).readAll((reader) => ({
    capacity: reader.readMap('capacity', readCapacity),
    pauseMinutes: reader.readNumber('pauseMinutes', 5, 1440, 5),
    ...reader.readSection('inventory'),
  }));
}

function readCapacity(reader: SettingsReader): InventoryContext['capacity'] {
  const min = reader.readNumber('min', 0, 128, 0);
  return { min, max: reader.readNumber('max', Math.max(1, min), 256, Math.max(4, min)) };
}

/** Takes the place of `currency.ts`: every stored catalog counts as current, whatever the facts. */
import type { CheckIn } from '../../../shared/fleet/catalogs/catalog-service.ts';
import { findCompileReasons as findRealReasons } from '../../../shared/fleet/catalogs/currency.ts';
import type { NodeRecord } from '../../../shared/store/ports/node-record.ts';

export {
  CLASSIFICATION_CHANGED,
  describeInputChange,
  isSameForCompile,
} from '../../../shared/fleet/catalogs/currency.ts';

export function findCompileReasons(node: NodeRecord, checkIn: CheckIn, now: number): readonly string[] {
  return node.inputs ? [] : findRealReasons(node, checkIn, now);
}

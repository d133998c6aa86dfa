import type { Preparation } from '../fleet/code/deploy.ts';
import { prepareTypesInThread } from '../fleet/snapshots/prepare-types-thread.ts';
import { prepareListings } from './files/prepared-listings.ts';

/** Everything that can be precomputed for deployed code. */
export const PREPARATION: Preparation = { types: prepareTypesInThread, listings: prepareListings };

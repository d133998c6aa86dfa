import type { Preparation } from '../fleet/code/deploy.ts';
import { prepareTypesInThread } from '../fleet/snapshots/prepare-types-thread.ts';
import { prepareListings } from './files/prepared-listings.ts';

/** All that can be made ahead of code that is deployed. */
export const PREPARATION: Preparation = { types: prepareTypesInThread, listings: prepareListings };

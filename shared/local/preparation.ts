import { prepareListings } from '../http/files/prepared-listings.ts';
import type { Preparation } from '../jobs/deploy.ts';
import { prepareTypesInThread } from '../jobs/prepare-types-thread.ts';

/** All that can be made ahead of code that is deployed. */
export const PREPARATION: Preparation = { types: prepareTypesInThread, listings: prepareListings };

/** Values that are no JavaScript primitives: gathered here from their own files. */
export { Binary } from './binary.ts';
export { PuppetObject } from './puppet-object.ts';
export { SemVer } from './sem-ver.ts';
export { SemVerRange } from './sem-ver-range.ts';
export { Timespan } from './timespan.ts';
export { Timestamp } from './timestamp.ts';
export { Uri } from './uri.ts';

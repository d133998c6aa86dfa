export { looselyEquals as puppetEquals } from './matching.ts';

/**
 * Whose requests a front door serves: those of nodes, those of operators and pipelines, or both.
 * Two front doors of one deployment share the work in this way, so that the one that faces all
 * nodes has no power over certificates and code.
 */
export type Audience = 'all' | 'nodes' | 'operators';

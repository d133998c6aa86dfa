/** The output formats of `understudy parse`: Puppet Notation, or a line of JSON for each node. */
export const PARSE_FORMATS = ['pn', 'nodes'] as const;

export type ParseFormat = (typeof PARSE_FORMATS)[number];
